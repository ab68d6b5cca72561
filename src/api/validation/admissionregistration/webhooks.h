// Rules of webhook configurations.
#pragma once

#include "api/generated/admissionregistration_v1.h"
#include "api/validation/expressions.h"
#include "api/validation/field.h"

namespace keelson::api::admissionregistration {

field::ErrorList ValidateWebhooks(admissionregistration_v1::ValidatingWebhookConfigurationView configuration,
                                  const ExpressionRules& rules);
field::ErrorList ValidateWebhooks(admissionregistration_v1::MutatingWebhookConfigurationView configuration,
                                  const ExpressionRules& rules);
// Objects that were stored before a rule was made may go on breaking it.
field::ErrorList ValidateWebhooksUpdate(admissionregistration_v1::ValidatingWebhookConfigurationView now,
                                        admissionregistration_v1::ValidatingWebhookConfigurationView was,
                                        const ExpressionRules& rules);
field::ErrorList ValidateWebhooksUpdate(admissionregistration_v1::MutatingWebhookConfigurationView now,
                                        admissionregistration_v1::MutatingWebhookConfigurationView was,
                                        const ExpressionRules& rules);

}  // namespace keelson::api::admissionregistration
