// Location fields of backends: where they lead, no other host comes out of them than they name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "registry/core/proxied_links.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using keelson::registry::core::ProxiedLinks;
  static const ProxiedLinks kLinks{
      .prefix = "/api/v1/pods/p/proxy", .backend = "10.0.0.1:80", .host = "api:6443"};
  const std::string_view said(reinterpret_cast<const char*>(data), size);
  const auto location = kLinks.Location(said);
  if (!location) {
    if (location.error().empty()) std::abort();
    return 0;
  }
  for (const unsigned char c : *location)
    if (c < ' ' || c == 0x7f) std::abort();
  if (*location == said) return 0;
  const bool by_path =
      location->starts_with('/') && !location->starts_with("//") && !location->starts_with("/\\");
  if (!by_path && location->find("api:6443/") == std::string::npos) std::abort();
  return 0;
}
