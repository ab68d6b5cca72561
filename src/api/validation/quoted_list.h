// A list of strings in a message, as Go's %q prints one: ["a" "b"].
#pragma once

#include <string>

#include "api/validation/quote.h"

namespace keelson::api {

template <class Strings>
std::string QuotedList(const Strings& strings) {
  std::string text = "[";
  for (const auto& s : strings) {
    if (text.size() > 1) text += ' ';
    AppendQuoted(s, text);
  }
  return text + "]";
}

}  // namespace keelson::api
