#include "app/authorization.h"

#include <algorithm>

#include "api/generated/rbac_v1.h"
#include "api/meta/object_meta.h"
#include "app/addresses.h"
#include "auth/authz/authorization_config.h"
#include "auth/authz/authorizer_chain.h"
#include "auth/authz/authorizers.h"
#include "base/file.h"
#include "base/log.h"
#include "bootstrap/server_identity.h"
#include "registry/rbac/bootstrap_policy.h"

namespace keelson::app {
namespace {

using auth::AuthorizationConfig;
using auth::AuthorizerConfig;

constexpr std::chrono::seconds kFlagWebhookTimeout{30};

std::string TypeOf(AuthorizationMode mode) {
  switch (mode) {
    case AuthorizationMode::kNode: return "Node";
    case AuthorizationMode::kRbac: return "RBAC";
    case AuthorizationMode::kAbac: return "ABAC";
    case AuthorizationMode::kWebhook: return "Webhook";
    case AuthorizationMode::kAlwaysAllow: return "AlwaysAllow";
    case AuthorizationMode::kAlwaysDeny: return "AlwaysDeny";
  }
  return {};
}

AuthorizerConfig WebhookOfFlags(const WebhookAuthorizationConfig& flags) {
  return {.type = std::string(auth::kWebhookType),
          .name = "default",
          .webhook = auth::WebhookAuthorizerConfig{.authorized_ttl = flags.authorized_ttl,
                                                   .unauthorized_ttl = flags.unauthorized_ttl,
                                                   .timeout = kFlagWebhookTimeout,
                                                   .review_version = flags.version,
                                                   .failure_policy = "NoOpinion",
                                                   .connection_type = "KubeConfigFile",
                                                   .kubeconfig_file = flags.config_file.string()}};
}

AuthorizationConfig ConfigOfFlags(const Config& config) {
  AuthorizationConfig made;
  for (const AuthorizationMode mode : config.authorization_modes) {
    if (mode == AuthorizationMode::kWebhook) {
      made.authorizers.push_back(WebhookOfFlags(config.authorization_webhook));
    } else {
      const std::string type = TypeOf(mode);
      made.authorizers.push_back({.type = type, .name = auth::AuthorizerNameOf(type)});
    }
  }
  return made;
}

base::Result<AuthorizationConfig, std::string> ParseAuthorizationFile(
    const std::string& text, const std::vector<std::string>& required_types) {
  auto parsed = auth::ParseAuthorizationConfig(text);
  if (!parsed) return base::Err("failed to load AuthorizationConfiguration from file: " + parsed.error());
  TRY(auth::ValidateAuthorizationConfig(*parsed, required_types));
  return parsed;
}

// What the role system:node allows by default.
std::vector<auth::rbac::PolicyRule> NodeRules(const FeatureGates& gates) {
  const auto gate_is_on = [&](std::string_view gate) { return gates.Enabled(gate); };
  for (const auto& object : registry::rbac::BootstrapPolicy(gate_is_on))
    if (object.resource == "clusterroles" && api::MetadataOf(object.doc).name() == "system:node")
      return auth::rbac::RulesOf(api::rbac_v1::ClusterRoleView(object.doc).rules());
  return {};
}

// The authorizers of `wanted` that stay when the file changes.
base::Result<void, std::string> MakeLasting(const AuthorizationConfig& wanted, const Config& config,
                                            auth::ChainDependencies& dependencies, Authorization& made) {
  for (const AuthorizerConfig& authorizer : wanted.authorizers) {
    std::shared_ptr<auth::Authorizer> lasting;
    if (authorizer.type == "Node") {
      auto node = std::make_shared<auth::node::NodeAuthorizer>(
          NodeRules(config.feature_gates), config.feature_gates.Enabled("PodCertificateRequest"));
      made.node = node.get();
      lasting = std::move(node);
    } else if (authorizer.type == "RBAC") {
      auto rbac = std::make_shared<auth::rbac::RbacAuthorizer>();
      made.rbac = rbac.get();
      lasting = std::move(rbac);
    } else if (authorizer.type == "ABAC") {
      lasting = TRY(auth::Abac(config.authorization_policy_file));
    }
    if (lasting) dependencies.made_once.emplace(authorizer.type, std::move(lasting));
  }
  return {};
}

// What a changed file is put in use by. Types other than webhooks can neither come nor go.
ConfigReloader::Take ReplaceIn(auth::ReplaceableAuthorizer& authorizer, const AuthorizationConfig& first,
                               auth::ChainDependencies dependencies) {
  std::vector<std::string> required;
  for (const AuthorizerConfig& part : first.authorizers)
    if (part.type != auth::kWebhookType) required.push_back(part.type);
  return [&authorizer, required = std::move(required), dependencies = std::move(dependencies)](
             std::string text) -> base::Task<base::Result<void, std::string>> {
    const auto config = CO_TRY(ParseAuthorizationFile(text, required));
    authorizer.Replace(CO_TRY(auth::MakeAuthorizerChain(config, dependencies)));
    co_return base::Result<void, std::string>();
  };
}

}  // namespace

base::Result<Authorization, std::string> MakeAuthorization(const Config& config,
                                                           auth::MakeRemoteClient make_client,
                                                           base::Metrics& metrics) {
  const std::filesystem::path& file = config.authorization_config;
  const std::string text = file.empty() ? std::string() : TRY(base::ReadFile(file));
  const AuthorizationConfig wanted =
      file.empty() ? ConfigOfFlags(config) : TRY(ParseAuthorizationFile(text, {}));
  Authorization made;
  auth::ChainDependencies dependencies{
      .made_once = {}, .make_client = std::move(make_client), .metrics = metrics};
  TRY(MakeLasting(wanted, config, dependencies, made));
  auto chain = TRY(auth::MakeAuthorizerChain(wanted, dependencies));
  if (!file.empty()) {
    auto replaceable = std::make_unique<auth::ReplaceableAuthorizer>(std::move(chain));
    made.reloader = std::make_unique<ConfigReloader>(
        ConfigReloader::Options{.what = "authorization",
                                .file = file,
                                .text = text,
                                .server_id = bootstrap::ServerIdOf(HostName())},
        ReplaceIn(*replaceable, wanted, std::move(dependencies)), metrics);
    chain = std::move(replaceable);
  }
  made.authorizer = auth::MastersFirst(std::move(chain));
  return made;
}

}  // namespace keelson::app
