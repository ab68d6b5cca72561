// Values that may be there or not. `or` and `orValue` do not evaluate what they need not, so
// programs have their own nodes for them.
#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

Value Of(Args args) { return Value::OptionalOf(args[0]); }

bool IsZero(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kNull: return true;
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDuration: return v.integer() == 0;
    case ValueKind::kDouble: return v.real() == 0;
    case ValueKind::kString:
    case ValueKind::kBytes: return v.text().empty();
    case ValueKind::kList: return v.list().size() == 0;
    case ValueKind::kMap: return v.map().size() == 0;
    default: return false;
  }
}

Value OfNonZero(Args args) { return IsZero(args[0]) ? Value::None() : Value::OptionalOf(args[0]); }
Value NoValue(Args) { return Value::None(); }
Value GetValue(Args args) {
  return args[0].has_value() ? args[0].inner() : Value::Error("optional.none() dereference");
}
Value HasValue(Args args) { return Value::Bool(args[0].has_value()); }

template <bool last>
Value End(Args args) {
  const List& list = args[0].list();
  if (list.size() == 0) return Value::None();
  return Value::OptionalOf(list.At(last ? list.size() - 1 : 0));
}

Value Unwrap(Args args) {
  std::vector<Value> items;
  for (size_t i = 0; i < args[0].list().size(); ++i) {
    const Value item = args[0].list().At(i);
    if (!item.is(ValueKind::kOptional)) return Value::Error("value " + ToText(item) + " is not optional");
    if (item.has_value()) items.push_back(item.inner());
  }
  return Value::ListOf(std::move(items));
}

}  // namespace

void AddOptionals(Library& library) {
  using namespace types;
  const TypeRef v = Parameter("V"), k = Parameter("K"), optional = Optional(v), list = ListOf(v),
                map = MapOf(k, v);
  library.Global("optional.of", "optional_of", {v}, optional, Of);
  library.Global("optional.ofNonZeroValue", "optional_ofNonZeroValue", {v}, optional, OfNonZero);
  library.Global("optional.none", "optional_none", {}, optional, NoValue);
  library.Member("value", "optional_value", {optional}, v, GetValue);
  library.Member("hasValue", "optional_hasValue", {optional}, Bool(), HasValue);
  library.Member("or", "optional_or_optional", {optional, optional}, optional);
  library.Member("orValue", "optional_orValue_value", {optional, v}, v);
  library.Global("_?._", "select_optional_field", {Dyn(), String()}, optional);
  library.Global("_[?_]", "list_optindex_optional_int", {list, Int()}, optional);
  library.Global("_[?_]", "optional_list_optindex_optional_int", {Optional(list), Int()}, optional);
  library.Global("_[?_]", "map_optindex_optional_value", {map, k}, optional);
  library.Global("_[?_]", "optional_map_optindex_optional_value", {Optional(map), k}, optional);
  library.Global("_[_]", "optional_list_index_int", {Optional(list), Int()}, optional);
  library.Global("_[_]", "optional_map_index_value", {Optional(map), k}, optional);
  library.Member("last", "list_last", {list}, optional, End<true>);
  library.Member("first", "list_first", {list}, optional, End<false>);
  library.Global("optional.unwrap", "optional_unwrap", {ListOf(optional)}, list, Unwrap);
  library.Member("unwrapOpt", "optional_unwrapOpt", {ListOf(optional)}, list, Unwrap);
}

}  // namespace keelson::cel
