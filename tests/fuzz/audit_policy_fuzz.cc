// Audit policies: whatever is read must be sound, and deciding by it must not fail.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "audit/encoding.h"
#include "audit/policy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)audit::WithoutManagedFields(base::Slice::Copy(text));
  (void)audit::Compacted(base::Slice::Copy(text));
  const auto policy = audit::Policy::Parse(text);
  if (!policy) {
    if (policy.error().empty()) std::abort();
    return 0;
  }
  if (policy->rules().empty()) std::abort();
  const auth::User user{.name = "ann", .uid = "", .groups = {"dev"}, .extra = {}};
  (void)policy->Evaluate({.user = &user,
                          .verb = "get",
                          .resource_request = true,
                          .resource = "pods",
                          .subresource = "log",
                          .ns = "default",
                          .name = "a"});
  (void)policy->Evaluate({.verb = "get", .path = "/healthz/x"});
  return 0;
}
