#include "auth/authz/webhook_authorizer.h"

#include "base/log.h"

namespace keelson::auth {
namespace {

constexpr size_t kMostKeptReviews = 8192;
// Longer attributes may be an attempt to fill the memory.
constexpr size_t kMostKeptAttributes = 10000;

size_t ChosenByClient(const Attributes& a) {
  return a.ns.size() + a.verb.size() + a.group.size() + a.version.size() + a.resource.size() +
         a.subresource.size() + a.name.size() + a.path.size();
}

WebhookMetrics::Result ResultOf(const ReviewFailure& failure) {
  return failure.timed_out ? WebhookMetrics::Result::kTimeout : WebhookMetrics::Result::kError;
}

}  // namespace

base::Result<std::shared_ptr<WebhookAuthorizer>, std::string> WebhookAuthorizer::Make(
    WebhookAuthorizerOptions options, const pki::KubeconfigClient& config,
    const MakeRemoteClient& make_client, base::Metrics& metrics) {
  if (options.version != "v1" && options.version != "v1beta1")
    return base::Err("unsupported webhook authorizer version \"" + options.version +
                     "\", supported versions are \"v1\", \"v1beta1\"");
  auto webhook = TRY(ReviewWebhook::Make(config, options.timeout, make_client));
  return std::shared_ptr<WebhookAuthorizer>(
      new WebhookAuthorizer(std::move(options), std::move(webhook), metrics));
}

WebhookAuthorizer::WebhookAuthorizer(WebhookAuthorizerOptions options, std::unique_ptr<ReviewWebhook> webhook,
                                     base::Metrics& metrics)
    : options_(std::move(options)),
      webhook_(std::move(webhook)),
      metrics_(metrics, options_.name),
      answers_(kMostKeptReviews, *options_.clock) {}

base::Task<Verdict> WebhookAuthorizer::Authorize(const Attributes& attributes) {
  const auto matches = Match(attributes);
  if (!matches) co_return Verdict{options_.on_error, {}, matches.error()};
  if (!*matches) co_return Verdict{};
  const std::string spec = AccessReviewSpec(attributes, options_.version);
  const Answer answer = co_await answers_.Get(
      digest_(spec), [&] { return AskOften(spec); }, [&](const Answer& a) { return TtlOf(attributes, a); });
  if (!answer && options_.on_error == Decision::kNoOpinion) metrics_.CountFailOpen(ResultOf(answer.error()));
  co_return VerdictOf(answer);
}

base::Task<Rules> WebhookAuthorizer::RulesFor(const User&, std::string_view) {
  co_return Rules{.incomplete = true, .error = "webhook authorizer does not support user rule resolution"};
}

base::Result<bool, std::string> WebhookAuthorizer::Match(const Attributes& attributes) {
  if (!options_.conditions) return true;
  const auto started = options_.clock->SteadyNow();
  auto matches = options_.conditions->Match(attributes);
  metrics_.CountConditions(options_.clock->SteadyNow() - started, /*failed=*/!matches,
                           /*excluded=*/matches && !*matches);
  return matches;
}

base::Task<WebhookAuthorizer::Answer> WebhookAuthorizer::AskOften(const std::string& spec) {
  Answer answer = co_await WithRetries([&] { return Ask(spec); });
  if (!answer)
    base::Log(base::LogLevel::kError, "failed to make webhook authorizer request",
              {{"authorizer", options_.name}, {"why", answer.error().message}});
  co_return answer;
}

base::Task<WebhookAuthorizer::Answer> WebhookAuthorizer::Ask(const std::string& spec) {
  const auto started = options_.clock->SteadyNow();
  const auto body = co_await webhook_->Post(AccessReview(spec, options_.version));
  Answer answer = base::Err(ReviewFailure());
  if (!body) {
    answer = base::Err(body.error());
  } else if (auto status = ParseAccessReview(*body, options_.version)) {
    answer = *std::move(status);
  } else {
    answer = base::Err(ReviewFailure{.message = std::move(status.error())});
  }
  metrics_.CountTrip(answer ? WebhookMetrics::Result::kSuccess : ResultOf(answer.error()),
                     options_.clock->SteadyNow() - started);
  co_return answer;
}

Verdict WebhookAuthorizer::VerdictOf(const Answer& answer) const {
  if (!answer) return {options_.on_error, {}, answer.error().message};
  if (answer->denied && answer->allowed)
    return {Decision::kDeny, answer->reason,
            "webhook subject access review returned both allow and deny response"};
  if (answer->denied) return {Decision::kDeny, answer->reason};
  return {answer->allowed ? Decision::kAllow : Decision::kNoOpinion, answer->reason};
}

std::chrono::nanoseconds WebhookAuthorizer::TtlOf(const Attributes& attributes, const Answer& answer) const {
  if (!answer || ChosenByClient(attributes) >= kMostKeptAttributes) return {};
  return answer->allowed ? options_.authorized_ttl : options_.unauthorized_ttl;
}

}  // namespace keelson::auth
