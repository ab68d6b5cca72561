// CrossOriginFilter: web pages of certain origins may read answers (CORS), by --cors-allowed-origins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/regex.h"
#include "base/result.h"
#include "net/http/message.h"

namespace keelson::server {

// Threads: any.
class CrossOriginFilter {
 public:
  // `patterns` are regular expressions, which match anywhere in an origin. The error names a bad one.
  static base::Result<CrossOriginFilter, std::string> Create(const std::vector<std::string>& patterns);

  // Whether the request comes from a page of such an origin. A page that only asks whether it may (OPTIONS)
  // gets `preflight` at once.
  bool Allows(const net::http::Request& request) const;
  static net::http::Response Preflight() { return {.status = 204}; }
  // Tells the browser what such a page may do. Requires: Allows(request).
  static void Mark(std::string_view origin, net::http::Response& response);

 private:
  std::vector<base::Regex> origins_;
};

}  // namespace keelson::server
