// Header fields of one message, in order; names are compared without case.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::net::http {

struct HeaderField {
  std::string name;  // lower case
  std::string value;
};

class Headers {
 public:
  // Requires: `name` in lower case.
  void Add(std::string_view name, std::string_view value) {
    if (fields_.capacity() == 0) fields_.reserve(kExpected);
    fields_.push_back({std::string(name), std::string(value)});
  }
  void Set(std::string_view name, std::string_view value) {
    Remove(name);
    Add(name, value);
  }
  void Remove(std::string_view name) {
    std::erase_if(fields_, [&](const HeaderField& f) { return f.name == name; });
  }
  // Removes every field for whose name `matches` is true, in one pass.
  template <class Predicate>  // bool(std::string_view lower-case name)
  void RemoveIf(const Predicate& matches) {
    std::erase_if(fields_, [&](const HeaderField& f) { return matches(std::string_view(f.name)); });
  }
  // The first value of `name` (lower case).
  std::optional<std::string_view> Get(std::string_view name) const {
    for (const auto& f : fields_)
      if (f.name == name) return f.value;
    return std::nullopt;
  }
  // Every value of `name`, joined by ", " as a client may split them.
  std::string Joined(std::string_view name) const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  bool empty() const { return fields_.empty(); }
  size_t size() const { return fields_.size(); }

 private:
  static constexpr size_t kExpected = 12;  // most messages have no more

  std::vector<HeaderField> fields_;
};

}  // namespace keelson::net::http
