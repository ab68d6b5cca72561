// From one type to another, and the type of a value.
#include "cel/functions/conversions.h"

#include <cmath>

#include "api/codec/time_format.h"
#include "base/go_duration.h"
#include "base/utf8.h"
#include "cel/functions/functions.h"
#include "cel/numbers.h"
#include "cel/times.h"

namespace keelson::cel {
namespace {

Value CannotConvert(const Value& value, const TypeRef& wanted) {
  return Value::Error("type conversion error from '" + TypeOf(value)->name() + "' to '" + wanted->name() +
                      "'");
}

Value ToBool(const Value& v) {
  if (v.is(ValueKind::kBool)) return v;
  if (v.is(ValueKind::kString))
    if (const auto parsed = ParseBool(v.text())) return Value::Bool(*parsed);
  return CannotConvert(v, types::Bool());
}

Value ToBytes(const Value& v) {
  if (v.is(ValueKind::kBytes)) return v;
  return v.is(ValueKind::kString) ? Value::Bytes(std::string(v.text())) : CannotConvert(v, types::Bytes());
}

Value Identity(Args args) { return args[0]; }
template <Value (*convert)(const Value&)>
Value One(Args args) {
  return convert(args[0]);
}

Value TypeFunction(Args args) { return Value::OfType(TypeOf(args[0])); }

}  // namespace

Value ToInt(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kInt: return v;
    case ValueKind::kDuration:
    case ValueKind::kTimestamp: return Value::Int(v.integer());
    case ValueKind::kUint:
      return v.unsigned_integer() > INT64_MAX ? Value::Error("integer overflow") : Value::Int(v.integer());
    case ValueKind::kDouble:
      if (!std::isfinite(v.real()) || v.real() <= -9223372036854775808.0 || v.real() >= 9223372036854775808.0)
        return Value::Error("integer overflow");
      return Value::Int(static_cast<int64_t>(v.real()));
    case ValueKind::kString:
      if (const auto parsed = ParseInt(v.text())) return Value::Int(*parsed);
      [[fallthrough]];
    default: return CannotConvert(v, types::Int());
  }
}

Value ToUint(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kUint: return v;
    case ValueKind::kInt:
      return v.integer() < 0 ? Value::Error("unsigned integer overflow") : Value::Uint(v.unsigned_integer());
    case ValueKind::kDouble:
      if (!std::isfinite(v.real()) || v.real() < 0 || v.real() >= 18446744073709551616.0)
        return Value::Error("unsigned integer overflow");
      return Value::Uint(static_cast<uint64_t>(v.real()));
    case ValueKind::kString:
      if (const auto parsed = ParseUint(v.text())) return Value::Uint(*parsed);
      [[fallthrough]];
    default: return CannotConvert(v, types::Uint());
  }
}

Value ToDouble(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kDouble: return v;
    case ValueKind::kInt: return Value::Double(static_cast<double>(v.integer()));
    case ValueKind::kUint: return Value::Double(static_cast<double>(v.unsigned_integer()));
    case ValueKind::kString:
      if (const auto parsed = ParseFloat(v.text())) return Value::Double(*parsed);
      [[fallthrough]];
    default: return CannotConvert(v, types::Double());
  }
}

Value ToString(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kString: return v;
    case ValueKind::kBool: return Value::Borrowed(v.boolean() ? "true" : "false");
    case ValueKind::kInt: return Value::String(std::to_string(v.integer()));
    case ValueKind::kUint: return Value::String(std::to_string(v.unsigned_integer()));
    case ValueKind::kDouble: return Value::String(FormatG(v.real()));
    case ValueKind::kBytes:
      if (!base::IsValidUtf8(v.text()))
        return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
      return Value::String(std::string(v.text()));
    case ValueKind::kDuration: return Value::String(FormatDurationSeconds(v.integer()));
    case ValueKind::kTimestamp: return Value::String(FormatTimestamp(v.integer(), v.nanos()));
    case ValueKind::kType: return Value::String(v.type_value()->name());
    default: return CannotConvert(v, types::String());
  }
}

Value ToDuration(const Value& v) {
  if (v.is(ValueKind::kDuration)) return v;
  if (v.is(ValueKind::kInt)) return Value::Duration(v.integer());
  if (v.is(ValueKind::kString))
    if (const auto parsed = base::ParseGoDuration(v.text())) return Value::Duration(parsed->count());
  return CannotConvert(v, types::Duration());
}

Value ToTimestamp(const Value& v) {
  const auto bounded = [](int64_t seconds, int32_t nanos) {
    return seconds < kMinUnixTime || seconds > kMaxUnixTime ? Value::Error("timestamp overflow")
                                                            : Value::Timestamp(seconds, nanos);
  };
  if (v.is(ValueKind::kTimestamp)) return v;
  if (v.is(ValueKind::kInt)) return bounded(v.integer(), 0);
  if (v.is(ValueKind::kString))
    if (const auto parsed = api::ParseTime(v.text())) return bounded(parsed->seconds, parsed->nanos);
  return CannotConvert(v, types::Timestamp());
}

void AddConversions(Library& library) {
  using namespace types;
  const TypeRef a = Parameter("A");
  library.Global("type", "type", {a}, TypeOf(a));
  library.Define("type").singleton = TypeFunction;
  library.Global("dyn", "to_dyn", {a}, Dyn());
  library.Define("dyn").singleton = Identity;

  library.Global("bool", "bool_to_bool", {Bool()}, Bool(), Identity);
  library.Global("bool", "string_to_bool", {String()}, Bool(), One<ToBool>);
  library.Global("bytes", "bytes_to_bytes", {Bytes()}, Bytes(), Identity);
  library.Global("bytes", "string_to_bytes", {String()}, Bytes(), One<ToBytes>);
  library.Global("double", "double_to_double", {Double()}, Double(), Identity);
  library.Global("double", "int64_to_double", {Int()}, Double(), One<ToDouble>);
  library.Global("double", "string_to_double", {String()}, Double(), One<ToDouble>);
  library.Global("double", "uint64_to_double", {Uint()}, Double(), One<ToDouble>);
  library.Global("duration", "duration_to_duration", {Duration()}, Duration(), Identity);
  library.Global("duration", "int64_to_duration", {Int()}, Duration(), One<ToDuration>);
  library.Global("duration", "string_to_duration", {String()}, Duration(), One<ToDuration>);
  library.Global("int", "int64_to_int64", {Int()}, Int(), Identity);
  library.Global("int", "double_to_int64", {Double()}, Int(), One<ToInt>);
  library.Global("int", "duration_to_int64", {Duration()}, Int(), One<ToInt>);
  library.Global("int", "string_to_int64", {String()}, Int(), One<ToInt>);
  library.Global("int", "timestamp_to_int64", {Timestamp()}, Int(), One<ToInt>);
  library.Global("int", "uint64_to_int64", {Uint()}, Int(), One<ToInt>);
  library.Global("string", "string_to_string", {String()}, String(), Identity);
  library.Global("string", "bool_to_string", {Bool()}, String(), One<ToString>);
  library.Global("string", "bytes_to_string", {Bytes()}, String(), One<ToString>);
  library.Global("string", "double_to_string", {Double()}, String(), One<ToString>);
  library.Global("string", "duration_to_string", {Duration()}, String(), One<ToString>);
  library.Global("string", "int64_to_string", {Int()}, String(), One<ToString>);
  library.Global("string", "timestamp_to_string", {Timestamp()}, String(), One<ToString>);
  library.Global("string", "uint64_to_string", {Uint()}, String(), One<ToString>);
  library.Global("timestamp", "timestamp_to_timestamp", {Timestamp()}, Timestamp(), Identity);
  library.Global("timestamp", "int64_to_timestamp", {Int()}, Timestamp(), One<ToTimestamp>);
  library.Global("timestamp", "string_to_timestamp", {String()}, Timestamp(), One<ToTimestamp>);
  library.Global("uint", "uint64_to_uint64", {Uint()}, Uint(), Identity);
  library.Global("uint", "double_to_uint64", {Double()}, Uint(), One<ToUint>);
  library.Global("uint", "int64_to_uint64", {Int()}, Uint(), One<ToUint>);
  library.Global("uint", "string_to_uint64", {String()}, Uint(), One<ToUint>);
}

}  // namespace keelson::cel
