#include "auth/authz/authorizer_chain.h"

#include "auth/authz/authorizers.h"
#include "auth/authz/match_conditions.h"
#include "auth/authz/webhook_authorizer.h"
#include "auth/pki/kubeconfig_reader.h"

namespace keelson::auth {
namespace {

constexpr const char* kDecisions = "apiserver_authorization_decisions_total";
constexpr const char* kDecisionsHelp =
    "Total number of terminal decisions made by an authorizer split by authorizer type, name, and decision.";

base::Result<std::shared_ptr<Authorizer>, std::string> MakeWebhook(const AuthorizerConfig& config,
                                                                   const ChainDependencies& dependencies) {
  const WebhookAuthorizerConfig& webhook = *config.webhook;
  const auto fail = [&](const std::string& why) {
    return base::Err("authorizer \"" + config.name + "\": " + why);
  };
  if (webhook.connection_type != "KubeConfigFile")
    return fail("connectionInfo.type " + webhook.connection_type +
                " would make this server ask itself: use KubeConfigFile");
  const auto kubeconfig = pki::ReadKubeconfig(*webhook.kubeconfig_file);
  if (!kubeconfig) return fail(kubeconfig.error());
  api::field::ErrorList errors;
  auto conditions =
      MatchConditions::Compile(webhook.match_conditions, api::field::Path("matchConditions"), errors);
  if (!errors.empty()) return fail(errors.Aggregate());
  WebhookAuthorizerOptions options{
      .name = config.name,
      .version = webhook.review_version,
      .authorized_ttl = webhook.cache_authorized ? webhook.authorized_ttl : std::chrono::nanoseconds(0),
      .unauthorized_ttl = webhook.cache_unauthorized ? webhook.unauthorized_ttl : std::chrono::nanoseconds(0),
      .timeout = webhook.timeout,
      .on_error = webhook.failure_policy == "Deny" ? Decision::kDeny : Decision::kNoOpinion,
      .conditions = std::move(conditions)};
  auto made = WebhookAuthorizer::Make(std::move(options), *kubeconfig, dependencies.make_client,
                                      dependencies.metrics);
  if (!made) return fail(made.error());
  return *std::move(made);
}

base::Result<std::shared_ptr<Authorizer>, std::string> MakePart(const AuthorizerConfig& config,
                                                                const ChainDependencies& dependencies) {
  if (config.type == kWebhookType) return MakeWebhook(config, dependencies);
  if (config.type == "AlwaysAllow") return std::shared_ptr(AlwaysAllow());
  if (config.type == "AlwaysDeny") return std::shared_ptr(AlwaysDeny());
  const auto made = dependencies.made_once.find(config.type);
  if (made == dependencies.made_once.end())
    return base::Err("authorizer type " + config.type +
                     " is not allowed if it was not enabled at initial server startup");
  return made->second;
}

}  // namespace

base::Result<std::unique_ptr<Authorizer>, std::string> MakeAuthorizerChain(
    const AuthorizationConfig& config, const ChainDependencies& dependencies) {
  std::vector<UnionPart> parts;
  for (const AuthorizerConfig& authorizer : config.authorizers) {
    auto part = TRY(MakePart(authorizer, dependencies));
    const auto counter = [&](const char* decision) {
      return &dependencies.metrics.GetCounter(
          kDecisions, kDecisionsHelp,
          {{"type", authorizer.type}, {"name", authorizer.name}, {"decision", decision}});
    };
    parts.push_back({std::move(part), counter("allowed"), counter("denied")});
  }
  return UnionOf(std::move(parts));
}

base::Task<Verdict> ReplaceableAuthorizer::Authorize(const Attributes& attributes) {
  const auto held = current_.Read();
  co_return co_await held->authorizer->Authorize(attributes);
}

std::optional<Verdict> ReplaceableAuthorizer::AuthorizeNow(const Attributes& attributes) {
  return current_.Read()->authorizer->AuthorizeNow(attributes);
}

base::Task<Rules> ReplaceableAuthorizer::RulesFor(const User& user, std::string_view ns) {
  const auto held = current_.Read();
  co_return co_await held->authorizer->RulesFor(user, ns);
}

}  // namespace keelson::auth
