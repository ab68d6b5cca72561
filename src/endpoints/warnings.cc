#include "endpoints/warnings.h"

#include <string_view>
#include <unordered_set>

#include "base/utf8.h"

namespace keelson::endpoints {
namespace {

constexpr size_t kMaxRunes = 4096;
constexpr size_t kMaxRunesWhenMany = 256;

std::string_view FirstRunes(std::string_view text, size_t most) {
  size_t at = 0;
  for (size_t count = 0; at < text.size() && count < most; ++count) at += base::DecodeRune(text, at).size;
  return text.substr(0, at);
}

bool MaySend(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const base::Rune rune = base::DecodeRune(text, at);
    const bool broken = rune.value == base::kReplacement && rune.size == 1;
    if (broken || rune.value < 0x20 || (rune.value >= 0x7F && rune.value < 0xA0)) return false;
    at += rune.size;
  }
  return true;
}

std::string FieldValue(std::string_view text) {
  std::string value = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') value += '\\';
    value += c;
  }
  return value + "\"";
}

// The texts to send when all of them would be too much.
std::vector<std::string_view> Shortened(const std::vector<std::string>& warnings) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> texts;
  size_t runes = 0, whole_runes = 0;
  for (const std::string& warning : warnings) {
    // Those that were counted in full before the limit was passed all stay.
    if (whole_runes > kMaxRunes && runes >= kMaxRunes) break;
    if (warning.empty() || !seen.insert(warning).second) continue;
    if (whole_runes <= kMaxRunes && MaySend(warning)) whole_runes += base::CountRunes(warning);
    const std::string_view text = FirstRunes(warning, kMaxRunesWhenMany);
    if (!MaySend(text)) continue;
    texts.push_back(text);
    runes += base::CountRunes(text);
  }
  return texts;
}

}  // namespace

void AddWarnings(const std::vector<std::string>& warnings, net::http::Headers& headers) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> texts;
  size_t runes = 0;
  for (const std::string& warning : warnings) {
    if (warning.empty() || !seen.insert(warning).second || !MaySend(warning)) continue;
    texts.push_back(warning);
    runes += base::CountRunes(warning);
    if (runes <= kMaxRunes) continue;
    texts = Shortened(warnings);
    break;
  }
  for (const std::string_view text : texts) headers.Add("warning", FieldValue(text));
}

}  // namespace keelson::endpoints
