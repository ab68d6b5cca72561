// AdmissionRules: the chain of admission plugins, joined to the stores.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "admission/chain.h"
#include "admission/hooks.h"
#include "admission/plugins/stored_namespaces.h"
#include "app/config.h"
#include "auth/authorizer.h"
#include "client/client.h"
#include "client/events.h"
#include "net/http/client.h"
#include "net/outbound/http_client.h"
#include "net/outbound/resolver.h"
#include "registry/features.h"

namespace keelson::app {

// What admission needs besides the stores; made before they are opened, so that a mistake in a file ends the
// start early.
struct AdmissionInputs {
  admission::Settings settings;
  std::unique_ptr<admission::ImageReviewer> image_reviewer;  // null unless ImagePolicyWebhook is on
  net::outbound::Resolver* resolver = nullptr;               // of the names of webhooks
  const net::outbound::ConnectProxy* proxy = nullptr;        // on the way to services; null: none
  net::http::Client* self = nullptr;                         // this server; set before there are rules
  client::EventRecorder* events = nullptr;  // set before there are rules; null: webhooks are not told of
};
// Reads the files that `config` names. Borrows `resolver`.
base::Result<AdmissionInputs, std::string> ReadAdmissionInputs(const AdmissionConfig& config,
                                                               net::outbound::Resolver& resolver);

// Threads: any loop. Nothing is read before the stores are complete.
class AdmissionRules {
 public:
  // `client` outlives this, and so does `authorizer`, which expressions may ask, `inputs` and `metrics`.
  AdmissionRules(const client::Client& client, const AdmissionConfig& config, const AdmissionInputs& inputs,
                 auth::Authorizer* authorizer, const registry::Features& features, base::Metrics& metrics);

  // What whoever serves a resource or subresource is to ask; borrows from this.
  admission::Hooks For(const api::ResourceDesc& resource, std::string_view subresource) const;

 private:
  const admission::StoredNamespaces namespaces_;
  const std::unique_ptr<admission::WebhookSender> webhooks_;
  const admission::Chain chain_;
};

}  // namespace keelson::app
