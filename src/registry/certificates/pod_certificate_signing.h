// Who may answer a pod certificate request: whoever changes its status needs the permission to sign for its
// signer.
#pragma once

#include <memory>

#include "registry/group.h"

namespace keelson::registry::certificates {

std::unique_ptr<WriteCheck> MakePodCertificateSigningCheck(const Dependencies& dependencies);

}  // namespace keelson::registry::certificates
