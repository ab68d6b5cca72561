// WebhookAuthorizer: asks another server what a request may do.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "auth/authn/answer_cache.h"
#include "auth/authn/review_webhook.h"
#include "auth/authn/token_digest.h"
#include "auth/authorizer.h"
#include "auth/authz/access_review.h"
#include "auth/authz/match_conditions.h"
#include "auth/authz/webhook_metrics.h"
#include "base/clock.h"

namespace keelson::auth {

struct WebhookAuthorizerOptions {
  std::string name = "default";     // for metrics and the log
  std::string version = "v1beta1";  // of the SubjectAccessReview that is sent; or v1
  std::chrono::nanoseconds authorized_ttl = std::chrono::minutes(5);     // 0: not kept
  std::chrono::nanoseconds unauthorized_ttl = std::chrono::seconds(30);  // 0: not kept
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  Decision on_error = Decision::kNoOpinion;           // or kDeny
  std::shared_ptr<const MatchConditions> conditions;  // null: it is asked about every request
  const base::Clock* clock = &base::Clock::Real();
};

// Answers are kept by a keyed digest of the review; whoever asks while one is on its way waits for that one.
// Failures are not kept, nor are answers to requests whose attributes are very long.
class WebhookAuthorizer final : public Authorizer {
 public:
  // `metrics` must outlive it. The error says why the webhook cannot be asked.
  static base::Result<std::shared_ptr<WebhookAuthorizer>, std::string> Make(
      WebhookAuthorizerOptions options, const pki::KubeconfigClient& config,
      const MakeRemoteClient& make_client, base::Metrics& metrics);

  base::Task<Verdict> Authorize(const Attributes& attributes) override;
  // A webhook has no way to tell.
  base::Task<Rules> RulesFor(const User& user, std::string_view ns) override;

 private:
  using Answer = base::Result<AccessReviewStatus, ReviewFailure>;

  WebhookAuthorizer(WebhookAuthorizerOptions options, std::unique_ptr<ReviewWebhook> webhook,
                    base::Metrics& metrics);

  // Whether the conditions leave it to the webhook; counted.
  base::Result<bool, std::string> Match(const Attributes& attributes);
  Verdict VerdictOf(const Answer& answer) const;
  base::Task<Answer> AskOften(const std::string& spec);
  base::Task<Answer> Ask(const std::string& spec);
  std::chrono::nanoseconds TtlOf(const Attributes& attributes, const Answer& answer) const;

  const WebhookAuthorizerOptions options_;
  const std::unique_ptr<ReviewWebhook> webhook_;
  const TokenDigester digest_;
  WebhookMetrics metrics_;
  AnswerCache<Answer> answers_;
};

}  // namespace keelson::auth
