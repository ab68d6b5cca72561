// WebhookMetrics: what is counted of the webhooks of one plug-in, under upstream's names.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "admission/attributes.h"
#include "base/metrics.h"

namespace keelson::admission {

// The series of one webhook that grow with nearly every call, so that they are looked up once. Threads: any.
struct WebhookSeries {
  struct Allowed {
    std::atomic<base::Counter*> calls{nullptr};
    std::atomic<base::Histogram*> took{nullptr};
  };
  std::array<Allowed, 4> allowed;  // by operation
};

// Threads: any.
class WebhookMetrics {
 public:
  // `type`: "admit" or "validating". Borrows `metrics`; null: nothing is counted.
  WebhookMetrics(base::Metrics* metrics, std::string type);

  // One call: the status that upstream gives to its outcome, and whether it ended the request.
  void Called(const std::string& name, WebhookSeries& series, Operation operation,
              std::chrono::nanoseconds took, int32_t code, bool rejected) const;
  // `error`: "no_error", "calling_webhook_error" or "apiserver_internal_error".
  void Rejected(const std::string& name, Operation operation, std::string_view error, int32_t code) const;
  // The call failed, and the request goes on.
  void FailedOpen(const std::string& name) const;
  // `type` is that of match conditions: "admit" or "validate".
  void Excluded(const std::string& name, Operation operation) const;
  void ConditionsFailed(const std::string& name, Operation operation) const;
  // Not asked because its breaker is open.
  void Spared(const std::string& name) const;
  // Its certificate names the server in its common name alone, or is signed with SHA-1.
  void MissesNames() const;
  void SignedWithSha1() const;
  // 1 while the breaker of a webhook is open; null: nobody looks.
  base::Gauge* BreakerOpen(const std::string& configuration, const std::string& name) const;

 private:
  base::Counter& Calls(const std::string& name, Operation operation, int32_t code, bool rejected) const;
  base::Histogram& Durations(const std::string& name, Operation operation, bool rejected) const;
  std::string ConditionType() const { return type_ == "admit" ? "admit" : "validate"; }

  base::Metrics* const metrics_;
  const std::string type_;
  base::Counter* missing_names_ = nullptr;
  base::Counter* signed_with_sha1_ = nullptr;
};

}  // namespace keelson::admission
