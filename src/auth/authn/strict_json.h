// JSON from people who are not known yet, read strictly: an object that names a member twice is refused, as
// two readers could take a different one of the two for the claim.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json_reader.h"

namespace keelson::auth {

// Calls `member(name)` for each member of the object that comes next, which must take its value and return
// whether it could. False: there is no object, it is malformed, or a name comes twice.
template <class Member>
bool ReadStrictObject(api::json::JsonReader& json, const Member& member) {
  if (json.Peek() != '{' || !json.BeginContainer()) return false;
  std::vector<std::string_view> names;
  for (bool first = true;; first = false) {
    std::string_view name;
    bool more = false;
    if (!json.NextMember(first, &name, &more)) return false;
    if (!more) break;
    names.push_back(name);
    json.Peek();
    if (!member(name)) return false;
  }
  json.EndContainer();
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

// Calls `element()` for each element of the array that comes next, as above.
template <class Element>
bool ReadArray(api::json::JsonReader& json, const Element& element) {
  if (json.Peek() != '[' || !json.BeginContainer()) return false;
  for (bool first = true;; first = false) {
    bool more = false;
    if (!json.NextElement(first, &more)) return false;
    if (!more) break;
    json.Peek();
    if (!element()) return false;
  }
  json.EndContainer();
  return true;
}

// False when no text comes next.
inline bool ReadText(api::json::JsonReader& json, std::string& out) {
  std::string_view text;
  if (json.Peek() != '"' || !json.String(&text)) return false;
  out = text;
  return true;
}

// A time in seconds, which may have a fraction, or a text or a list of texts, as JSON web tokens write them.
bool ReadSeconds(api::json::JsonReader& json, int64_t& out);
bool ReadTexts(api::json::JsonReader& json, std::vector<std::string>& out);

}  // namespace keelson::auth
