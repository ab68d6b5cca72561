// How reviews get to admission and conversion webhooks: over HTTPS, to a URL or to a service, on connections
// that are kept.
#pragma once

#include <memory>

#include "admission/webhooks/sender.h"
#include "client/client.h"
#include "net/outbound/resolver.h"

namespace keelson::app {

struct WebhookSenderOptions {
  const client::Client& objects;  // finds services
  net::outbound::Resolver& resolver;
  bool to_endpoints =
      false;  // of services, rather than to their cluster addresses: --enable-aggregator-routing
};

// Borrows what the options refer to.
std::unique_ptr<admission::WebhookSender> MakeWebhookSender(const WebhookSenderOptions& options);

}  // namespace keelson::app
