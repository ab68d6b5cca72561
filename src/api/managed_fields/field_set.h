// FieldSet: a set of paths into an object, as managedFields records who owns what.
//
// A set is a tree of path elements, sorted; sets are immutable and share what they have in
// common. Everything lives in arenas, and names mostly point into the type tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/types/doc.h"

namespace keelson::api::managed_fields {

struct KeyField {
  std::string_view name;
  Value value;  // a scalar
};

// One step of a path.
struct PathElement {
  enum class Kind : uint8_t {
    kField,  // a member of a struct or an entry of a map
    kKey,    // the element of a list with these keys
    kValue,  // the element of a set with this value
    kIndex,  // the element at this place
  };
  Kind kind = Kind::kField;
  uint32_t key_count = 0;
  std::string_view name;           // kField
  const KeyField* keys = nullptr;  // kKey, sorted by name
  Value value;                     // kValue; kIndex: an integer

  static constexpr PathElement Field(std::string_view name) { return {Kind::kField, 0, name}; }
  std::span<const KeyField> key_fields() const { return {keys, key_count}; }

  // ".spec", "[name=\"a\"]", "[=\"x\"]", "[0]": as conflicts name it.
  std::string ToString() const;
};

// The order of the encoding: fields by name, then keys, values and indices. 0: the same.
int Compare(const PathElement& a, const PathElement& b);
// Numbers before strings before booleans, lists and maps; those by what they hold.
int CompareScalars(const Value& a, const Value& b);

struct FieldSet {
  struct Entry {
    PathElement element;
    const FieldSet* children = nullptr;  // null: none; never empty
    bool member = false;                 // the path that ends here is in the set
  };
  const Entry* data = nullptr;
  uint32_t size = 0;

  std::span<const Entry> entries() const { return {data, size}; }
  const Entry* Find(const PathElement& element) const;
};

// Every function takes null for the empty set and gives null for it; results may share
// nodes with the arguments.
const FieldSet* Union(const FieldSet* a, const FieldSet* b, Arena& arena);
// The union of all `sets`, in n log n of their paths together. Uses `sets` as scratch space.
const FieldSet* UnionOf(std::span<const FieldSet*> sets, Arena& arena);
const FieldSet* Intersection(const FieldSet* a, const FieldSet* b, Arena& arena);
// Paths of `a` that are not in `b`. A path does not stand for those below it. Like
// Intersection, it takes time by the smaller set where that is `a`.
const FieldSet* Difference(const FieldSet* a, const FieldSet* b, Arena& arena);
// The same, but a path of `b` takes those below it along.
const FieldSet* RecursiveDifference(const FieldSet* a, const FieldSet* b, Arena& arena);
bool Equal(const FieldSet* a, const FieldSet* b);

// Collects the entries of one node, to be called in order of the elements. Small, since
// sets may be as deep as documents are and each level has one on the stack.
class FieldSetBuilder {
 public:
  explicit FieldSetBuilder(Arena& arena) : arena_(arena) {}
  FieldSetBuilder(const FieldSetBuilder&) = delete;
  void Add(const PathElement& element, bool member, const FieldSet* children) {
    if (!member && !children) return;
    Link* link = arena_.NewArray<Link>(1);
    link->entry = {element, children, member};
    *end_ = link;
    end_ = &link->next;
    ++size_;
  }
  // Null when nothing was added.
  const FieldSet* Finish();

 private:
  struct Link {
    FieldSet::Entry entry;
    Link* next = nullptr;
  };
  Arena& arena_;
  Link* first_ = nullptr;
  Link** end_ = &first_;
  uint32_t size_ = 0;
};

// Calls `f(path)` for each path of the set: those that end in a node before those below it.
template <class F>
void ForEachPath(const FieldSet* set, std::string& prefix, F&& f) {
  if (!set) return;
  const size_t length = prefix.size();
  for (const FieldSet::Entry& e : set->entries()) {
    if (!e.member) continue;
    prefix += e.element.ToString();
    f(prefix);
    prefix.resize(length);
  }
  for (const FieldSet::Entry& e : set->entries()) {
    if (!e.children) continue;
    prefix += e.element.ToString();
    ForEachPath(e.children, prefix, f);
    prefix.resize(length);
  }
}

}  // namespace keelson::api::managed_fields
