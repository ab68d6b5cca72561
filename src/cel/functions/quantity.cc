// quantity("1Gi"): comparing and adding.
#include "cel/functions/quantity.h"

#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

using api::Quantity;

class QuantityObject final : public Object {
 public:
  explicit QuantityObject(Quantity q) : quantity(std::move(q)) {}
  const TypeRef& type() const override { return QuantityType(); }
  Value Equals(const Object& other) const override {
    const auto* o = dynamic_cast<const QuantityObject*>(&other);
    return o ? Value::Bool(quantity == o->quantity) : NoSuchOverload();
  }
  std::string ToString() const override { return quantity.ToString(); }
  const Quantity quantity;
};

Value MakeQuantity(Args args) {
  auto parsed = Quantity::Parse(args[0].text());
  return parsed ? QuantityValue(std::move(*parsed)) : Value::Error(std::string(parsed.error()));
}
Value IsQuantity(Args args) { return Value::Bool(Quantity::Parse(args[0].text()).has_value()); }

Value Sign(Args args) { return Value::Int(AsQuantity(args[0])->Sign()); }
int OrderOfQuantities(Args args) {
  const int order = AsQuantity(args[0])->Compare(*AsQuantity(args[1]));
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

template <int sign>
Value Sum(Args args) {
  Quantity sum = *AsQuantity(args[0]);
  const Quantity other = args[1].is(Value::Kind::kInt)
                             ? Quantity(args[1].integer(), Quantity::Format::kDecimalExponent)
                             : *AsQuantity(args[1]);
  sign > 0 ? sum.Add(other) : sum.Sub(other);
  return QuantityValue(std::move(sum));
}

Value AsInteger(Args args) {
  const auto value = AsQuantity(args[0])->AsInt64();
  return value ? Value::Int(*value) : Value::Error("cannot convert value to integer");
}

}  // namespace

Value QuantityValue(Quantity quantity) {
  return Value::Of(std::make_shared<const QuantityObject>(std::move(quantity)));
}
const Quantity* AsQuantity(const Value& value) {
  const auto* held = value.As<QuantityObject>();
  return held ? &held->quantity : nullptr;
}

const TypeRef& QuantityType() {
  static const TypeRef type = types::Struct("kubernetes.Quantity");
  return type;
}

void AddQuantity(Library& library) {
  using namespace types;
  const TypeRef& q = QuantityType();
  library.Global("quantity", "string_to_quantity", {String()}, q, MakeQuantity);
  library.Global("isQuantity", "is_quantity_string", {String()}, Bool(), IsQuantity);
  library.Global("sign", "quantity_sign", {q}, Int(), Sign);
  library.Member("isGreaterThan", "quantity_is_greater_than", {q, q}, Bool(),
                 [](Args a) { return Value::Bool(OrderOfQuantities(a) > 0); });
  library.Member("isLessThan", "quantity_is_less_than", {q, q}, Bool(),
                 [](Args a) { return Value::Bool(OrderOfQuantities(a) < 0); });
  library.Member("compareTo", "quantity_compare_to", {q, q}, Int(),
                 [](Args a) { return Value::Int(OrderOfQuantities(a)); });
  library.Member("asApproximateFloat", "quantity_get_float", {q}, Double(),
                 [](Args a) { return Value::Double(AsQuantity(a[0])->AsApproximateFloat()); });
  library.Member("asInteger", "quantity_get_int", {q}, Int(), AsInteger);
  library.Member("isInteger", "quantity_is_integer", {q}, Bool(),
                 [](Args a) { return Value::Bool(AsQuantity(a[0])->AsInt64().has_value()); });
  library.Member("add", "quantity_add", {q, q}, q, Sum<1>);
  library.Member("add", "quantity_add_int", {q, Int()}, q, Sum<1>);
  library.Member("sub", "quantity_sub", {q, q}, q, Sum<-1>);
  library.Member("sub", "quantity_sub_int", {q, Int()}, q, Sum<-1>);
}

}  // namespace keelson::cel
