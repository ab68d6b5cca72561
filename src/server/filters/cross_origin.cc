#include "server/filters/cross_origin.h"

#include <algorithm>

namespace keelson::server {

base::Result<CrossOriginFilter, std::string> CrossOriginFilter::Create(
    const std::vector<std::string>& patterns) {
  CrossOriginFilter filter;
  for (const std::string& pattern : patterns) {
    auto compiled = base::Regex::Compile(pattern);
    if (!compiled) return base::Err("\"" + pattern + "\": " + compiled.error());
    filter.origins_.push_back(*std::move(compiled));
  }
  return filter;
}

bool CrossOriginFilter::Allows(const net::http::Request& request) const {
  const auto origin = request.headers.Get("origin");
  return origin && !origin->empty() &&
         std::ranges::any_of(origins_, [&](const base::Regex& allowed) { return allowed.Matches(*origin); });
}

void CrossOriginFilter::Mark(std::string_view origin, net::http::Response& response) {
  response.headers.Set("access-control-allow-origin", origin);
  response.headers.Set("access-control-allow-methods", "POST, GET, OPTIONS, PUT, DELETE, PATCH");
  response.headers.Set("access-control-allow-headers",
                       "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, "
                       "X-Requested-With, If-Modified-Since");
  response.headers.Set("access-control-expose-headers", "Date");
  response.headers.Set("access-control-allow-credentials", "true");
}

}  // namespace keelson::server
