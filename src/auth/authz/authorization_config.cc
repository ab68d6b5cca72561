#include "auth/authz/authorization_config.h"

#include "api/codec/config_reader.h"
#include "api/codec/yaml.h"

namespace keelson::auth {
namespace {

constexpr std::string_view kAuthorizationConfigGroup = "apiserver.config.k8s.io/";

class AuthorizationConfigParser {
 public:
  explicit AuthorizationConfigParser(std::string_view json) : reader_(json, /*strict=*/true) {}

  base::Result<AuthorizationConfig, std::string> Run() {
    AuthorizationConfig config;
    std::string api_version, kind;
    const bool read = reader_.Object([&](std::string_view name) {
      if (name == "apiVersion") return reader_.Text(api_version);
      if (name == "kind") return reader_.Text(kind);
      if (name == "authorizers")
        return reader_.List([&] { return Authorizer(config.authorizers.emplace_back()); });
      return reader_.Unknown();
    });
    if (!read || !reader_.AtEnd()) return base::Err("strict decoding error: " + reader_.error());
    if (kind != "AuthorizationConfiguration" || !IsKnownVersion(api_version))
      return base::Err("no kind \"" + kind + "\" is registered for version \"" + api_version +
                       "\": AuthorizationConfiguration of apiserver.config.k8s.io/v1 is expected");
    return config;
  }

 private:
  static bool IsKnownVersion(std::string_view version) {
    if (!version.starts_with(kAuthorizationConfigGroup)) return false;
    version.remove_prefix(kAuthorizationConfigGroup.size());
    return version == "v1" || version == "v1beta1" || version == "v1alpha1";
  }

  bool Authorizer(AuthorizerConfig& authorizer) {
    return reader_.Object([&](std::string_view name) {
      if (name == "type") return reader_.Text(authorizer.type);
      if (name == "name") return reader_.Text(authorizer.name);
      if (name == "webhook") return reader_.Null() || Webhook(authorizer.webhook.emplace());
      return reader_.Unknown();
    });
  }

  bool Webhook(WebhookAuthorizerConfig& webhook) {
    return reader_.Object([&](std::string_view name) {
      if (name == "authorizedTTL") return Ttl(webhook.authorized_ttl);
      if (name == "unauthorizedTTL") return Ttl(webhook.unauthorized_ttl);
      if (name == "cacheAuthorizedRequests") return reader_.Bool(webhook.cache_authorized);
      if (name == "cacheUnauthorizedRequests") return reader_.Bool(webhook.cache_unauthorized);
      if (name == "timeout") return reader_.Duration(webhook.timeout);
      if (name == "subjectAccessReviewVersion") return reader_.Text(webhook.review_version);
      if (name == "matchConditionSubjectAccessReviewVersion") return reader_.Text(webhook.condition_version);
      if (name == "failurePolicy") return reader_.Text(webhook.failure_policy);
      if (name == "connectionInfo") return ConnectionInfo(webhook);
      if (name == "matchConditions")
        return reader_.List([&] { return Condition(webhook.match_conditions.emplace_back()); });
      return reader_.Unknown();
    });
  }

  // Zero stands for the default, which `ttl` has.
  bool Ttl(std::chrono::nanoseconds& ttl) {
    std::chrono::nanoseconds said{0};
    if (!reader_.Duration(said)) return false;
    if (said.count() != 0) ttl = said;
    return true;
  }

  bool ConnectionInfo(WebhookAuthorizerConfig& webhook) {
    return reader_.Object([&](std::string_view name) {
      if (name == "type") return reader_.Text(webhook.connection_type);
      if (name == "kubeConfigFile") return reader_.Text(webhook.kubeconfig_file);
      return reader_.Unknown();
    });
  }

  bool Condition(std::string& expression) {
    return reader_.Object([&](std::string_view name) {
      return name == "expression" ? reader_.Text(expression) : reader_.Unknown();
    });
  }

  api::ConfigReader reader_;
};

}  // namespace

std::string AuthorizerNameOf(std::string_view type) {
  std::string name(type);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

base::Result<AuthorizationConfig, std::string> ParseAuthorizationConfig(std::string_view text) {
  if (text.empty()) return AuthorizationConfig();
  const auto json = api::yaml::ToJson(text);
  if (!json) return base::Err(json.error().message);
  return AuthorizationConfigParser(*json).Run();
}

}  // namespace keelson::auth
