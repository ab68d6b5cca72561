// Rules of cluster trust bundles.
#pragma once

#include <span>
#include <string>

#include "api/generated/certificates_v1beta1.h"
#include "api/validation/field.h"
#include "api/validation/names.h"

namespace keelson::api::certificates {

constexpr size_t kMaxTrustBundleSize = 1024 * 1024;

// The name of a bundle begins with its signer's.
Messages NameOfTrustBundle(std::string_view name, bool prefix, std::string_view signer);

// `faults`: what is wrong with the certificates. `was` is null on creation.
field::ErrorList ValidateTrustBundle(certificates_v1beta1::ClusterTrustBundleView now,
                                     certificates_v1beta1::ClusterTrustBundleView was,
                                     std::span<const std::string> faults);

}  // namespace keelson::api::certificates
