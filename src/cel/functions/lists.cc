// Lists: Kubernetes' sum, min, max and the like, and the language's extension.
#include <algorithm>
#include <numeric>

#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

Value IsSorted(Args args) {
  const List& list = args[0].list();
  for (size_t i = 0; i < list.size(); ++i) {
    const Value now = list.At(i);
    if (!IsOrdered(now)) return NoSuchOverload(now);
    if (i == 0) continue;
    const Value order = Compare(list.At(i - 1), now);
    if (order.is(ValueKind::kInt) && order.integer() > 0) return Value::Bool(false);
  }
  return Value::Bool(true);
}

template <ValueKind kind>
Value Sum(Args args) {
  const List& list = args[0].list();
  int64_t whole = 0;
  uint64_t positive = 0;
  double real = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const Value item = list.At(i);
    if (!item.is(kind)) return NoSuchOverload(item);
    if (kind == ValueKind::kDouble) {
      real += item.real();
    } else if (kind == ValueKind::kUint) {
      if (__builtin_add_overflow(positive, item.unsigned_integer(), &positive))
        return Value::Error("unsigned integer overflow");
    } else if (__builtin_add_overflow(whole, item.integer(), &whole)) {
      return Value::Error(kind == ValueKind::kDuration ? "duration overflow" : "integer overflow");
    }
  }
  switch (kind) {
    case ValueKind::kDouble: return Value::Double(real);
    case ValueKind::kUint: return Value::Uint(positive);
    case ValueKind::kDuration: return Value::Duration(whole);
    default: return Value::Int(whole);
  }
}

// The first of the greatest (sign -1) or the least (sign 1).
template <int sign>
Value Extreme(Args args) {
  const List& list = args[0].list();
  if (list.size() == 0) return Value::Error(std::string(sign > 0 ? "min" : "max") + " called on empty list");
  Value best = list.At(0);
  if (!IsOrdered(best)) return NoSuchOverload(best);
  for (size_t i = 1; i < list.size(); ++i) {
    const Value next = list.At(i);
    if (!IsOrdered(next)) return NoSuchOverload(next);
    const Value order = Compare(best, next);
    if (order.is(ValueKind::kInt) && order.integer() == sign) best = next;
  }
  return best;
}

Value IndexInList(Args args) {
  const List& list = args[0].list();
  for (size_t i = 0; i < list.size(); ++i)
    if (IsEqual(list.At(i), args[1])) return Value::Int(static_cast<int64_t>(i));
  return Value::Int(-1);
}

Value LastIndexInList(Args args) {
  const List& list = args[0].list();
  for (size_t i = list.size(); i-- > 0;)
    if (IsEqual(list.At(i), args[1])) return Value::Int(static_cast<int64_t>(i));
  return Value::Int(-1);
}

Value Slice(Args args) {
  const List& list = args[0].list();
  const int64_t start = args[1].integer(), end = args[2].integer(), size = static_cast<int64_t>(list.size());
  const auto fail = [&](const std::string& why) {
    return Value::Error("cannot slice(" + std::to_string(start) + ", " + std::to_string(end) + "), " + why);
  };
  if (start < 0 || end < 0) return fail("negative indexes not supported");
  if (start > end) return fail("start index must be less than or equal to end index");
  if (size < end) return fail("list is length " + std::to_string(size));
  std::vector<Value> items;
  for (int64_t i = start; i < end; ++i) items.push_back(list.At(static_cast<size_t>(i)));
  return Value::ListOf(std::move(items));
}

void FlattenInto(const List& list, int64_t depth, std::vector<Value>& out) {
  for (size_t i = 0; i < list.size(); ++i) {
    Value item = list.At(i);
    if (item.is(ValueKind::kList) && depth > 0) {
      FlattenInto(item.list(), depth - 1, out);
    } else {
      out.push_back(std::move(item));
    }
  }
}

Value Flatten(Args args) {
  if (!args[0].is(ValueKind::kList) || (args.size() == 2 && !args[1].is(ValueKind::kInt))) {
    std::string call = args.size() == 2 ? ".flatten(" + TypeOf(args[1])->name() + ")" : ".flatten()";
    return Value::Error("no such overload: " + TypeOf(args[0])->name() + call);
  }
  const int64_t depth = args.size() == 2 ? args[1].integer() : 1;
  if (depth < 0) return Value::Error("level must be non-negative");
  std::vector<Value> items;
  FlattenInto(args[0].list(), depth, items);
  return Value::ListOf(std::move(items));
}

Value SortBy(const Value& list, const Value& keys) {
  const size_t size = list.list().size();
  if (size != keys.list().size())
    return Value::Error(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got " +
        std::to_string(size) + " and " + std::to_string(keys.list().size()) + " elements respectively");
  if (size == 0) return list;
  std::vector<Value> by;
  for (size_t i = 0; i < size; ++i) by.push_back(keys.list().At(i));
  if (!IsOrdered(by[0])) return Value::Error("list elements must be comparable");
  for (const Value& key : by)
    if (key.kind() != by[0].kind()) return Value::Error("list elements must have the same type");
  std::vector<size_t> order(size);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const Value compared = Compare(by[a], by[b]);
    return compared.is(ValueKind::kInt) && compared.integer() < 0;
  });
  std::vector<Value> sorted;
  for (const size_t i : order) sorted.push_back(list.list().At(i));
  return Value::ListOf(std::move(sorted));
}

Value Sort(Args args) { return SortBy(args[0], args[0]); }
Value SortByKeys(Args args) { return SortBy(args[0], args[1]); }

Value ListOfRange(Args args) {
  std::vector<Value> items;
  // The cost of the call is counted after it, so what it may take is bounded here.
  constexpr int64_t kMost = 1'000'000;
  for (int64_t i = 0; i < std::min(args[0].integer(), kMost + 1); ++i) items.push_back(Value::Int(i));
  return Value::ListOf(std::move(items));
}

Value Reverse(Args args) {
  const List& list = args[0].list();
  std::vector<Value> items;
  for (size_t i = list.size(); i-- > 0;) items.push_back(list.At(i));
  return Value::ListOf(std::move(items));
}

Value Distinct(Args args) {
  const List& list = args[0].list();
  std::vector<Value> items;
  for (size_t i = 0; i < list.size(); ++i) {
    Value item = list.At(i);
    if (std::ranges::none_of(items, [&](const Value& seen) { return IsEqual(item, seen); }))
      items.push_back(std::move(item));
  }
  return Value::ListOf(std::move(items));
}

struct NamedType {
  const char* name;
  const TypeRef& type;
};

std::vector<NamedType> Comparables() {
  using namespace types;
  return {{"int", Int()},           {"uint", Uint()},           {"double", Double()}, {"bool", Bool()},
          {"duration", Duration()}, {"timestamp", Timestamp()}, {"string", String()}, {"bytes", Bytes()}};
}

}  // namespace

void AddLists(Library& library) {
  using namespace types;
  for (const auto& [name, type] : Comparables()) {
    const std::string prefix = std::string("list_") + name;
    library.Member("isSorted", prefix + "_is_sorted_bool", {ListOf(type)}, Bool(), IsSorted);
    library.Member("max", prefix + "_max_" + name, {ListOf(type)}, type, Extreme<-1>);
    library.Member("min", prefix + "_min_" + name, {ListOf(type)}, type, Extreme<1>);
  }
  library.Member("sum", "list_int_sum_int", {ListOf(Int())}, Int(), Sum<ValueKind::kInt>);
  library.Member("sum", "list_uint_sum_uint", {ListOf(Uint())}, Uint(), Sum<ValueKind::kUint>);
  library.Member("sum", "list_double_sum_double", {ListOf(Double())}, Double(), Sum<ValueKind::kDouble>);
  library.Member("sum", "list_duration_sum_duration", {ListOf(Duration())}, Duration(),
                 Sum<ValueKind::kDuration>);
  const TypeRef a = Parameter("A");
  library.Member("indexOf", "list_a_index_of_int", {ListOf(a), a}, Int(), IndexInList);
  library.Member("lastIndexOf", "list_a_last_index_of_int", {ListOf(a), a}, Int(), LastIndexInList);
}

void AddExtendedLists(Library& library) {
  using namespace types;
  const TypeRef list = ListOf(Parameter("T"));
  const auto is_list = [](const Value& v) { return v.is(ValueKind::kList); };
  library.Member("slice", "list_slice", {list, Int(), Int()}, list, Slice);
  library.Member("flatten", "list_flatten", {ListOf(list)}, list, Flatten);
  library.Member("flatten", "list_flatten_int", {ListOf(Dyn()), Int()}, ListOf(Dyn()), Flatten);
  library.Define("flatten").guarded = false;
  for (const auto& [name, type] : Comparables()) {
    library.Member("sort", "list_" + type->name() + "_sort", {ListOf(type)}, ListOf(type));
    library.Member("@sortByAssociatedKeys", "list_" + type->name() + "_sortByAssociatedKeys",
                   {list, ListOf(type)}, list);
  }
  library.Define("sort").singleton = Sort;
  library.Define("sort").takes = is_list;
  library.Define("@sortByAssociatedKeys").singleton = SortByKeys;
  library.Define("@sortByAssociatedKeys").takes = is_list;
  library.Global("lists.range", "lists_range", {Int()}, ListOf(Int()), ListOfRange);
  library.Member("reverse", "list_reverse", {list}, list, Reverse);
  library.Member("distinct", "list_distinct", {list}, list, Distinct);
}

}  // namespace keelson::cel
