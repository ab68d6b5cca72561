#include "base/trace_context.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "base/ascii.h"

namespace keelson::base {
namespace {

constexpr int kNewestVersion = 254;
constexpr size_t kMostStates = 32;
constexpr size_t kMostStateText = 256;  // of a key, and of a value

// Takes the part before the next '-', which must be `out` in lower-case hexadecimal.
bool TakeHex(std::string_view& text, std::span<uint8_t> out) {
  const std::string_view part = text.substr(0, text.find('-'));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  if (part.size() != 2 * out.size()) return false;
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    const bool digit = IsDigit(c);
    if (!digit && !(c >= 'a' && c <= 'f')) return false;
    const auto value = static_cast<uint8_t>(digit ? c - '0' : c - 'a' + 10);
    out[i / 2] = static_cast<uint8_t>(i % 2 == 0 ? value << 4 : out[i / 2] | value);
  }
  return true;
}

bool IsKeyText(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return IsLower(c) || IsDigit(c) || c == '_' || c == '-' || c == '*' || c == '/'; });
}

// "vendor", or "tenant@vendor".
bool IsStateKey(std::string_view key) {
  const size_t at = key.find('@');
  if (at == std::string_view::npos)
    return !key.empty() && key.size() <= kMostStateText && IsLower(key[0]) && IsKeyText(key);
  const std::string_view tenant = key.substr(0, at), vendor = key.substr(at + 1);
  return !tenant.empty() && tenant.size() <= 241 && (IsLower(tenant[0]) || IsDigit(tenant[0])) &&
         IsKeyText(tenant) && !vendor.empty() && vendor.size() <= 14 && IsLower(vendor[0]) &&
         IsKeyText(vendor);
}

bool IsStateValue(std::string_view value) {
  return !value.empty() && value.size() <= kMostStateText && value.back() != ' ' &&
         std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '='; });
}

// The members of a tracestate field, joined by commas; empty: it is malformed.
std::string Cleaned(std::string_view state) {
  std::vector<std::string_view> keys;
  std::string clean;
  while (!state.empty()) {
    const std::string_view member = state.substr(0, state.find(','));
    state.remove_prefix(std::min(state.size(), member.size() + 1));
    const std::string_view trimmed = Trimmed(member);
    if (trimmed.empty()) continue;
    const size_t equals = trimmed.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view key = trimmed.substr(0, equals);
    if (!IsStateKey(key) || !IsStateValue(trimmed.substr(equals + 1)) || keys.size() == kMostStates ||
        std::ranges::find(keys, key) != keys.end())
      return {};
    keys.push_back(key);
    clean.append(clean.empty() ? "" : ",").append(trimmed);
  }
  return clean;
}

void AppendHex(std::span<const uint8_t> bytes, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const uint8_t byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0xF];
  }
}

uint64_t Random() {
  static thread_local std::mt19937_64 generator([] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }());
  uint64_t number = generator();
  while (number == 0) number = generator();
  return number;
}

}  // namespace

SpanContext ParseTraceParent(std::string_view parent, std::string_view state) {
  SpanContext context;
  std::array<uint8_t, 1> version{}, flags{};
  if (!TakeHex(parent, version) || version[0] > kNewestVersion || !TakeHex(parent, context.trace_id) ||
      !TakeHex(parent, context.span_id) || !TakeHex(parent, flags))
    return {};
  // Later versions may say more; the first may not.
  if (version[0] == 0 && (!parent.empty() || flags[0] > 2)) return {};
  if (!context.valid()) return {};
  context.sampled = (flags[0] & 1) != 0;
  context.remote = true;
  context.trace_state = Cleaned(state);
  return context;
}

std::string TraceParent(const SpanContext& context) {
  std::string text = "00-";
  text.reserve(55);
  AppendHex(context.trace_id, text);
  text += '-';
  AppendHex(context.span_id, text);
  return text += context.sampled ? "-01" : "-00";
}

TraceId NewTraceId() {
  const uint64_t halves[2] = {Random(), Random()};
  TraceId id;
  std::memcpy(id.data(), halves, sizeof(halves));
  return id;
}

SpanId NewSpanId() {
  const uint64_t number = Random();
  SpanId id;
  std::memcpy(id.data(), &number, sizeof(number));
  return id;
}

}  // namespace keelson::base
