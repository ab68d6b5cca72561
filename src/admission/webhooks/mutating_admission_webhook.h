// MutatingAdmissionWebhook: webhooks that change what is written, one after the other.
#pragma once

#include "admission/plugin.h"
#include "admission/webhooks/questions.h"

namespace keelson::admission {

class MutatingAdmissionWebhook final : public Plugin {
 public:
  explicit MutatingAdmissionWebhook(const WebhookParts& parts);

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;

 private:
  const WebhookParts parts_;
  const WebhookMetrics metrics_;
  const WebhookSet webhooks_;
};

}  // namespace keelson::admission
