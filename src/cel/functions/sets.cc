// Lists taken as sets.
#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

bool Has(const List& list, const Value& item) {
  for (size_t i = 0; i < list.size(); ++i)
    if (IsEqual(list.At(i), item)) return true;
  return false;
}

bool ContainsAll(const List& list, const List& part) {
  for (size_t i = 0; i < part.size(); ++i)
    if (!Has(list, part.At(i))) return false;
  return true;
}

Value Contains(Args args) { return Value::Bool(ContainsAll(args[0].list(), args[1].list())); }

Value Equivalent(Args args) {
  return Value::Bool(ContainsAll(args[0].list(), args[1].list()) &&
                     ContainsAll(args[1].list(), args[0].list()));
}

Value Intersects(Args args) {
  for (size_t i = 0; i < args[0].list().size(); ++i)
    if (Has(args[1].list(), args[0].list().At(i))) return Value::Bool(true);
  return Value::Bool(false);
}

}  // namespace

void AddSets(Library& library) {
  const TypeRef list = types::ListOf(types::Parameter("T"));
  library.Global("sets.contains", "list_sets_contains_list", {list, list}, types::Bool(), Contains);
  library.Global("sets.equivalent", "list_sets_equivalent_list", {list, list}, types::Bool(), Equivalent);
  library.Global("sets.intersects", "list_sets_intersects_list", {list, list}, types::Bool(), Intersects);
}

}  // namespace keelson::cel
