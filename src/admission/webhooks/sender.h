// WebhookSender: how a review gets to a webhook. The composition root knows how webhooks are reached.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/slice.h"
#include "base/task.h"
#include "base/trace.h"

namespace keelson::admission {

// Where a webhook is: at a URL, or behind a service.
struct WebhookTarget {
  std::string url;  // empty: a service
  std::string service_namespace, service_name, service_path;
  uint16_t service_port = 443;
  std::string ca_bundle;  // PEM; empty: the system's authorities

  bool operator==(const WebhookTarget&) const = default;
};

struct SendFailure {
  std::string cause;       // in upstream's words
  int32_t code = 503;      // for metrics: the status that upstream gives it
  bool timed_out = false;  // the timeout was over
  bool called = true;      // false: there is no way to call it at all, as with authorities that do not parse

  // The text that an admission webhook that cannot be called leads to.
  std::string message() const {
    return (called ? "failed to call webhook: " : "could not get REST client: ") + cause;
  }
};

// The most that an admission webhook may answer: an object has 3 MiB, and the patch that makes all of it is a
// third longer in base64.
constexpr size_t kMostReviewBytes = size_t{8} << 20;

// Threads: any loop.
class WebhookSender {
 public:
  virtual ~WebhookSender() = default;
  // Sends the JSON of a review and gives the body of an answer with a status of 2xx and at most
  // `limit_bytes`. The webhook is told how long it has, in whole seconds, rounded up. Borrows `target` until
  // the task is done. The call is told as a span below `span`.
  virtual base::Task<base::Result<std::string, SendFailure>> Post(const WebhookTarget& target,
                                                                  base::Slice review,
                                                                  std::chrono::nanoseconds timeout,
                                                                  size_t limit_bytes,
                                                                  base::SpanParent span = {}) = 0;
};

}  // namespace keelson::admission
