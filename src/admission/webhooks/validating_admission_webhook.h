// ValidatingAdmissionWebhook: webhooks that judge what is written, all at once.
#pragma once

#include "admission/plugin.h"
#include "admission/webhooks/questions.h"

namespace keelson::admission {

class ValidatingAdmissionWebhook final : public Plugin {
 public:
  explicit ValidatingAdmissionWebhook(const WebhookParts& parts);

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  const WebhookParts parts_;
  const WebhookMetrics metrics_;
  const WebhookSet webhooks_;
};

}  // namespace keelson::admission
