// JsonPath: where in an object something is, as columns say it: `.spec.replicas`,
// `.status.conditions[?(@.type=="Ready")].status`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"

namespace keelson::extensions {

class JsonPath {
 public:
  // nullopt: it is none, or one that only upstream understands.
  static std::optional<JsonPath> Parse(std::string_view text);

  // What is there, the first first. Pointers into `tree`.
  std::vector<const api::Value*> Find(const api::Value& tree) const;
  // It looks into metadata.
  bool reads_metadata() const;

 private:
  struct Step {
    enum class Kind : uint8_t { kField, kIndex, kAll, kFilter, kAnywhere } kind = Kind::kField;
    std::string name;                  // kField, kAnywhere
    int64_t index = 0;                 // kIndex: from the end when negative
    std::vector<std::string> operand;  // kFilter: names below the element
    std::string comparison;            // kFilter: "==" and so on; empty: it exists
    std::string literal;               // kFilter
    bool quoted = false;               // the literal is a string
  };

  static bool ParseBracket(std::string_view inside, Step& step);
  static bool ParseFilter(std::string_view inside, Step& step);
  static bool Holds(const Step& step, const api::Value& element);
  static void Apply(const Step& step, const api::Value& value, std::vector<const api::Value*>& out);

  std::vector<Step> steps_;
};

}  // namespace keelson::extensions
