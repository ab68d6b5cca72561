#include "api/validation/core/projected_volume.h"

#include <set>

#include "api/validation/certificates/pod_certificate_request.h"
#include "api/validation/certificates/signing_request.h"
#include "api/validation/core/field_refs.h"
#include "api/validation/label_selector.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr std::string_view kVolumeFields[] = {"metadata.annotations", "metadata.labels", "metadata.name",
                                              "metadata.namespace", "metadata.uid"};
constexpr int64_t kMinTokenSeconds = 10 * 60;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32;
constexpr int32_t kMinCertificateSeconds = 3600;
constexpr int32_t kMaxCertificateSeconds = 91 * 86400;
constexpr int32_t kMaxSystemCertificateSeconds = 86400;

// The sources of one projected volume; all their files share one directory.
class ProjectionCheck {
 public:
  ProjectionCheck(const Path& volume, ErrorList& errors) : volume_(volume), errors_(errors) {}

  void Source(VolumeProjectionView source, const Path& path) {
    int kinds = 0;
    if (auto v = source.secret()) ++kinds, Keys(v, path.Child("secret"));
    if (auto v = source.config_map()) ++kinds, Keys(v, path.Child("configMap"));
    if (auto v = source.downward_api()) ++kinds, Downward(v, path.Child("downwardAPI"));
    if (auto v = source.service_account_token()) ++kinds, Token(v, path.Child("serviceAccountToken"));
    if (auto v = source.cluster_trust_bundle()) ++kinds, TrustBundle(v, path.Child("clusterTrustBundle"));
    if (auto v = source.pod_certificate()) ++kinds, Certificate(v, path.Child("podCertificate"));
    if (kinds > 1) errors_.Add(field::Forbidden(path, "may not specify more than 1 volume type per source"));
  }

 private:
  // `owner` is what the message names.
  void Claim(std::string_view file, std::string_view owner) {
    if (!files_.insert(file).second) {
      errors_.Add(field::Invalid(volume_, RenderValue(owner), "conflicting duplicate paths"));
    }
  }

  template <class View>
  void Keys(View source, const Path& path) {
    const std::string_view name = source.local_object_reference().name();
    CheckRequired(name, path.Child("name"), errors_);
    const Path items = path.Child("items");
    size_t i = 0;
    for (auto item : source.items()) {
      CheckKeyToPath(item, items.Index(i++), errors_);
      if (!item.path().empty()) Claim(item.path(), name);
    }
  }

  void Downward(DownwardAPIProjectionView source, const Path& path) {
    for (auto file : source.items()) {
      CheckDownwardFile(file, path, errors_);
      if (!file.path().empty()) Claim(file.path(), file.path());
    }
  }

  void Token(ServiceAccountTokenProjectionView source, const Path& path) {
    const Path expiration = path.Child("expirationSeconds");
    if (source.expiration_seconds() < kMinTokenSeconds) {
      errors_.Add(field::Invalid(expiration, RenderValue(source.expiration_seconds()),
                                 "may not specify a duration less than 10 minutes"));
    }
    if (source.expiration_seconds() > kMaxTokenSeconds) {
      errors_.Add(field::Invalid(expiration, RenderValue(source.expiration_seconds()),
                                 "may not specify a duration larger than 2^32 seconds"));
    }
    if (source.path().empty()) {
      errors_.Add(field::Required(volume_.Child("path"), ""));
    } else {
      CheckNonReservedPath(source.path(), volume_.Child("path"), errors_);
    }
  }

  void TrustBundle(ClusterTrustBundleProjectionView source, const Path& path) {
    if (source.has_name() && source.has_signer_name()) {
      errors_.Add(field::Invalid(path, field::RenderUnversioned(source.node()),
                                 "only one of name and signerName may be used"));
    } else if (source.has_name()) {
      if (source.name().empty())
        errors_.Add(field::Required(path.Child("name"), "must be a valid object name"));
      BundleName(source.name(), path.Child("name"));
      if (source.label_selector()) {
        errors_.Add(field::Invalid(path.Child("labelSelector"),
                                   field::RenderStruct(source.label_selector().node()),
                                   "labelSelector must be unset if name is specified"));
      }
    } else if (source.has_signer_name()) {
      if (source.signer_name().empty())
        errors_.Add(field::Required(path.Child("signerName"), "must be a valid signer name"));
      errors_.Append(certificates::ValidateSignerName(source.signer_name(), path.Child("signerName")));
      errors_.Append(ValidateLabelSelector(source.label_selector(), path.Child("labelSelector")));
    } else {
      errors_.Add(field::Required(path, "either name or signerName must be specified"));
    }
    CheckRequired(source.path(), path.Child("path"), errors_);
    CheckNonReservedPath(source.path(), path.Child("path"), errors_);
    Claim(source.path(), source.path());
  }

  // A bundle of a signer has the signer's name, with colons, before its own.
  void BundleName(std::string_view name, const Path& path) {
    const size_t colon = name.rfind(':');
    if (colon == 0) {
      return errors_.Add(
          field::Invalid(path, RenderValue(name),
                         "not a valid clustertrustbundlename: ClusterTrustBundle without signer "
                         "name must not have \":\" in its name"));
    }
    const std::string_view own = colon == name.npos ? name : name.substr(colon + 1);
    for (const std::string& why : NameIsDnsSubdomain(own, false))
      errors_.Add(field::Invalid(path, RenderValue(name), "not a valid clustertrustbundlename: " + why));
  }

  void Certificate(PodCertificateProjectionView source, const Path& path) {
    errors_.Append(certificates::ValidateSignerName(source.signer_name(), path.Child("signerName")));
    errors_.Append(
        certificates::ValidateUserAnnotations(source.user_annotations(), path.Child("userAnnotations")));
    constexpr std::string_view kKeyTypes[] = {"RSA3072",   "RSA4096",   "ECDSAP256",
                                              "ECDSAP384", "ECDSAP521", "ED25519"};
    CheckSupported(source.key_type(), kKeyTypes, path.Child("keyType"), errors_);
    if (source.has_max_expiration_seconds()) CertificateLifetime(source, path.Child("maxExpirationSeconds"));
    int files = 0;
    auto file = [&](std::string_view name, std::string_view member) {
      if (name.empty()) return;
      ++files;
      CheckNonReservedPath(name, path.Child(member), errors_);
      Claim(name, name);
    };
    file(source.credential_bundle_path(), "credentialBundlePath");
    file(source.key_path(), "keyPath");
    file(source.certificate_chain_path(), "certificateChainPath");
    if (files == 0) {
      errors_.Add(field::Required(
          path, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"));
    }
  }

  void CertificateLifetime(PodCertificateProjectionView source, const Path& path) {
    const int32_t seconds = source.max_expiration_seconds();
    const bool system = certificates::IsKubernetesSigner(source.signer_name());
    const int32_t max = system ? kMaxSystemCertificateSeconds : kMaxCertificateSeconds;
    if (seconds < kMinCertificateSeconds) {
      errors_.Add(
          field::Invalid(path, RenderValue(seconds), "if provided, maxExpirationSeconds must be >= 3600"));
    }
    if (seconds > max) {
      errors_.Add(field::Invalid(path, RenderValue(seconds),
                                 "if provided, maxExpirationSeconds must be <= " + std::to_string(max)));
    }
  }

  const Path& volume_;
  ErrorList& errors_;
  std::set<std::string_view> files_;
};

}  // namespace

void CheckKeyToPath(KeyToPathView item, const Path& path, ErrorList& errors) {
  CheckRequired(item.key(), path.Child("key"), errors);
  CheckRequired(item.path(), path.Child("path"), errors);
  CheckNonReservedPath(item.path(), path.Child("path"), errors);
  if (item.has_mode()) CheckFileMode(item.mode(), path.Child("mode"), errors);
}

void CheckDownwardFile(DownwardAPIVolumeFileView file, const Path& path, ErrorList& errors) {
  CheckRequired(file.path(), path.Child("path"), errors);
  CheckNonReservedPath(file.path(), path.Child("path"), errors);
  if (auto ref = file.field_ref()) {
    CheckFieldRef(ref, kVolumeFields, path.Child("fieldRef"), errors);
    if (file.resource_field_ref()) {
      errors.Add(field::Invalid(path, RenderValue("resource"),
                                "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (auto resource = file.resource_field_ref()) {
    CheckResourceFieldRef(resource, /*in_volume=*/true, path.Child("resourceFieldRef"), errors);
  } else {
    errors.Add(field::Required(path, "one of fieldRef and resourceFieldRef is required"));
  }
  if (file.has_mode()) CheckFileMode(file.mode(), path.Child("mode"), errors);
}

void CheckProjected(ProjectedVolumeSourceView source, const Path& path, ErrorList& errors) {
  if (source.has_default_mode()) CheckFileMode(source.default_mode(), path.Child("defaultMode"), errors);
  ProjectionCheck check(path, errors);
  const Path sources = path.Child("sources");
  size_t i = 0;
  for (auto projection : source.sources()) check.Source(projection, sources.Index(i++));
}

}  // namespace keelson::api::core
