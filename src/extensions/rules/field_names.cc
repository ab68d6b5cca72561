#include "extensions/rules/field_names.h"

#include <algorithm>

#include "cel/reserved_words.h"

namespace keelson::extensions {
namespace {

struct Escape {
  std::string_view plain, word;
};
constexpr Escape kEscapes[] = {{"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}};

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::optional<std::string> EscapeFieldName(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return std::nullopt;
  if (cel::IsReservedWord(name)) return "__" + std::string(name) + "__";
  std::string escaped;
  for (size_t i = 0; i < name.size();) {
    const auto* const special =
        std::ranges::find_if(kEscapes, [&](const Escape& e) { return name.substr(i).starts_with(e.plain); });
    if (special != std::end(kEscapes)) {
      escaped.append("__").append(special->word).append("__");
      i += special->plain.size();
    } else if (IsPlain(name[i])) {
      escaped += name[i++];
    } else {
      return std::nullopt;
    }
  }
  return escaped;
}

std::optional<std::string> UnescapeFieldName(std::string_view escaped) {
  std::string name;
  for (size_t i = 0; i < escaped.size();) {
    // Two underscores, at least one other character, two underscores.
    size_t end = i + 2;
    const bool opens = escaped.substr(i).starts_with("__");
    while (opens && end < escaped.size() && escaped[end] != '_') ++end;
    if (!opens || end == i + 2 || !escaped.substr(end).starts_with("__")) {
      name += escaped[i++];
      continue;
    }
    const std::string_view word = escaped.substr(i + 2, end - i - 2);
    const auto* const special = std::ranges::find(kEscapes, word, &Escape::word);
    if (special != std::end(kEscapes)) {
      name.append(special->plain);
    } else if (cel::IsReservedWord(word) && word.size() + 4 == escaped.size()) {
      name.append(word);
    } else {
      return std::nullopt;
    }
    i = end + 2;
  }
  return name;
}

}  // namespace keelson::extensions
