#include "api/managed_fields/field_set.h"

#include <algorithm>

#include "api/patch/go_format.h"
#include "api/validation/quote.h"

namespace keelson::api::managed_fields {
namespace {

int Sign(std::strong_ordering o) { return o < 0 ? -1 : o > 0 ? 1 : 0; }

int CompareNames(std::string_view a, std::string_view b) {
  // Names of the type tables are mostly the very same text.
  if (a.data() == b.data() && a.size() == b.size()) return 0;
  return Sign(a <=> b);
}

int CompareKeys(std::span<const KeyField> a, std::span<const KeyField> b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (int c = CompareNames(a[i].name, b[i].name)) return c;
    if (int c = CompareScalars(a[i].value, b[i].value)) return c;
  }
  return Sign(a.size() <=> b.size());
}

int CompareLists(const ListNode& a, const ListNode& b) {
  for (uint32_t i = 0; i < a.size && i < b.size; ++i)
    if (int c = CompareScalars(a.data[i], b.data[i])) return c;
  return Sign(a.size <=> b.size);
}

int CompareMaps(const MapNode& a, const MapNode& b) {
  for (uint32_t i = 0; i < a.size && i < b.size; ++i) {
    if (int c = CompareNames(a.data[i].key, b.data[i].key)) return c;
    if (int c = CompareScalars(a.data[i].value, b.data[i].value)) return c;
  }
  return Sign(a.size <=> b.size);
}

int Rank(const Value& v) {
  switch (v.tag()) {
    case Value::Tag::kInt:
    case Value::Tag::kDouble: return 0;
    case Value::Tag::kString: return 1;
    case Value::Tag::kBool: return 2;
    case Value::Tag::kList: return 3;
    case Value::Tag::kMap: return 4;
    default: return 5;
  }
}

std::string ScalarText(const Value& v) {
  if (v.is(Value::Tag::kString)) return Quoted(v.string());
  if (v.is(Value::Tag::kNull) || v.absent()) return "null";
  return GoFormat(v);
}

// Walks two nodes in step. `f(x, y)` gets the entries of both with the same element; one
// of them is null when the other set has none.
template <class F>
void Zip(const FieldSet* a, const FieldSet* b, F&& f) {
  const FieldSet::Entry* x = a ? a->data : nullptr;
  const FieldSet::Entry* y = b ? b->data : nullptr;
  const FieldSet::Entry* const x_end = a ? x + a->size : nullptr;
  const FieldSet::Entry* const y_end = b ? y + b->size : nullptr;
  while (x != x_end || y != y_end) {
    const int order = x == x_end ? 1 : y == y_end ? -1 : Compare(x->element, y->element);
    f(order <= 0 ? x : nullptr, order >= 0 ? y : nullptr);
    if (order <= 0) ++x;
    if (order >= 0) ++y;
  }
}

// The first entry from `from` on that is not before `element`: near ones are found first.
const FieldSet::Entry* SkipTo(const FieldSet::Entry* from, const FieldSet::Entry* end,
                              const PathElement& element) {
  const auto before = [](const FieldSet::Entry& e, const PathElement& x) {
    return Compare(e.element, x) < 0;
  };
  ptrdiff_t step = 1;
  for (; step < end - from && before(from[step - 1], element); step *= 2) from += step;
  return std::lower_bound(from, std::min(from + step, end), element, before);
}

// `f(x, y)` gets each entry of `a` with the entry of `b` that has the same element, or null.
template <class F>
void Match(const FieldSet& a, const FieldSet& b, F&& f) {
  const FieldSet::Entry* y = b.data;
  const FieldSet::Entry* const end = b.data + b.size;
  for (const FieldSet::Entry& x : a.entries()) {
    int order = y == end ? 1 : Compare(y->element, x.element);
    if (order < 0) {
      y = SkipTo(y + 1, end, x.element);
      order = y == end ? 1 : Compare(y->element, x.element);
    }
    f(x, order == 0 ? y++ : nullptr);
  }
}

}  // namespace

int CompareScalars(const Value& a, const Value& b) {
  if (int c = Rank(a) - Rank(b)) return c < 0 ? -1 : 1;
  switch (a.tag()) {
    case Value::Tag::kInt:
    case Value::Tag::kDouble:
      if (a.is(Value::Tag::kInt) && b.is(Value::Tag::kInt)) return Sign(a.integer() <=> b.integer());
      return a.real() < b.real() ? -1 : a.real() > b.real() ? 1 : 0;
    case Value::Tag::kString: return CompareNames(a.string(), b.string());
    case Value::Tag::kBool: return Sign(a.boolean() <=> b.boolean());
    // Not keys of any list, but of what clients may write into managedFields.
    case Value::Tag::kList: return CompareLists(*a.list(), *b.list());
    case Value::Tag::kMap: return CompareMaps(*a.map(), *b.map());
    default: return 0;
  }
}

int Compare(const PathElement& a, const PathElement& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  switch (a.kind) {
    case PathElement::Kind::kField: return CompareNames(a.name, b.name);
    case PathElement::Kind::kKey: return CompareKeys(a.key_fields(), b.key_fields());
    case PathElement::Kind::kValue:
    case PathElement::Kind::kIndex: return CompareScalars(a.value, b.value);
  }
  return 0;
}

std::string PathElement::ToString() const {
  switch (kind) {
    case Kind::kField: return "." + std::string(name);
    case Kind::kValue: return "[=" + ScalarText(value) + "]";
    case Kind::kIndex: return "[" + std::to_string(value.integer()) + "]";
    case Kind::kKey: break;
  }
  std::string text = "[";
  for (const KeyField& k : key_fields()) {
    if (&k != keys) text += ',';
    text.append(k.name).append("=").append(ScalarText(k.value));
  }
  return text + "]";
}

const FieldSet::Entry* FieldSet::Find(const PathElement& element) const {
  const Entry* e = std::lower_bound(data, data + size, element, [](const Entry& x, const PathElement& y) {
    return Compare(x.element, y) < 0;
  });
  return e != data + size && Compare(e->element, element) == 0 ? e : nullptr;
}

const FieldSet* Union(const FieldSet* a, const FieldSet* b, Arena& arena) {
  if (!a || a == b) return b;
  if (!b) return a;
  FieldSetBuilder out(arena);
  Zip(a, b, [&](const FieldSet::Entry* x, const FieldSet::Entry* y) {
    const FieldSet::Entry& e = x ? *x : *y;
    if (!x || !y) return out.Add(e.element, e.member, e.children);
    out.Add(e.element, x->member || y->member, Union(x->children, y->children, arena));
  });
  return out.Finish();
}

const FieldSet* UnionOf(std::span<const FieldSet*> sets, Arena& arena) {
  // In pairs: each set is copied once for every doubling.
  for (size_t left = sets.size(); left > 1; left = (left + 1) / 2) {
    for (size_t i = 0; i < left / 2; ++i) sets[i] = Union(sets[2 * i], sets[2 * i + 1], arena);
    if (left % 2) sets[left / 2] = sets[left - 1];
  }
  return sets.empty() ? nullptr : sets[0];
}

const FieldSet* Intersection(const FieldSet* a, const FieldSet* b, Arena& arena) {
  if (!a || !b || a == b) return b ? a : nullptr;
  if (a->size > b->size) std::swap(a, b);
  FieldSetBuilder out(arena);
  Match(*a, *b, [&](const FieldSet::Entry& x, const FieldSet::Entry* y) {
    if (y) out.Add(x.element, x.member && y->member, Intersection(x.children, y->children, arena));
  });
  return out.Finish();
}

const FieldSet* Difference(const FieldSet* a, const FieldSet* b, Arena& arena) {
  if (!a || !b) return a;
  FieldSetBuilder out(arena);
  Match(*a, *b, [&](const FieldSet::Entry& x, const FieldSet::Entry* y) {
    out.Add(x.element, x.member && !(y && y->member),
            y ? Difference(x.children, y->children, arena) : x.children);
  });
  return out.Finish();
}

const FieldSet* RecursiveDifference(const FieldSet* a, const FieldSet* b, Arena& arena) {
  if (!a || !b) return a;
  FieldSetBuilder out(arena);
  Match(*a, *b, [&](const FieldSet::Entry& x, const FieldSet::Entry* y) {
    if (y && y->member) return;
    out.Add(x.element, x.member, y ? RecursiveDifference(x.children, y->children, arena) : x.children);
  });
  return out.Finish();
}

bool Equal(const FieldSet* a, const FieldSet* b) {
  if (a == b) return true;
  if (!a || !b || a->size != b->size) return false;
  for (uint32_t i = 0; i < a->size; ++i) {
    const FieldSet::Entry &x = a->data[i], &y = b->data[i];
    if (x.member != y.member || Compare(x.element, y.element) != 0 || !Equal(x.children, y.children))
      return false;
  }
  return true;
}

const FieldSet* FieldSetBuilder::Finish() {
  if (size_ == 0) return nullptr;
  auto* entries = arena_.NewArray<FieldSet::Entry>(size_);
  size_t i = 0;
  for (const Link* link = first_; link; link = link->next) entries[i++] = link->entry;
  FieldSet* set = arena_.NewArray<FieldSet>(1);
  *set = {entries, size_};
  return set;
}

}  // namespace keelson::api::managed_fields
