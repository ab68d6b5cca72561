// Questions: one request on its way through the webhooks: which of them are to be asked, in which version,
// and what became of it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "admission/policies/decisions.h"
#include "admission/policies/evaluation.h"
#include "admission/policies/matching.h"
#include "admission/versioned_request.h"
#include "admission/webhooks/metrics.h"
#include "admission/webhooks/review.h"
#include "admission/webhooks/webhook.h"
#include "auth/authorizer.h"
#include "client/events.h"

namespace keelson::admission {

// WebhookParts: the dependencies that both webhook plug-ins have. All are borrowed.
struct WebhookParts {
  const client::Client* objects = nullptr;
  auth::Authorizer* authorizer = nullptr;  // asked by match conditions; null: has no opinion
  WebhookSender* sender = nullptr;
  base::Metrics* metrics = nullptr;         // null: nothing is counted
  client::EventRecorder* events = nullptr;  // told of webhooks that are not asked any more; null: nobody is
  const base::Clock* clock = &base::Clock::Real();
};

// Makes the breakers of the webhooks of one kind, which show themselves by metrics and events. Borrows both.
WebhookSet::MakeBreaker MakeBreakers(const WebhookParts& parts, const WebhookMetrics& metrics,
                                     WebhookSet::Kind kind);

// The result of one call of a webhook.
struct CallOutcome {
  enum class Kind : uint8_t {
    kAllowed,
    kDenied,  // by the webhook
    kFailed,  // it could not be asked: failurePolicy decides
    kError,   // whatever the failurePolicy is
  };
  Kind kind = Kind::kAllowed;
  std::string patch, patch_type;  // of a webhook that allows it
  api::Status status;             // of kDenied and kError
  std::string why;                // of kFailed, as upstream words it
  int32_t code = 200;             // for metrics
  bool spared = false;            // of kFailed: it keeps timing out, and was not asked
  bool late = false;              // of kFailed: the time of the whole request is over

  static CallOutcome Failed(std::string why, int32_t code) {
    return {.kind = Kind::kFailed, .why = std::move(why), .code = code};
  }
  static CallOutcome Error(api::Status status) {
    return {.kind = Kind::kError, .status = std::move(status), .code = 0};
  }
};

// Which call of a request it is, as the audit log tells it.
struct WebhookPlace {
  int round = 0;  // 1: the webhook is asked again
  size_t index = 0;

  std::string ToString() const {
    return "round_" + std::to_string(round) + "_index_" + std::to_string(index);
  }
};

// Belongs to one request.
class Questions {
 public:
  // Borrows all.
  Questions(const Attributes& request, const WebhookParts& parts, const WebhookMetrics& metrics,
            bool mutating)
      : request_(request),
        parts_(parts),
        metrics_(metrics),
        mutating_(mutating),
        matched_(request, *parts.objects),
        decisions_(request.user, parts.authorizer) {}

  // Null: the webhook is not to be asked. An error is the answer to the request.
  base::Task<base::Result<std::unique_ptr<VersionedRequest>, api::Status>> ShouldAsk(const Webhook& webhook);
  // Asks, and tells the client what the webhook wants to warn of.
  base::Task<CallOutcome> Ask(const Webhook& webhook, const VersionedRequest& versioned);
  // The verdict on the request that `outcome` leads to under the webhook's failurePolicy. Counts the call.
  Verdict Settle(const Webhook& webhook, const CallOutcome& outcome, std::chrono::nanoseconds took,
                 WebhookPlace place);

 private:
  // Why the webhook cannot be called: it has side effects on a dry run, speaks no version of reviews, or its
  // breaker is open. nullopt: it can.
  std::optional<CallOutcome> WhyNotAsked(const Webhook& webhook) const;
  base::Task<base::Result<bool, api::Status>> ConditionsHold(const Webhook& webhook,
                                                             const VersionedRequest& versioned);
  // Tells of a call, by upstream's names.
  void Describe(const Webhook& webhook, std::string_view uid, base::Span& span) const;
  // Counts a call that failed for a certificate of a kind that clients no longer trust, and tells the audit
  // log.
  void TellOfCertificate(const WebhookTarget& target, std::string_view cause) const;
  // How long a webhook may take at most.
  std::chrono::nanoseconds LongestFor(const Webhook& webhook) const;
  // Whether the request goes on although the webhook cannot be asked, whatever its failurePolicy is.
  bool CannotWait(const Webhook& webhook) const;

  const Attributes& request_;
  const WebhookParts& parts_;
  const WebhookMetrics& metrics_;
  const bool mutating_;
  MatchedRequest matched_;
  Decisions decisions_;
};

}  // namespace keelson::admission
