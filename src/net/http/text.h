// The text of header fields: letters without case, spaces around items, lists.
#pragma once

#include <string_view>

namespace keelson::net::http {

inline char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

inline bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (LowerCase(a[i]) != LowerCase(b[i])) return false;
  return true;
}

inline std::string_view Trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

// Calls `visit` with every item of a comma-separated list, without the spaces around it.
template <class Visit>  // void(std::string_view)
void VisitList(std::string_view list, Visit&& visit) {
  while (true) {
    const size_t comma = list.find(',');
    visit(Trim(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

// Whether a comma-separated list has `item`, in any case of letters; an empty item it never has.
inline bool ListHas(std::string_view list, std::string_view item) {
  bool has = false;
  VisitList(list, [&](std::string_view i) { has = has || (!i.empty() && EqualsIgnoreCase(i, item)); });
  return has;
}

}  // namespace keelson::net::http
