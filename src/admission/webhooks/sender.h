// WebhookSender: how a review gets to a webhook. The composition root knows how webhooks are reached.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/task.h"

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
  std::string message;     // in upstream's words
  int32_t code = 503;      // for metrics: the status that upstream gives it
  bool timed_out = false;  // the timeout was over
};

// Threads: any loop.
class WebhookSender {
 public:
  virtual ~WebhookSender() = default;
  // Sends the JSON of a review and gives the body of an answer with a status of 2xx. Borrows `target` until
  // the task is done.
  virtual base::Task<base::Result<std::string, SendFailure>> Post(const WebhookTarget& target,
                                                                  std::string review,
                                                                  std::chrono::seconds timeout) = 0;
};

}  // namespace keelson::admission
