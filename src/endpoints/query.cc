#include "endpoints/query.h"

#include <charconv>

#include "api/validation/field.h"
#include "base/ascii.h"
#include "net/http/url.h"

namespace keelson::endpoints {
namespace {

using base::HexValue;

}  // namespace

std::string PercentDecode(std::string_view text, bool plus_is_space) {
  const bool plain = text.find('%') == std::string_view::npos &&
                     (!plus_is_space || text.find('+') == std::string_view::npos);
  if (plain) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) {
      out.push_back(' ');
    } else if (c == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 && HexValue(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2])));
      i += 2;
    } else {
      out.push_back(c);
    }
  }
  return out;
}

Query::Query(std::string_view text) {
  while (!text.empty()) {
    size_t end = text.find('&');
    std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (pair.empty()) continue;
    size_t eq = pair.find('=');
    std::string_view value = eq == std::string_view::npos ? std::string_view() : pair.substr(eq + 1);
    values_.emplace_back(PercentDecode(pair.substr(0, eq), true), PercentDecode(value, true));
  }
}

std::optional<std::string_view> Query::Get(std::string_view name) const {
  for (const auto& [key, value] : values_)
    if (key == name) return value;
  return std::nullopt;
}

std::string_view Query::GetOr(std::string_view name, std::string_view otherwise) const {
  return Get(name).value_or(otherwise);
}

std::vector<std::string> Query::All(std::string_view name) const {
  std::vector<std::string> all;
  for (const auto& [key, value] : values_)
    if (key == name) all.push_back(value);
  return all;
}

std::optional<bool> Query::Bool(std::string_view name) const {
  return Get(name).transform(net::http::IsTrue);
}

base::Result<std::optional<int64_t>, std::string> Query::Int(std::string_view name) const {
  auto value = Get(name);
  if (!value) return std::nullopt;
  std::string_view digits = *value;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  int64_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  auto fail = [&](std::string_view why) {
    return base::Err("strconv.ParseInt: parsing " + api::field::RenderValue(*value) + ": " +
                     std::string(why));
  };
  if (error == std::errc::result_out_of_range) return fail("value out of range");
  if (error != std::errc() || end != digits.data() + digits.size()) return fail("invalid syntax");
  return number;
}

}  // namespace keelson::endpoints
