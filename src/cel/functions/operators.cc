// Arithmetic, comparison, membership and size.
#include <cmath>

#include "base/utf8.h"
#include "cel/functions/functions.h"
#include "cel/times.h"

namespace keelson::cel {
namespace {

using namespace types;

Value Overflow(const Value& of) {
  switch (of.kind()) {
    case ValueKind::kUint: return Value::Error("unsigned integer overflow");
    case ValueKind::kDuration: return Value::Error("duration overflow");
    case ValueKind::kTimestamp: return Value::Error("timestamp overflow");
    default: return Value::Error("integer overflow");
  }
}

// A list that others grow out of: they share the items, and each knows how many are its own.
class GrowingList final : public List {
 public:
  using Items = std::shared_ptr<std::vector<Value>>;
  explicit GrowingList(Items items) : items_(std::move(items)), size_(items_->size()) {}
  size_t size() const override { return size_; }
  Value At(size_t i) const override { return (*items_)[i]; }

  // The items, if nothing grew out of this one yet.
  Items Open() const { return items_->size() == size_ ? items_ : nullptr; }

 private:
  Items items_;
  size_t size_;
};

// What comprehensions do at every step, so the left list is copied only once.
Value JoinLists(const Value& a, const Value& b) {
  if (auto own = a.list().Plus(b.list())) return *std::move(own);
  GrowingList::Items items;
  if (const auto* growing = dynamic_cast<const GrowingList*>(&a.list())) items = growing->Open();
  if (!items) {
    items = std::make_shared<std::vector<Value>>();
    items->reserve(a.list().size() + b.list().size());
    for (size_t i = 0; i < a.list().size(); ++i) items->push_back(a.list().At(i));
  }
  for (size_t i = 0, n = b.list().size(); i < n; ++i) items->push_back(b.list().At(i));
  return Value::Of(std::make_shared<const GrowingList>(std::move(items)));
}

// `nanos` later than a timestamp.
Value Shift(const Value& time, int64_t nanos) {
  int64_t seconds = time.integer() + nanos / 1'000'000'000;
  int64_t rest = time.nanos() + nanos % 1'000'000'000;
  if (rest < 0) {
    rest += 1'000'000'000;
    --seconds;
  } else if (rest >= 1'000'000'000) {
    rest -= 1'000'000'000;
    ++seconds;
  }
  if (seconds < kMinUnixTime || seconds > kMaxUnixTime) return Overflow(time);
  return Value::Timestamp(seconds, static_cast<int32_t>(rest));
}

Value Add(Args args) {
  const Value &a = args[0], &b = args[1];
  if (a.is(ValueKind::kDuration) && b.is(ValueKind::kTimestamp)) return Shift(b, a.integer());
  if (a.is(ValueKind::kTimestamp) && b.is(ValueKind::kDuration)) return Shift(a, b.integer());
  if (a.kind() != b.kind() || a.is(ValueKind::kTimestamp)) return NoSuchOverload(b);
  int64_t sum = 0;
  uint64_t unsigned_sum = 0;
  switch (a.kind()) {
    case ValueKind::kInt:
      return __builtin_add_overflow(a.integer(), b.integer(), &sum) ? Overflow(a) : Value::Int(sum);
    case ValueKind::kDuration:
      return __builtin_add_overflow(a.integer(), b.integer(), &sum) ? Overflow(a) : Value::Duration(sum);
    case ValueKind::kUint:
      return __builtin_add_overflow(a.unsigned_integer(), b.unsigned_integer(), &unsigned_sum)
                 ? Overflow(a)
                 : Value::Uint(unsigned_sum);
    case ValueKind::kDouble: return Value::Double(a.real() + b.real());
    case ValueKind::kString: return Value::String(std::string(a.text()).append(b.text()));
    case ValueKind::kBytes: return Value::Bytes(std::string(a.text()).append(b.text()));
    case ValueKind::kList: return JoinLists(a, b);
    default: return NoSuchOverload(b);
  }
}

Value Subtract(Args args) {
  const Value &a = args[0], &b = args[1];
  int64_t difference = 0;
  if (a.is(ValueKind::kTimestamp) && b.is(ValueKind::kDuration)) {
    if (__builtin_sub_overflow(int64_t{0}, b.integer(), &difference)) return Overflow(b);
    return Shift(a, difference);
  }
  if (a.kind() != b.kind()) return NoSuchOverload(b);
  uint64_t unsigned_difference = 0;
  switch (a.kind()) {
    case ValueKind::kInt:
      return __builtin_sub_overflow(a.integer(), b.integer(), &difference) ? Overflow(a)
                                                                           : Value::Int(difference);
    case ValueKind::kDuration:
      return __builtin_sub_overflow(a.integer(), b.integer(), &difference) ? Overflow(a)
                                                                           : Value::Duration(difference);
    case ValueKind::kUint:
      return __builtin_sub_overflow(a.unsigned_integer(), b.unsigned_integer(), &unsigned_difference)
                 ? Overflow(a)
                 : Value::Uint(unsigned_difference);
    case ValueKind::kDouble: return Value::Double(a.real() - b.real());
    case ValueKind::kTimestamp: {
      if (__builtin_mul_overflow(a.integer() - b.integer(), int64_t{1'000'000'000}, &difference) ||
          __builtin_add_overflow(difference, int64_t{a.nanos()} - b.nanos(), &difference))
        return Value::Error("duration overflow");
      return Value::Duration(difference);
    }
    default: return NoSuchOverload(b);
  }
}

Value Multiply(Args args) {
  const Value &a = args[0], &b = args[1];
  if (a.kind() != b.kind()) return NoSuchOverload(b);
  int64_t product = 0;
  uint64_t unsigned_product = 0;
  switch (a.kind()) {
    case ValueKind::kInt:
      return __builtin_mul_overflow(a.integer(), b.integer(), &product) ? Overflow(a) : Value::Int(product);
    case ValueKind::kUint:
      return __builtin_mul_overflow(a.unsigned_integer(), b.unsigned_integer(), &unsigned_product)
                 ? Overflow(a)
                 : Value::Uint(unsigned_product);
    case ValueKind::kDouble: return Value::Double(a.real() * b.real());
    default: return NoSuchOverload(b);
  }
}

Value Divide(Args args) {
  const Value &a = args[0], &b = args[1];
  if (a.kind() != b.kind()) return NoSuchOverload(b);
  switch (a.kind()) {
    case ValueKind::kInt:
      if (b.integer() == 0) return Value::Error("division by zero");
      if (a.integer() == INT64_MIN && b.integer() == -1) return Overflow(a);
      return Value::Int(a.integer() / b.integer());
    case ValueKind::kUint:
      if (b.unsigned_integer() == 0) return Value::Error("division by zero");
      return Value::Uint(a.unsigned_integer() / b.unsigned_integer());
    case ValueKind::kDouble: return Value::Double(a.real() / b.real());
    default: return NoSuchOverload(b);
  }
}

Value Modulo(Args args) {
  const Value &a = args[0], &b = args[1];
  if (a.kind() != b.kind()) return NoSuchOverload(b);
  if (b.integer() == 0) return Value::Error("modulus by zero");
  if (a.is(ValueKind::kUint)) return Value::Uint(a.unsigned_integer() % b.unsigned_integer());
  if (a.integer() == INT64_MIN && b.integer() == -1) return Overflow(a);
  return Value::Int(a.integer() % b.integer());
}

Value Negate(Args args) {
  const Value& v = args[0];
  if (v.is(ValueKind::kDouble)) return Value::Double(-v.real());
  if (v.integer() == INT64_MIN) return Overflow(v);
  return v.is(ValueKind::kDuration) ? Value::Duration(-v.integer()) : Value::Int(-v.integer());
}

template <auto holds>
Value Ordered(Args args) {
  const Value order = Compare(args[0], args[1]);
  return order.is_error() ? order : Value::Bool(holds(order.integer()));
}

Value In(Args args) {
  const Value &item = args[0], &all = args[1];
  if (all.is(ValueKind::kMap)) return Value::Bool(all.map().Find(item).has_value());
  if (!all.is(ValueKind::kList)) return NoSuchOverload(all);
  for (size_t i = 0; i < all.list().size(); ++i)
    if (IsEqual(all.list().At(i), item)) return Value::Bool(true);
  return Value::Bool(false);
}

Value Size(Args args) {
  const Value& v = args[0];
  switch (v.kind()) {
    case ValueKind::kString: return Value::Int(static_cast<int64_t>(base::CountRunes(v.text())));
    case ValueKind::kBytes: return Value::Int(static_cast<int64_t>(v.text().size()));
    case ValueKind::kList: return Value::Int(static_cast<int64_t>(v.list().size()));
    default: return Value::Int(static_cast<int64_t>(v.map().size()));
  }
}

Value NotStrictlyFalse(Args args) { return args[0].is(ValueKind::kBool) ? args[0] : Value::Bool(true); }

Value Not(Args args) {
  return args[0].is(ValueKind::kBool) ? Value::Bool(!args[0].boolean()) : NoSuchOverload(args[0]);
}

// Which values have an operator at all.
bool Adds(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kList:
    case ValueKind::kDuration:
    case ValueKind::kTimestamp: return true;
    default: return false;
  }
}
bool Subtracts(const Value& v) {
  return v.is(ValueKind::kInt) || v.is(ValueKind::kUint) || v.is(ValueKind::kDouble) ||
         v.is(ValueKind::kDuration) || v.is(ValueKind::kTimestamp);
}
bool IsWhole(const Value& v) { return v.is(ValueKind::kInt) || v.is(ValueKind::kUint); }
bool Negates(const Value& v) {
  return v.is(ValueKind::kInt) || v.is(ValueKind::kDouble) || v.is(ValueKind::kDuration);
}
bool HasSize(const Value& v) {
  return v.is(ValueKind::kString) || v.is(ValueKind::kBytes) || v.is(ValueKind::kList) ||
         v.is(ValueKind::kMap);
}

void Singleton(Library& library, std::string_view name, Implementation call, bool (*takes)(const Value&)) {
  Function& function = library.Define(name);
  function.singleton = call;
  function.takes = takes;
}

void AddArithmetic(Library& library) {
  const TypeRef list = ListOf(Parameter("A"));
  const auto both = [&](std::string_view name, std::string id, const TypeRef& type) {
    library.Global(name, std::move(id), {type, type}, type);
  };
  both("_+_", "add_bytes", Bytes());
  both("_+_", "add_double", Double());
  both("_+_", "add_duration_duration", Duration());
  library.Global("_+_", "add_duration_timestamp", {Duration(), Timestamp()}, Timestamp());
  library.Global("_+_", "add_timestamp_duration", {Timestamp(), Duration()}, Timestamp());
  both("_+_", "add_int64", Int());
  both("_+_", "add_list", list);
  both("_+_", "add_string", String());
  both("_+_", "add_uint64", Uint());
  Singleton(library, "_+_", Add, Adds);

  both("_-_", "subtract_double", Double());
  both("_-_", "subtract_duration_duration", Duration());
  both("_-_", "subtract_int64", Int());
  library.Global("_-_", "subtract_timestamp_duration", {Timestamp(), Duration()}, Timestamp());
  library.Global("_-_", "subtract_timestamp_timestamp", {Timestamp(), Timestamp()}, Duration());
  both("_-_", "subtract_uint64", Uint());
  Singleton(library, "_-_", Subtract, Subtracts);

  for (const bool divide : {true, false}) {
    const std::string_view name = divide ? "_/_" : "_*_";
    const std::string id = divide ? "divide_" : "multiply_";
    both(name, id + "double", Double());
    both(name, id + "int64", Int());
    both(name, id + "uint64", Uint());
    Singleton(library, name, divide ? Divide : Multiply, IsNumber);
  }
  both("_%_", "modulo_int64", Int());
  both("_%_", "modulo_uint64", Uint());
  Singleton(library, "_%_", Modulo, IsWhole);
  library.Global("-_", "negate_double", {Double()}, Double());
  library.Global("-_", "negate_int64", {Int()}, Int());
  Singleton(library, "-_", Negate, Negates);
}

void AddComparison(Library& library, std::string_view name, const std::string& id, Implementation call) {
  const auto one = [&](const char* suffix, const TypeRef& a, const TypeRef& b) {
    library.Global(name, id + suffix, {a, b}, Bool());
  };
  one("_bool", Bool(), Bool());
  one("_int64", Int(), Int());
  one("_int64_double", Int(), Double());
  one("_int64_uint64", Int(), Uint());
  one("_uint64", Uint(), Uint());
  one("_uint64_double", Uint(), Double());
  one("_uint64_int64", Uint(), Int());
  one("_double", Double(), Double());
  one("_double_int64", Double(), Int());
  one("_double_uint64", Double(), Uint());
  one("_string", String(), String());
  one("_bytes", Bytes(), Bytes());
  one("_timestamp", Timestamp(), Timestamp());
  one("_duration", Duration(), Duration());
  Singleton(library, name, call, IsOrdered);
}

void AddSize(Library& library) {
  const TypeRef list = ListOf(Parameter("A")), map = MapOf(Parameter("A"), Parameter("B"));
  for (const auto& [name, type] :
       {std::pair{"bytes", Bytes()}, {"list", list}, {"map", map}, {"string", String()}}) {
    library.Global("size", std::string("size_") + name, {type}, Int());
    library.Member("size", std::string(name) + "_size", {type}, Int());
  }
  Singleton(library, "size", Size, HasSize);
}

}  // namespace

void AddOperators(Library& library) {
  const TypeRef a = Parameter("A"), list = ListOf(a), map = MapOf(a, Parameter("B"));
  library.Global("_?_:_", "conditional", {Bool(), a, a}, a);
  library.Global("_&&_", "logical_and", {Bool(), Bool()}, Bool());
  library.Global("_||_", "logical_or", {Bool(), Bool()}, Bool());
  library.Global("!_", "logical_not", {Bool()}, Bool());
  Singleton(library, "!_", Not, nullptr);
  library.Global("@not_strictly_false", "not_strictly_false", {Bool()}, Bool(), NotStrictlyFalse);
  library.Define("@not_strictly_false").non_strict = true;
  library.Define("@not_strictly_false").guarded = false;
  library.Global("_==_", "equals", {a, a}, Bool());
  library.Global("_!=_", "not_equals", {a, a}, Bool());
  AddArithmetic(library);
  AddComparison(library, "_<_", "less", Ordered<[](int64_t order) { return order < 0; }>);
  AddComparison(library, "_<=_", "less_equals", Ordered<[](int64_t order) { return order <= 0; }>);
  AddComparison(library, "_>_", "greater", Ordered<[](int64_t order) { return (order > 0); }>);
  AddComparison(library, "_>=_", "greater_equals", Ordered<[](int64_t order) { return (order >= 0); }>);
  library.Global("_[_]", "index_list", {list, Int()}, a);
  library.Global("_[_]", "index_map", {map, a}, Parameter("B"));
  library.Global("@in", "in_list", {a, list}, Bool());
  library.Global("@in", "in_map", {a, map}, Bool());
  Singleton(library, "@in", In, nullptr);
  AddSize(library);
}

}  // namespace keelson::cel
