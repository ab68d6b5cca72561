// Auditing: the policy and the sinks that the flags --audit-* ask for.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "audit/auditor.h"
#include "audit/config.h"
#include "base/metrics.h"
#include "base/result.h"
#include "net/loop/event_loop.h"
#include "net/outbound/resolver.h"

namespace keelson::app {

// Owns the auditor and, where there is a webhook, the loop that asks it. Outlives the server.
class Auditing {
 public:
  // Null: nothing is to be audited, since there is no policy or nowhere to keep events.
  static base::Result<std::unique_ptr<Auditing>, std::string> Make(const audit::Config& config,
                                                                   net::outbound::Resolver& resolver,
                                                                   base::Metrics& metrics);
  ~Auditing();
  Auditing(const Auditing&) = delete;
  Auditing& operator=(const Auditing&) = delete;

  audit::Auditor& auditor() { return *auditor_; }
  // Waits for what sinks have to keep; what comes later is lost, and counted. The loops of those who wait for
  // it must not be gone yet. One thread at a time.
  void End();

 private:
  Auditing() = default;
  base::Result<std::unique_ptr<audit::Sink>, std::string> MakeWebhook(const audit::WebhookConfig& config,
                                                                      net::outbound::Resolver& resolver,
                                                                      base::Metrics& metrics);

  std::unique_ptr<net::EventLoop> loop_;  // null: there is no webhook
  std::thread thread_;
  std::unique_ptr<audit::Auditor> auditor_;
};

}  // namespace keelson::app
