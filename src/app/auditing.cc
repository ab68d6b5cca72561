#include "app/auditing.h"

#include "app/remote_authentication.h"
#include "audit/log_sink.h"
#include "audit/webhook_sink.h"
#include "auth/authn/review_webhook.h"
#include "auth/pki/kubeconfig_reader.h"
#include "base/log.h"

namespace keelson::app {
namespace {

constexpr std::chrono::seconds kAuditWebhookTimeout{30};

using Webhook = std::shared_ptr<const auth::ReviewWebhook>;

// Whatever goes wrong may pass.
base::Task<base::Result<std::string, auth::ReviewFailure>> PostOnce(Webhook webhook, std::string body) {
  auto answer = co_await webhook->Post(std::move(body));
  if (!answer) answer.error().may_pass = true;
  co_return answer;
}

base::Task<base::Result<void, std::string>> PostWithRetries(Webhook webhook, std::chrono::nanoseconds backoff,
                                                            std::string body) {
  const auto sent = co_await auth::WithRetries([&] { return PostOnce(webhook, body); }, backoff);
  if (!sent) co_return base::Err(sent.error().message);
  co_return base::Result<void, std::string>();
}

}  // namespace

base::Result<std::unique_ptr<audit::Sink>, std::string> Auditing::MakeWebhook(
    const audit::WebhookConfig& config, net::outbound::Resolver& resolver, base::Metrics& metrics) {
  const auto make = [&]() -> base::Result<Webhook, std::string> {
    const auto kubeconfig = TRY(auth::pki::ReadKubeconfig(config.config_file));
    return Webhook(TRY(auth::ReviewWebhook::Make(kubeconfig, kAuditWebhookTimeout, RemoteClients(resolver))));
  };
  auto webhook = make();
  if (!webhook) return base::Err("initializing audit webhook: " + webhook.error());
  loop_ = std::make_unique<net::EventLoop>();
  thread_ = std::thread([loop = loop_.get()] { loop->Run(); });
  return audit::MakeWebhookSink(
      config, *loop_,
      [webhook = *std::move(webhook), backoff = config.initial_backoff](std::string body) {
        return PostWithRetries(webhook, backoff, std::move(body));
      },
      metrics);
}

base::Result<std::unique_ptr<Auditing>, std::string> Auditing::Make(const audit::Config& config,
                                                                    net::outbound::Resolver& resolver,
                                                                    base::Metrics& metrics) {
  const bool webhook = !config.webhook.config_file.empty();
  if (config.policy_file.empty() && (webhook || !config.log.path.empty()))
    base::Log(base::LogLevel::kWarning, "no --audit-policy-file is given: no audit events are recorded");
  if (config.policy_file.empty()) return nullptr;
  auto policy = TRY(audit::Policy::ReadFile(config.policy_file));
  std::unique_ptr<Auditing> auditing(new Auditing());
  std::vector<std::unique_ptr<audit::Sink>> sinks;
  if (!config.log.path.empty()) sinks.push_back(TRY(audit::MakeLogSink(config.log, metrics)));
  if (webhook) sinks.push_back(TRY(auditing->MakeWebhook(config.webhook, resolver, metrics)));
  if (sinks.empty()) return nullptr;
  auditing->auditor_ = std::make_unique<audit::Auditor>(std::move(policy), std::move(sinks), metrics);
  return auditing;
}

Auditing::~Auditing() { End(); }

void Auditing::End() {
  if (auditor_) auditor_->End();
  if (!thread_.joinable()) return;
  loop_->Stop();
  thread_.join();
}

}  // namespace keelson::app
