#include "api/validation/certificates/pod_certificate_request.h"

#include <algorithm>
#include <string>

#include "api/codec/time_format.h"
#include "api/validation/certificates/signing_request.h"
#include "api/validation/conditions.h"
#include "api/validation/core/checks.h"
#include "api/validation/labels.h"
#include "api/validation/names.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::certificates {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using namespace certificates_v1beta1;

constexpr int64_t kMinLifetimeSeconds = 3600;
constexpr int64_t kMaxLifetimeSeconds = 91 * 86400, kMaxKubernetesLifetimeSeconds = 86400;
constexpr size_t kMaxUidSize = 128;
constexpr std::string_view kIssuedState = "Issued", kDeniedState = "Denied", kFailedState = "Failed";

// An error that does not show the value.
field::Error Unshown(const Path& path, std::string_view detail) {
  return {field::ErrorType::kInvalid, path.ToString(), "", false, std::string(detail)};
}

void CheckUid(std::string_view uid, const Path& path, ErrorList& errors) {
  if (uid.empty()) errors.Add(field::Invalid(path, RenderValue(uid), "must not be empty"));
  if (uid.size() > kMaxUidSize) errors.Add(field::TooLong(path, kMaxUidSize));
}

void CheckNames(PodCertificateRequestSpecView spec, const Path& path, ErrorList& errors) {
  errors.Append(ValidateSignerName(spec.signer_name(), path.Child("signerName")));
  errors.Append(
      ValidateUserAnnotations(spec.unverified_user_annotations(), path.Child("unverifiedUserAnnotations")));
  const auto check_name = [&](std::string_view name, const Path& at) {
    errors.AddInvalid(at, name, NameIsDnsSubdomain(name, false));
  };
  check_name(spec.pod_name(), path.Child("podName"));
  CheckUid(spec.pod_uid(), path.Child("podUID"), errors);
  check_name(spec.service_account_name(), path.Child("serviceAccountName"));
  CheckUid(spec.service_account_uid(), path.Child("serviceAccountUID"), errors);
  check_name(spec.node_name(), path.Child("nodeName"));
  CheckUid(spec.node_uid(), path.Child("nodeUID"), errors);
}

void CheckLifetime(PodCertificateRequestSpecView spec, const Path& path, ErrorList& errors) {
  const int64_t seconds = spec.max_expiration_seconds();
  const int64_t most =
      IsKubernetesSigner(spec.signer_name()) ? kMaxKubernetesLifetimeSeconds : kMaxLifetimeSeconds;
  if (seconds >= kMinLifetimeSeconds && seconds <= most) return;
  errors.Add(field::Invalid(
      path, RenderValue(seconds),
      "must be in the range [" + std::to_string(kMinLifetimeSeconds) + ", " + std::to_string(most) + "]"));
}

// Checks a public key that comes with a proof that its owner has the private one.
void CheckPublicKey(PodCertificateRequestSpecView spec, const KeyFault& key, const Path& path,
                    ErrorList& errors) {
  const Path at = path.Child("pkixPublicKey"), proof = path.Child("proofOfPossession");
  if (spec.pkix_public_key().size() > kMaxRequestedKeySize)
    return errors.Add(field::TooLong(at, kMaxRequestedKeySize));
  if (spec.proof_of_possession().size() > kMaxRequestedKeySize)
    return errors.Add(field::TooLong(proof, kMaxRequestedKeySize));
  const auto shown = [&] { return field::RenderField(spec.node(), "pkixPublicKey"); };
  switch (key.kind) {
    case KeyFault::Kind::kNone: return;
    case KeyFault::Kind::kUnreadable:
      return errors.Add(field::Invalid(at, shown(), "must be a valid PKIX-serialized public key"));
    case KeyFault::Kind::kCurve:
      return errors.Add(
          field::Invalid(at, RenderValue(key.shown), "elliptic public keys must use curve P256 or P384"));
    case KeyFault::Kind::kModulus:
      return errors.Add(
          field::Invalid(at, RenderValue(key.shown), "RSA keys must have modulus size 3072 or 4096"));
    case KeyFault::Kind::kType:
      return errors.Add(field::Invalid(
          at, shown(), "unknown public key type; supported types are Ed25519, ECDSA, and RSA"));
    case KeyFault::Kind::kSignature:
      return errors.Add(Unshown(proof, "could not verify proof-of-possession signature"));
  }
}

// Checks a PKCS#10 request, which is signed with the key that it asks for.
void CheckRequest(PodCertificateRequestSpecView spec, const KeyFault& key, const Path& at,
                  ErrorList& errors) {
  if (spec.stub_pkcs10_request().size() > kMaxRequestedKeySize)
    return errors.Add(field::TooLong(at, kMaxRequestedKeySize));
  switch (key.kind) {
    case KeyFault::Kind::kNone: return;
    case KeyFault::Kind::kUnreadable: return errors.Add(Unshown(at, "must be a valid PKCS#10 CSR"));
    case KeyFault::Kind::kCurve:
      return errors.Add(field::Invalid(at, RenderValue(key.shown),
                                       "elliptic public keys must use curve P256, P384, or P521"));
    case KeyFault::Kind::kModulus:
      return errors.Add(
          field::Invalid(at, RenderValue(key.shown), "RSA keys must have modulus size 3072 or 4096"));
    case KeyFault::Kind::kType:
      return errors.Add(Unshown(at, "unknown public key type; supported types are Ed25519, ECDSA, and RSA"));
    case KeyFault::Kind::kSignature: return errors.Add(Unshown(at, "invalid signature"));
  }
}

bool HasRequestOnly(PodCertificateRequestSpecView spec) {
  return !spec.stub_pkcs10_request().empty() && spec.pkix_public_key().empty() &&
         spec.proof_of_possession().empty();
}
bool HasKeyOnly(PodCertificateRequestSpecView spec) {
  return spec.stub_pkcs10_request().empty() && !spec.pkix_public_key().empty() &&
         !spec.proof_of_possession().empty();
}

// ---- status

bool Is(PodCertificateRequestView request, std::string_view type) {
  for (const auto condition : request.status().conditions())
    if (condition.type() == type && condition.status() == "True") return true;
  return false;
}
bool IsDecided(PodCertificateRequestView request) {
  return Is(request, kIssuedState) || Is(request, kDeniedState) || Is(request, kFailedState);
}

// One of the known conditions at most, and it holds.
ErrorList CheckDecision(PodCertificateRequestStatusView status, const Path& path) {
  static constexpr std::string_view kTrueOnly[] = {"True"};
  static constexpr std::string_view kDecisions[] = {kIssuedState, kDeniedState, kFailedState};
  ErrorList errors;
  const Path all = path.Child("conditions");
  size_t known = 0, i = 0;
  for (const auto condition : status.conditions()) {
    const std::string index = "[" + std::to_string(i++) + "]";  // a step of its own, as upstream has it
    const Path at = all.Child(index);
    if (std::ranges::find(kDecisions, condition.type()) == std::end(kDecisions)) {
      errors.Add(field::NotSupported(at.Child("type"), RenderValue(condition.type()), kDecisions));
      continue;
    }
    if (++known > 1)
      errors.Add(
          field::Invalid(at.Child("type"), RenderValue(condition.type()),
                         R"(There may be at most one condition with type "Issued", "Denied", or "Failed")"));
    if (condition.status() != "True")
      errors.Add(field::NotSupported(at.Child("status"), RenderValue(condition.status()), kTrueOnly));
  }
  errors.Append(ValidateConditions(status.conditions(), all));
  return errors;
}

// The leaf, without its times; false: there is no more to look at.
bool CheckLeaf(PodCertificateRequestStatusView status, const IssuedChain& chain, const Path& at,
               ErrorList& errors) {
  const auto fail = [&](std::string_view why) {
    errors.Add(field::Invalid(at, RenderValue(status.certificate_chain()), why));
    return false;
  };
  if (status.certificate_chain().size() > kMaxCertificateChainSize) {
    errors.Add(field::TooLong(at, kMaxCertificateChainSize));
    return false;
  }
  switch (chain.leaf) {
    case IssuedChain::Fault::kNoCertificate:
      return fail("issued certificate chain must contain at least one certificate");
    case IssuedChain::Fault::kOtherBlock:
      return fail("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
    case IssuedChain::Fault::kUnreadable: return fail("leaf certificate does not parse as valid X.509");
    case IssuedChain::Fault::kNone: break;
  }
  for (const std::string& name : chain.dns_names) {
    const auto object = [&](std::string_view why) { errors.Add(field::Invalid(at, RenderValue(name), why)); };
    if (name.empty()) object("leaf certificate should not contain empty DNSName");
    if (name.find("..") != name.npos) object("leaf certificate's DNSName should not contain '..'");
    if (name.starts_with('.') || name.ends_with('.'))
      object("leaf certificate's DNSName should not start or end with '.'");
  }
  for (const std::string& email : chain.bad_emails)
    errors.Add(
        field::Invalid(at, RenderValue(email), "leaf certificate should not contain invalid EmailAddress"));
  return chain.is_for_key || fail("leaf certificate was not issued to the requested public key");
}

std::string RenderTime(int64_t seconds) {
  char text[kMaxTimeSize];
  return RenderValue(std::string_view(text, FormatTime(seconds, text)));
}

// The times of the status against those of the leaf and of this server; false: some are wrong.
bool CheckTimes(PodCertificateRequestView request, const IssuedChain& chain, int64_t now_seconds,
                const Path& path, ErrorList& errors) {
  constexpr int64_t kSkewSeconds = 5 * 60, kMarginSeconds = 10 * 60;
  const auto status = request.status();
  const Path not_before = path.Child("notBefore"), not_after = path.Child("notAfter"),
             refresh = path.Child("beginRefreshAt"), leaf = path.Child("certificateChain");
  if (!status.has_not_before())
    errors.Add(field::Required(not_before, "must be present and consistent with the issued certificate"));
  if (!status.has_not_after())
    errors.Add(field::Required(not_after, "must be present and consistent with the issued certificate"));
  if (!status.has_begin_refresh_at())
    errors.Add(
        field::Required(refresh, "must be present and in the range [notbefore+10min, notafter-10min]"));
  if (!errors.empty()) return false;

  const auto fail = [&](const Path& at, const std::string& shown, std::string_view why) {
    errors.Add(field::Invalid(at, shown, why));
    return false;
  };
  const int64_t from = status.not_before(), until = status.not_after(), renew = status.begin_refresh_at();
  if (from != chain.not_before)
    return fail(not_before, RenderTime(from),
                "must be set to the NotBefore time encoded in the leaf certificate");
  if (from <= now_seconds - kSkewSeconds || from >= now_seconds + kSkewSeconds)
    return fail(not_before, RenderTime(from),
                "must be set to within 5 minutes of kube-apiserver's current time");
  if (until != chain.not_after)
    return fail(not_after, RenderTime(until),
                "must be set to the NotAfter time encoded in the leaf certificate");
  const int64_t lifetime = chain.not_after - chain.not_before;
  const auto render_nanos = [&] { return RenderValue(lifetime * 1'000'000'000); };
  if (lifetime < kMinLifetimeSeconds)
    return fail(leaf, render_nanos(), "leaf certificate lifetime must be >= 1 hour");
  if (const int64_t most = request.spec().max_expiration_seconds(); lifetime > most)
    return fail(
        leaf, render_nanos(),
        "leaf certificate lifetime must be <= spec.maxExpirationSeconds (" + std::to_string(most) + ")");
  if (renew < from + kMarginSeconds)
    return fail(refresh, RenderTime(renew), "must be at least 10 minutes after status.notBefore");
  if (renew > until - kMarginSeconds)
    return fail(refresh, RenderTime(renew), "must be at least 10 minutes before status.notAfter");
  return true;
}

ErrorList CheckIssued(PodCertificateRequestView request, const IssuedChain& chain, int64_t now_seconds) {
  ErrorList errors;
  const Path path("status"), at = path.Child("certificateChain");
  const auto status = request.status();
  if (!CheckLeaf(status, chain, at, errors) || !CheckTimes(request, chain, now_seconds, path, errors))
    return errors;
  if (chain.others == IssuedChain::Fault::kNone) return errors;
  errors.Add(field::Invalid(at, RenderValue(status.certificate_chain()),
                            chain.others == IssuedChain::Fault::kOtherBlock
                                ? "issued certificate chain must consist entirely of CERTFICATE PEM blocks"
                                : "intermediate certificate does not parse as valid X.509"));
  return errors;
}

}  // namespace

bool HasKeyToCheck(PodCertificateRequestSpecView spec) {
  if (HasRequestOnly(spec)) return spec.stub_pkcs10_request().size() <= kMaxRequestedKeySize;
  return HasKeyOnly(spec) && spec.pkix_public_key().size() <= kMaxRequestedKeySize &&
         spec.proof_of_possession().size() <= kMaxRequestedKeySize;
}

ErrorList ValidatePodCertificateRequest(PodCertificateRequestView request, const KeyFault& key) {
  ErrorList errors;
  const auto spec = request.spec();
  const Path path("spec");
  CheckNames(spec, path, errors);
  if (!spec.has_max_expiration_seconds()) {
    errors.Add(field::Required(path.Child("maxExpirationSeconds"), "must be set"));
    return errors;
  }
  CheckLifetime(spec, path.Child("maxExpirationSeconds"), errors);
  if (HasRequestOnly(spec))
    CheckRequest(spec, key, path.Child("stubPKCS10Request"), errors);
  else if (HasKeyOnly(spec))
    CheckPublicKey(spec, key, path, errors);
  else
    errors.Add(Unshown(
        path, "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set"));
  return errors;
}

ErrorList ValidatePodCertificateRequestUpdate(PodCertificateRequestView now, PodCertificateRequestView was) {
  ErrorList errors;
  if (!core::SameStruct(now.spec(), was.spec()))
    errors.Add(
        field::Invalid(Path("spec"), field::RenderUnversionedField(now.node(), "spec"), kFieldImmutable));
  return errors;
}

ErrorList ValidatePodCertificateRequestStatus(PodCertificateRequestView now, PodCertificateRequestView was,
                                              const IssuedChain& chain, int64_t now_seconds) {
  const Path path("status");
  const auto status = now.status();
  ErrorList errors = CheckDecision(status, path);
  if (!errors.empty()) return errors;  // the rest depends on the conditions
  const bool same = core::SameStruct(status, was.status());
  if (IsDecided(was)) {
    if (!same)
      errors.Add(Unshown(path, "immutable after PodCertificateRequest is issued, denied, or failed"));
    return errors;
  }
  if (Is(now, kDeniedState) || Is(now, kFailedState)) {
    if (!status.certificate_chain().empty() || status.has_not_before() || status.has_begin_refresh_at() ||
        status.has_not_after())
      errors.Add(Unshown(path,
                         "non-condition status fields must be empty when denying or failing the "
                         "PodCertificateRequest"));
    return errors;
  }
  if (Is(now, kIssuedState)) return CheckIssued(now, chain, now_seconds);
  if (!same)
    errors.Add(
        Unshown(path, R"(status is immutable unless transitioning to "Issued", "Denied", or "Failed")"));
  return errors;
}

ErrorList ValidateUserAnnotations(MapView annotations, const Path& path) {
  ErrorList errors;
  size_t total = 0;
  for (const auto& [key, value] : annotations) {
    total += key.size() + value.string().size();
    if (key.empty()) {
      errors.Add(field::Required(path, ""));
      continue;
    }
    std::string lower(key);
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const Messages messages = IsQualifiedName(lower);
    errors.AddInvalid(path, lower, messages);
    if (messages.empty() && std::ranges::count(lower, '/') != 1)
      errors.Add(field::Invalid(path, RenderValue(lower),
                                "must be a domain-prefixed key (such as \"acme.io/foo\")"));
  }
  if (total > kTotalAnnotationSizeLimit) errors.Add(field::TooLong(path, kTotalAnnotationSizeLimit));
  return errors;
}

bool IsKubernetesSigner(std::string_view signer) {
  const std::string_view domain = signer.substr(0, signer.find('/'));
  return domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
}

}  // namespace keelson::api::certificates
