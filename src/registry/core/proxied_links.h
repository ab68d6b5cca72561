// ProxiedLinks translates addresses between a client of a proxy and the backend: the backend is told where it
// is seen from outside, and the client where links of the backend lead.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::registry::core {

struct ProxiedLinks {
  std::string prefix;   // the decoded path of the proxy itself, ".../proxy"
  std::string backend;  // "host:port" of whom is asked
  std::string host;     // that the client asked, as its Host field says

  // `path` and `backend_path` decoded: the path that was asked for, and its part that the backend is asked
  // for.
  static std::string PrefixOf(std::string_view path, std::string_view backend_path);

  // X-Forwarded-Uri. `escaped_path`: that the backend is asked for.
  std::string ForwardedUri(std::string_view escaped_path) const;

  // Where a Location field of the backend leads through the proxy. An absolute path, also on the backend's
  // own host, is below `prefix`; other hosts and relative references stay as they are, and nobody follows
  // them here. An error: it is no reference to anywhere.
  base::Result<std::string, std::string> Location(std::string_view said) const;
};

}  // namespace keelson::registry::core
