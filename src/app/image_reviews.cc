#include "app/image_reviews.h"

#include <utility>

#include "app/remote_authentication.h"
#include "auth/authn/review_webhook.h"
#include "auth/pki/kubeconfig_reader.h"

namespace keelson::app {
namespace {

constexpr std::chrono::seconds kImageWebhookTimeout{30};

class RemoteImageReviewer final : public admission::ImageReviewer {
 public:
  RemoteImageReviewer(std::unique_ptr<auth::ReviewWebhook> webhook, std::chrono::nanoseconds first_delay)
      : webhook_(std::move(webhook)), first_delay_(first_delay) {}

  base::Task<base::Result<std::string, std::string>> Review(std::string review) override {
    auto answer = co_await auth::WithRetries([&] { return webhook_->Post(review); }, first_delay_);
    if (!answer) co_return base::Err(std::move(answer.error().message));
    co_return *std::move(answer);
  }

 private:
  const std::unique_ptr<auth::ReviewWebhook> webhook_;
  const std::chrono::nanoseconds first_delay_;
};

base::Result<std::unique_ptr<auth::ReviewWebhook>, std::string> MakeWebhook(
    const admission::ImagePolicyConfig& config, net::outbound::Resolver& resolver) {
  const auto kubeconfig = TRY(auth::pki::ReadKubeconfig(config.kubeconfig_file));
  return auth::ReviewWebhook::Make(kubeconfig, kImageWebhookTimeout, RemoteClients(resolver));
}

}  // namespace

base::Result<std::unique_ptr<admission::ImageReviewer>, std::string> MakeImageReviewer(
    const admission::ImagePolicyConfig& config, net::outbound::Resolver& resolver) {
  auto webhook = MakeWebhook(config, resolver);
  if (!webhook) return base::Err("couldn't init admission plugin \"ImagePolicyWebhook\": " + webhook.error());
  return std::make_unique<RemoteImageReviewer>(*std::move(webhook), config.retry_backoff);
}

}  // namespace keelson::app
