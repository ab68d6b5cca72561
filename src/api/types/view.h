// What the generated views (api/generated/*.h) are made of.
//
// PodView reads: PodView(doc).spec().containers()[0].name(). An absent struct gives a
// null view, whose fields all read as absent; test it with `if (view.spec())`.
//
// PodEditor also writes:
//   set_x(v), clear_x()   scalars; strings are copied into the arena, set_x_static() does not
//   mutable_x()           a struct, list or map, made if absent
//   edit_x()              a struct or list of structs as it is: null or empty if absent
//   add_x()               one more element at the end of a list
//   put_x(key, v)         an entry of a map
#pragma once

#include <cassert>
#include <string_view>

#include "api/types/doc.h"

namespace keelson::api {

class StructView {
 public:
  StructView() = default;
  explicit StructView(const StructNode* node) : node_(node) {}
  // Requires: doc is empty or holds a `type`.
  StructView(const Doc& doc, [[maybe_unused]] const TypeDesc& type) : node_(doc.root()) {
    assert(!node_ || node_->type == &type);
  }
  explicit operator bool() const { return node_ != nullptr; }
  const StructNode* node() const { return node_; }

 protected:
  const Value& at(size_t ordinal) const { return node_ ? node_->slot(ordinal) : kAbsentValue; }
  StructNode* writable() const { return const_cast<StructNode*>(node_); }
  const StructNode* node_ = nullptr;

 private:
  static constexpr Value kAbsentValue{};
};

// A list of structs read as views.
template <class View>
class ListView {
 public:
  explicit ListView(const ListNode* list = nullptr) : list_(list) {}
  size_t size() const { return list_ ? list_->size : 0; }
  bool empty() const { return size() == 0; }
  View operator[](size_t i) const { return View(list_->data[i].node()); }

  class iterator {
   public:
    explicit iterator(const Value* p) : p_(p) {}
    View operator*() const { return View(p_->node()); }
    iterator& operator++() {
      ++p_;
      return *this;
    }
    bool operator==(const iterator&) const = default;

   private:
    const Value* p_;
  };
  iterator begin() const { return iterator(list_ ? list_->data : nullptr); }
  iterator end() const { return iterator(list_ ? list_->data + list_->size : nullptr); }

 private:
  const ListNode* list_;
};

// A list of scalars, by their values.
class ScalarList {
 public:
  explicit ScalarList(const ListNode* list = nullptr) : list_(list) {}
  size_t size() const { return list_ ? list_->size : 0; }
  bool empty() const { return size() == 0; }
  const Value& operator[](size_t i) const { return list_->data[i]; }
  const Value* begin() const { return list_ ? list_->data : nullptr; }
  const Value* end() const { return list_ ? list_->data + list_->size : nullptr; }

 private:
  const ListNode* list_;
};

// A map from string to anything, in key order.
class MapView {
 public:
  explicit MapView(const MapNode* map = nullptr) : map_(map) {}
  size_t size() const { return map_ ? map_->size : 0; }
  bool empty() const { return size() == 0; }
  const Value* Find(std::string_view key) const { return map_ ? map_->Find(key) : nullptr; }
  const MapNode::Entry* begin() const { return map_ ? map_->data : nullptr; }
  const MapNode::Entry* end() const { return map_ ? map_->data + map_->size : nullptr; }

 private:
  const MapNode* map_;
};

// A list of structs that may be changed in place.
template <class Editor>
class EditList {
 public:
  EditList(ListNode* list, Arena* arena) : list_(list), arena_(arena) {}
  size_t size() const { return list_ ? list_->size : 0; }
  bool empty() const { return size() == 0; }
  Editor operator[](size_t i) const { return Editor(list_->data[i].node(), arena_); }

  class iterator {
   public:
    iterator(Value* p, Arena* arena) : p_(p), arena_(arena) {}
    Editor operator*() const { return Editor(p_->node(), arena_); }
    iterator& operator++() {
      ++p_;
      return *this;
    }
    bool operator==(const iterator& other) const { return p_ == other.p_; }

   private:
    Value* p_;
    Arena* arena_;
  };
  iterator begin() const { return iterator(list_ ? list_->data : nullptr, arena_); }
  iterator end() const { return iterator(list_ ? list_->data + list_->size : nullptr, arena_); }

 private:
  ListNode* list_;
  Arena* arena_;
};

// What the editors' functions do. `keep_zero`: the field tells zero from absent; without
// it, writing zero removes the value.
namespace edit {

void SetBool(StructNode* node, size_t ordinal, bool v, bool keep_zero);
void SetInt(StructNode* node, size_t ordinal, int64_t v, bool keep_zero);
void SetDouble(StructNode* node, size_t ordinal, double v, bool keep_zero);
// `v` must live as long as the arena.
void SetString(StructNode* node, size_t ordinal, std::string_view v, bool keep_zero);
void SetBytes(StructNode* node, size_t ordinal, std::string_view v, bool keep_zero);
void SetValue(StructNode* node, size_t ordinal, Value v, bool keep_zero);

// Made if absent.
StructNode* MutableStruct(StructNode* node, size_t ordinal, Arena& arena);
ListNode& MutableList(StructNode* node, size_t ordinal, Arena& arena);
MapNode& MutableMap(StructNode* node, size_t ordinal, Arena& arena);

StructNode* AddStruct(StructNode* node, size_t ordinal, Arena& arena);
void AddString(StructNode* node, size_t ordinal, std::string_view v, Arena& arena);
// Copies key and value.
void Put(StructNode* node, size_t ordinal, std::string_view key, std::string_view v, Arena& arena);

}  // namespace edit

}  // namespace keelson::api
