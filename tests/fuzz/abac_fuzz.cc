// Files of ABAC policies, and what they say of some requests.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "auth/authz/authorizers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson::auth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto abac = ParseAbac(text, "fuzz");
  if (!abac) {
    if (abac.error().empty()) std::abort();
    return 0;
  }
  const User user{.name = "ann", .groups = {"devs", "system:authenticated"}};
  (*abac)->AuthorizeNow(
      {.user = &user, .verb = "get", .resource_request = true, .resource = "pods", .ns = "demo"});
  (*abac)->AuthorizeNow({.user = &user, .verb = "post", .path = "/logs/x"});
  return 0;
}
