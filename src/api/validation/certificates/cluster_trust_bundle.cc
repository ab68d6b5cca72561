#include "api/validation/certificates/cluster_trust_bundle.h"

#include <algorithm>

#include "api/validation/certificates/signing_request.h"

namespace keelson::api::certificates {

using certificates_v1beta1::ClusterTrustBundleView;
using field::ErrorList;
using field::Path;
using field::RenderValue;

Messages NameOfTrustBundle(std::string_view name, bool prefix, std::string_view signer) {
  if (signer.empty()) {
    if (name.find(':') != name.npos)
      return {"ClusterTrustBundle without signer name must not have \":\" in its name"};
    return NameIsDnsSubdomain(name, prefix);
  }
  std::string required(signer);
  std::ranges::replace(required, '/', ':');
  required += ':';
  if (!name.starts_with(required))
    return {"ClusterTrustBundle for signerName " + std::string(signer) + " must be named with prefix " +
            required};
  return NameIsDnsSubdomain(name.substr(required.size()), prefix);
}

ErrorList ValidateTrustBundle(ClusterTrustBundleView now, ClusterTrustBundleView was,
                              std::span<const std::string> faults) {
  ErrorList errors;
  const auto spec = now.spec();
  const Path path("spec"), signer = path.Child("signerName"), bundle = path.Child("trustBundle");
  if (!spec.signer_name().empty()) errors.Append(ValidateSignerName(spec.signer_name(), signer));
  if (!was || was.spec().trust_bundle() != spec.trust_bundle()) {
    if (spec.trust_bundle().size() > kMaxTrustBundleSize) {
      errors.Add(field::TooLong(bundle, kMaxTrustBundleSize));
    } else {
      for (const std::string& fault : faults)
        errors.Add(field::Invalid(bundle, RenderValue("<value omitted>"), fault));
    }
  }
  if (was && was.spec().signer_name() != spec.signer_name())
    errors.Add(field::Invalid(signer, RenderValue(spec.signer_name()), "field is immutable"));
  return errors;
}

}  // namespace keelson::api::certificates
