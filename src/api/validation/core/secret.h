#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

field::ErrorList ValidateSecret(core_v1::SecretView secret);
field::ErrorList ValidateSecretUpdate(core_v1::SecretView now, core_v1::SecretView was);

}  // namespace keelson::api::core
