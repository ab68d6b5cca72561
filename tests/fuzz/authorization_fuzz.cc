// Authorization configurations, and what webhooks answer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "auth/authz/access_review.h"
#include "auth/authz/authorization_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson::auth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto answer = ParseAccessReview(text, "v1");
  if (!answer && answer.error().empty()) std::abort();
  const auto config = ParseAuthorizationConfig(text);
  if (!config) {
    if (config.error().empty()) std::abort();
    return 0;
  }
  const auto valid = ValidateAuthorizationConfig(*config, {"RBAC"});
  if (!valid && valid.error().empty()) std::abort();
  for (const AuthorizerConfig& authorizer : config->authorizers)
    if (valid && (authorizer.type == kWebhookType) != authorizer.webhook.has_value()) std::abort();
  return 0;
}
