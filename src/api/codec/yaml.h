// YAML in and out, by way of JSON: what is not a JSON document is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::api::yaml {

// The parser takes time proportional to the depth for every token, so the limit is lower
// than JSON's.
constexpr int kMaxDepth = 500;

struct Error {
  std::string message;  // with the line
};

// The first document of `text` as compact JSON. Refuses non-string keys' loss of meaning,
// alias and merge bombs (expansion over 10 MiB, or over 400,000 nodes visited again), more
// than 100 %TAG lines, and nesting deeper than kMaxDepth. Keys that a mapping has
// twice are kept; with `duplicates` only the last is, and each repetition is named there
// with its line, in upstream's words.
base::Result<std::string, Error> ToJson(std::string_view text,
                                        std::vector<std::string>* duplicates = nullptr);

// Whether `text` is for certain one JSON object that YAML reads as the same values: a quick
// look that spares ToJson. False where that takes more: escapes and numbers that the two
// might read differently, bytes beyond ASCII.
bool IsPlainJsonObject(std::string_view text);

// `json` as YAML with sorted keys, as upstream answers application/yaml.
std::string FromJson(std::string_view json);

}  // namespace keelson::api::yaml
