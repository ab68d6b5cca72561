// ConfigTree: a configuration that a test gives as JSON.
#pragma once

#include <string_view>

#include "api/codec/json.h"
#include "api/types/doc.h"

namespace keelson::api::managed_fields {

class ConfigTree {
 public:
  explicit ConfigTree(std::string_view json)
      : tree_(json::DecodeAny(arena_.CopyString(json), arena_).value()) {}
  operator const Value&() const { return tree_; }

 private:
  Arena arena_;
  Value tree_;
};

}  // namespace keelson::api::managed_fields
