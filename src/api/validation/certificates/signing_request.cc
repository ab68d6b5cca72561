#include "api/validation/certificates/signing_request.h"

#include <algorithm>
#include <set>
#include <vector>

#include "api/validation/core/checks.h"
#include "api/validation/names.h"
#include "api/validation/quote.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::certificates {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using namespace certificates_v1;

constexpr std::string_view kApproved = "Approved", kDenied = "Denied", kFailed = "Failed";
constexpr std::string_view kLegacySigner = "kubernetes.io/legacy-unknown";

// Sorted, as messages list them.
constexpr std::string_view kUsages[] = {"any",
                                        "cert sign",
                                        "client auth",
                                        "code signing",
                                        "content commitment",
                                        "crl sign",
                                        "data encipherment",
                                        "decipher only",
                                        "digital signature",
                                        "email protection",
                                        "encipher only",
                                        "ipsec end system",
                                        "ipsec tunnel",
                                        "ipsec user",
                                        "key agreement",
                                        "key encipherment",
                                        "microsoft sgc",
                                        "netscape sgc",
                                        "ocsp signing",
                                        "s/mime",
                                        "server auth",
                                        "signing",
                                        "timestamping"};

// Mistakes that an object may go on having which it had before they were refused.
struct Tolerated {
  bool approved_and_denied = false, legacy_signer = false, duplicate_types = false, empty_type = false;
  bool unknown_usages = false, duplicate_usages = false;
};

bool IsUsage(std::string_view usage) { return std::ranges::find(kUsages, usage) != std::end(kUsages); }

using Seen = std::set<std::string_view>;

Tolerated ToleratedIn(CertificateSigningRequestView was) {
  Tolerated out;
  out.legacy_signer = was.spec().signer_name() == kLegacySigner;
  const auto conditions = was.status().conditions();
  Seen types;
  for (const auto condition : conditions) out.duplicate_types |= !types.insert(condition.type()).second;
  out.empty_type = types.contains("");
  out.approved_and_denied = types.contains(kApproved) && types.contains(kDenied);
  Seen usages;
  for (const Value& usage : was.spec().usages()) {
    out.unknown_usages = out.unknown_usages || !IsUsage(usage.string());
    out.duplicate_usages |= !usages.insert(usage.string()).second;
  }
  return out;
}

void CheckUsages(ScalarList usages, const Tolerated& tolerated, const Path& path, ErrorList& errors) {
  if (usages.empty()) errors.Add(field::Required(path, ""));
  for (size_t i = 0; i < usages.size(); ++i)
    if (!tolerated.unknown_usages && !IsUsage(usages[i].string()))
      errors.Add(field::NotSupported(path.Index(i), RenderValue(usages[i].string()), kUsages));
  Seen seen;
  for (size_t i = 0; i < usages.size(); ++i)
    if (!tolerated.duplicate_usages && !seen.insert(usages[i].string()).second)
      errors.Add(field::Duplicate(path.Index(i), RenderValue(usages[i].string())));
}

// `earlier`: the types of the conditions before it.
void CheckCondition(CertificateSigningRequestConditionView condition, size_t i, const Seen& earlier,
                    const Tolerated& tolerated, const Path& all, ErrorList& errors) {
  static constexpr std::string_view kTrueOnly[] = {"True"};
  static constexpr std::string_view kAnyStatus[] = {"False", "True", "Unknown"};
  const std::string_view type = condition.type();
  const Path path = all.Index(i);
  if (!tolerated.empty_type && type.empty()) errors.Add(field::Required(path.Child("type"), ""));
  const bool true_only = type == kApproved || type == kDenied || type == kFailed;
  core::CheckRequiredSupported(condition.status(),
                               true_only ? std::span<const std::string_view>(kTrueOnly) : kAnyStatus,
                               path.Child("status"), errors);
  if (!tolerated.approved_and_denied && (type == kApproved || type == kDenied) &&
      earlier.contains(type == kApproved ? kDenied : kApproved))
    errors.Add(
        field::Invalid(all, RenderValue(type), "Approved and Denied conditions are mutually exclusive"));
  if (!tolerated.duplicate_types && earlier.contains(type))
    errors.Add(field::Duplicate(path.Child("type"), RenderValue(type)));
}

ErrorList Check(CertificateSigningRequestView request, const Tolerated& tolerated,
                const CertificateFaults& faults) {
  ErrorList errors;
  const auto spec = request.spec();
  const Path path("spec"), status("status");
  if (!faults.request.empty())
    errors.Add(
        field::Invalid(path.Child("request"), field::RenderField(spec.node(), "request"), faults.request));
  CheckUsages(spec.usages(), tolerated, path.Child("usages"), errors);
  const Path signer = path.Child("signerName");
  if (!tolerated.legacy_signer && spec.signer_name() == kLegacySigner) {
    errors.Add(field::Invalid(signer, RenderValue(spec.signer_name()),
                              "the legacy signerName is not allowed via this API version"));
  } else {
    errors.Append(ValidateSignerName(spec.signer_name(), signer));
  }
  constexpr int64_t kMinSeconds = 600;
  if (spec.has_expiration_seconds() && spec.expiration_seconds() < kMinSeconds)
    errors.Add(field::Invalid(path.Child("expirationSeconds"), RenderValue(spec.expiration_seconds()),
                              "may not specify a duration less than 600 seconds (10 minutes)"));
  const auto conditions = request.status().conditions();
  Seen earlier;
  for (size_t i = 0; i < conditions.size(); ++i) {
    CheckCondition(conditions[i], i, earlier, tolerated, status.Child("conditions"), errors);
    earlier.insert(conditions[i].type());
  }
  if (!faults.certificate.empty())
    errors.Add(
        field::Invalid(status.Child("certificate"), RenderValue("<certificate data>"), faults.certificate));
  return errors;
}

std::vector<CertificateSigningRequestConditionView> OfType(CertificateSigningRequestView request,
                                                           std::string_view type) {
  std::vector<CertificateSigningRequestConditionView> found;
  for (const auto condition : request.status().conditions())
    if (condition.type() == type) found.push_back(condition);
  return found;
}

std::vector<const StructNode*> Nodes(const std::vector<CertificateSigningRequestConditionView>& conditions) {
  std::vector<const StructNode*> nodes;
  nodes.reserve(conditions.size());
  for (const auto condition : conditions) nodes.push_back(condition.node());
  return nodes;
}

// Only the approval resource decides.
void CheckDecisionKept(CertificateSigningRequestView now, CertificateSigningRequestView was,
                       const Path& conditions, ErrorList& errors) {
  for (const std::string_view type : {kApproved, kDenied}) {
    const auto is = OfType(now, type), had = OfType(was, type);
    if (is.size() > had.size())
      errors.Add(field::Forbidden(conditions, "updates may not add a condition of type " + Quoted(type)));
    if (is.size() != had.size()) continue;
    const auto same = [](auto a, auto b) { return core::SameStruct(a, b); };
    if (std::ranges::equal(is, had, same)) continue;
    errors.Add(field::Forbidden(conditions, "updates may not modify a condition of type " + Quoted(type) +
                                                "\n" + field::UnversionedDifference(Nodes(had), Nodes(is))));
  }
}

}  // namespace

ErrorList ValidateSigningRequest(CertificateSigningRequestView request, const CertificateFaults& faults) {
  return Check(request, {}, faults);
}

ErrorList ValidateSigningRequestUpdate(CertificateSigningRequestView now, CertificateSigningRequestView was,
                                       Change change, const CertificateFaults& faults) {
  ErrorList errors = Check(now, ToleratedIn(was), faults);
  const Path status("status"), conditions = status.Child("conditions");
  for (const std::string_view type : {kApproved, kDenied, kFailed})
    if (OfType(now, type).size() < OfType(was, type).size())
      errors.Add(field::Forbidden(conditions, "updates may not remove a condition of type " + Quoted(type)));
  if (change != Change::kApproval) CheckDecisionKept(now, was, conditions, errors);
  if (now.status().certificate() != was.status().certificate()) {
    const Path certificate = status.Child("certificate");
    if (change != Change::kStatus) {
      errors.Add(field::Forbidden(certificate, "updates may not set certificate content"));
    } else if (!was.status().certificate().empty()) {
      errors.Add(field::Forbidden(certificate, "updates may not modify existing certificate content"));
    }
  }
  return errors;
}

ErrorList ValidateSignerName(std::string_view name, const Path& path) {
  ErrorList errors;
  if (name.empty()) {
    errors.Add(field::Required(path, ""));
    return errors;
  }
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.find('/', slash + 1) != std::string_view::npos) {
    errors.Add(
        field::Invalid(path, RenderValue(name),
                       "must be a fully qualified domain and path of the form 'example.com/signer-name'"));
    return errors;
  }
  // The labels of one part, up to the first that is wrong; gives how many there are.
  const auto check_labels = [&](std::string_view part, Messages (*check)(std::string_view)) {
    size_t labels = 0;
    bool wrong = false;
    for (std::string_view rest = part;; ++labels) {
      const std::string_view label = rest.substr(0, rest.find('.'));
      for (const std::string& message : wrong ? Messages() : check(label)) {
        errors.Add(
            field::Invalid(path, RenderValue(part), "validating label " + Quoted(label) + ": " + message));
        wrong = true;
      }
      if (label.size() == rest.size()) return labels + 1;
      rest.remove_prefix(label.size() + 1);
    }
  };
  const std::string_view domain = name.substr(0, slash), last = name.substr(slash + 1);
  constexpr size_t kMaxPath = kDns1123SubdomainMaxLength + kDns1123LabelMaxLength + 1;
  if (domain.size() > kDns1123SubdomainMaxLength)
    errors.Add(field::TooLong(path, kDns1123SubdomainMaxLength));
  if (check_labels(domain, IsDns1123Label) < 2)
    errors.Add(field::Invalid(path, RenderValue(domain),
                              "should be a domain with at least two segments separated by dots"));
  check_labels(last, IsDns1123Subdomain);
  if (last.size() > kMaxPath) errors.Add(field::TooLong(path, kMaxPath));
  return errors;
}

}  // namespace keelson::api::certificates
