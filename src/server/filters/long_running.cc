#include "server/filters/long_running.h"

namespace keelson::server {

bool IsLongRunning(const endpoints::RequestInfo& info) {
  if (info.verb == "watch" || info.verb == "proxy") return true;
  if (!info.resource_request) return info.path.starts_with("/debug/pprof/");
  if (info.subresource.empty()) return false;
  for (const std::string_view streaming : {"attach", "exec", "proxy", "log", "portforward"})
    if (info.subresource == streaming) return true;
  return false;
}

}  // namespace keelson::server
