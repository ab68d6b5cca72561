// YAML in and out, by way of JSON: what is not a JSON document is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::api::yaml {

struct Error {
  std::string message;  // with the line
};

// The first document of `text` as compact JSON. Refuses non-string keys' loss of meaning,
// alias bombs (expansion over 10 MiB), and nesting deeper than 500. Duplicate keys are
// kept, so that strict decoding can name them.
base::Result<std::string, Error> ToJson(std::string_view text);

// `json` as YAML with sorted keys, as upstream answers application/yaml.
std::string FromJson(std::string_view json);

}  // namespace keelson::api::yaml
