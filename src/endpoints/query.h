// Query: the parameters of a request, decoded once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace keelson::endpoints {

// %XX decoded; '+' is a space only in a query. Broken escapes are kept as they are.
std::string PercentDecode(std::string_view text, bool plus_is_space);

class Query {
 public:
  Query() = default;
  explicit Query(std::string_view text);

  // The first value of `name`; nullopt when it is absent.
  std::optional<std::string_view> Get(std::string_view name) const;
  std::string_view GetOr(std::string_view name, std::string_view otherwise) const;
  std::vector<std::string> All(std::string_view name) const;

  // As upstream reads them: any value but "0" and "false" is true. nullopt: absent.
  std::optional<bool> Bool(std::string_view name) const;
  // The error is upstream's text for a number that is none.
  base::Result<std::optional<int64_t>, std::string> Int(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace keelson::endpoints
