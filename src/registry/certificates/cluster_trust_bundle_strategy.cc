#include "api/meta/object_meta.h"
#include "api/validation/certificates/cluster_trust_bundle.h"
#include "api/validation/object_meta.h"
#include "auth/certificate_text.h"
#include "registry/certificates/strategies.h"

namespace keelson::registry::certificates {
namespace {

using api::certificates_v1beta1::ClusterTrustBundleView;
using api::field::ErrorList;

// ClusterTrustBundle: its name depends on its signer, so it is checked with the rest.
class ClusterTrustBundleStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  bool ValidatesMetadata() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view, bool) const override { return {}; }

  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    const ClusterTrustBundleView bundle(doc);
    ErrorList errors = CheckMetadata(bundle);
    errors.Append(api::certificates::ValidateTrustBundle(bundle, ClusterTrustBundleView(), FaultsOf(bundle)));
    return errors;
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    const ClusterTrustBundleView bundle(now), old(was);
    const bool changed = bundle.spec().trust_bundle() != old.spec().trust_bundle();
    ErrorList errors = CheckMetadata(bundle);
    errors.Append(api::certificates::ValidateTrustBundle(
        bundle, old, changed ? FaultsOf(bundle) : std::vector<std::string>()));
    return errors;
  }

 private:
  static ErrorList CheckMetadata(ClusterTrustBundleView bundle) {
    const std::string_view signer = bundle.spec().signer_name();
    const api::field::Path path("metadata");
    ErrorList errors = api::ValidateObjectMeta(
        bundle.metadata(), false,
        [signer](std::string_view name, bool prefix) {
          return api::certificates::NameOfTrustBundle(name, prefix, signer);
        },
        path);
    errors.Append(api::ValidateStandardFinalizers(bundle.metadata(), path.Child("finalizers")));
    return errors;
  }
  static std::vector<std::string> FaultsOf(ClusterTrustBundleView bundle) {
    const std::string_view pem = bundle.spec().trust_bundle();
    if (pem.size() > api::certificates::kMaxTrustBundleSize) return {};
    return auth::FaultsOfTrustAnchors(pem);
  }
};

}  // namespace

const Strategy& ClusterTrustBundles() {
  static const ClusterTrustBundleStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::certificates
