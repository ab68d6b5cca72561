// A format by name ("dns1123Label") that text is validated with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/value.h"

namespace keelson::cel {

class NamedFormat final : public Object {
 public:
  using Validate = std::vector<std::string> (*)(std::string_view text);
  NamedFormat(std::string name, Validate validate, uint64_t max_regex_size)
      : name_(std::move(name)), validate_(validate), max_regex_size_(max_regex_size) {}

  const TypeRef& type() const override;
  Value Equals(const Object& other) const override;
  std::vector<std::string> Check(std::string_view text) const { return validate_(text); }
  uint64_t max_regex_size() const { return max_regex_size_; }

 private:
  std::string name_;
  Validate validate_;
  uint64_t max_regex_size_;
};

}  // namespace keelson::cel
