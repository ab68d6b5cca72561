#include "api/validation/int_or_percent.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "api/validation/names.h"

namespace keelson::api {
namespace {

int64_t NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

std::optional<int64_t> PercentOf(const Value& value) {
  if (!value.is(Value::Tag::kString) || !IsPercent(value.string()).empty()) return std::nullopt;
  return NumberIn(value.string().substr(0, value.string().size() - 1));
}

}  // namespace

std::string RenderIntOrString(const Value& value) {
  return value.is(Value::Tag::kString) ? field::RenderValue(value.string())
                                       : field::RenderValue(value.integer());
}

void CheckIntOrPercent(const Value& value, const field::Path& path, field::ErrorList& errors) {
  if (value.is(Value::Tag::kString)) {
    errors.AddInvalid(path, value.string(), IsPercent(value.string()));
  } else if (value.integer() < 0) {
    errors.Add(field::Invalid(path, RenderIntOrString(value), kMustBeNonNegative));
  }
}

void CheckAtMost100Percent(const Value& value, const field::Path& path, field::ErrorList& errors) {
  const auto percent = PercentOf(value);
  if (percent && *percent > 100)
    errors.Add(field::Invalid(path, RenderIntOrString(value), "must not be greater than 100%"));
}

int64_t IntOrPercentValue(const Value& value) {
  if (!value.is(Value::Tag::kString)) return value.integer();
  return PercentOf(value).value_or(NumberIn(value.string()));
}

}  // namespace keelson::api
