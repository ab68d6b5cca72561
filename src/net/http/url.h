// Percent-encoding and query strings, by the rules of Go's net/url: what Kubernetes
// clients encode with, and what decides how a bad escape is answered.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/http/text.h"

namespace keelson::net::http {

// Decodes %XX; the error is Go's message (`invalid URL escape "%zz"`).
base::Result<std::string, std::string> PathUnescape(std::string_view encoded);
// The same, and '+' is a space.
base::Result<std::string, std::string> QueryUnescape(std::string_view encoded);

// Encodes all but letters, digits and -_.~ ; a space becomes '+'.
std::string QueryEscape(std::string_view plain);

// Encodes a path whose escapes have been decoded: all but letters, digits and -_.~$&+,/:;=@ .
std::string PathEscape(std::string_view plain);

// How parameters of the API say yes or no: any value but "0" and "false", in any case of its letters, is a
// yes.
inline bool IsTrue(std::string_view value) { return value != "0" && !EqualsIgnoreCase(value, "false"); }

// The parameters of a query string in the order sent.
class Query {
 public:
  struct Parameter {
    std::string key;
    std::string value;
  };

  // Pairs that cannot be decoded are left out, as Go does; error() tells of the first.
  static Query Parse(std::string_view encoded);

  // The first value of `key`.
  std::optional<std::string_view> Get(std::string_view key) const;
  std::vector<std::string_view> All(std::string_view key) const;
  bool Has(std::string_view key) const { return Get(key).has_value(); }

  const std::optional<std::string>& error() const { return error_; }
  auto begin() const { return parameters_.begin(); }
  auto end() const { return parameters_.end(); }
  size_t size() const { return parameters_.size(); }
  bool empty() const { return parameters_.empty(); }

 private:
  std::vector<Parameter> parameters_;
  std::optional<std::string> error_;
};

}  // namespace keelson::net::http
