#include "app/image_reviews.h"

#include <utility>

#include "app/remote_authentication.h"
#include "auth/authn/webhook_client.h"
#include "auth/pki/kubeconfig_reader.h"

namespace keelson::app {
namespace {

class RemoteImageReviewer final : public admission::ImageReviewer {
 public:
  explicit RemoteImageReviewer(std::unique_ptr<auth::WebhookClient> webhook) : webhook_(std::move(webhook)) {}
  base::Task<base::Result<std::string, std::string>> Review(std::string review) override {
    return webhook_->Post(std::move(review));
  }

 private:
  const std::unique_ptr<auth::WebhookClient> webhook_;
};

base::Result<std::unique_ptr<auth::WebhookClient>, std::string> MakeClient(
    const admission::ImagePolicyConfig& config, net::outbound::Resolver& resolver) {
  auto kubeconfig = TRY(auth::pki::ReadKubeconfig(config.kubeconfig_file));
  return auth::WebhookClient::Create(std::move(kubeconfig),
                                     {.name = "image policy webhook", .first_delay = config.retry_backoff},
                                     RemoteClients(resolver));
}

}  // namespace

base::Result<std::unique_ptr<admission::ImageReviewer>, std::string> MakeImageReviewer(
    const admission::ImagePolicyConfig& config, net::outbound::Resolver& resolver) {
  auto client = MakeClient(config, resolver);
  if (!client) return base::Err("couldn't init admission plugin \"ImagePolicyWebhook\": " + client.error());
  return std::make_unique<RemoteImageReviewer>(*std::move(client));
}

}  // namespace keelson::app
