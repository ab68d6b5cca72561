// How reviews get to admission and conversion webhooks: over HTTPS, to a URL or to a service, on connections
// that are kept.
#pragma once

#include <memory>

#include "admission/webhooks/sender.h"
#include "client/client.h"
#include "net/http/client.h"
#include "net/outbound/http_client.h"
#include "net/outbound/resolver.h"

namespace keelson::app {

struct WebhookSenderOptions {
  const client::Client& objects;  // finds services
  net::outbound::Resolver& resolver;
  // Services are reached at their endpoints, not at cluster addresses: --enable-aggregator-routing.
  bool to_endpoints = false;
  const net::outbound::ConnectProxy* proxy = nullptr;  // on the way to services; null: none
  net::http::Client* self = nullptr;  // this server, which the service `kubernetes` stands for
};

// Borrows what the options refer to.
std::unique_ptr<admission::WebhookSender> MakeWebhookSender(const WebhookSenderOptions& options);

}  // namespace keelson::app
