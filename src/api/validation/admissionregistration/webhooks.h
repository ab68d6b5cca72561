// Rules of webhook configurations.
#pragma once

#include "api/generated/admissionregistration_v1.h"
#include "api/validation/field.h"

namespace keelson::api::admissionregistration {

field::ErrorList ValidateWebhooks(admissionregistration_v1::ValidatingWebhookConfigurationView configuration);
field::ErrorList ValidateWebhooks(admissionregistration_v1::MutatingWebhookConfigurationView configuration);
// Objects that were stored before a rule was made may go on breaking it.
field::ErrorList ValidateWebhooksUpdate(admissionregistration_v1::ValidatingWebhookConfigurationView now,
                                        admissionregistration_v1::ValidatingWebhookConfigurationView was);
field::ErrorList ValidateWebhooksUpdate(admissionregistration_v1::MutatingWebhookConfigurationView now,
                                        admissionregistration_v1::MutatingWebhookConfigurationView was);

}  // namespace keelson::api::admissionregistration
