// Documents and errors in the form that tests like to write.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json.h"
#include "api/types/doc.h"
#include "api/validation/field.h"
#include "base/slice.h"

namespace keelson::api::testing {

// Throws when `json` is no `type` or has fields that the type does not know.
inline Doc DocFromJson(std::string_view json, const TypeDesc& type) {
  Arena arena;
  const std::string_view text = arena.Hold(base::Slice::Copy(json));
  json::StrictErrors strict;
  const auto root = json::Decode(text, type, arena, &strict);
  if (!root) throw std::invalid_argument(root.error().message);
  if (!strict.empty()) throw std::invalid_argument(strict.front());
  return Doc(std::move(arena), *root);
}

template <class View>
Doc DocFromJson(std::string_view json) {
  return DocFromJson(json, View::Type());
}

inline std::string ToJson(const Doc& doc) {
  base::BufferBuilder out;
  json::Encode(*doc.root(), out);
  return std::string(out.view());
}

inline std::vector<std::string> Texts(const field::ErrorList& errors) {
  std::vector<std::string> out;
  for (const field::Error& e : errors) out.push_back(e.ToString());
  return out;
}

// What `validate` says of an object, and of a change from one to another.
template <class View, class Validate>
std::vector<std::string> Errors(Validate validate, std::string_view json) {
  const Doc doc = DocFromJson<View>(json);
  return Texts(validate(View(doc)));
}
template <class View, class Validate>
std::vector<std::string> UpdateErrors(Validate validate, std::string_view was, std::string_view now) {
  const Doc before = DocFromJson<View>(was), after = DocFromJson<View>(now);
  return Texts(validate(View(after), View(before)));
}

}  // namespace keelson::api::testing
