#include "api/managed_fields/reset_fields.h"

#include <algorithm>
#include <array>

namespace keelson::api::managed_fields {
namespace {

constexpr FieldSet::Entry Whole(std::string_view name) { return {PathElement::Field(name), nullptr, true}; }
constexpr FieldSet::Entry Part(std::string_view name, const FieldSet& of) {
  return {PathElement::Field(name), &of, false};
}
template <size_t n>
constexpr FieldSet SetOf(const FieldSet::Entry (&entries)[n]) {
  return {entries, n};
}

constexpr FieldSet::Entry kStatusEntries[] = {Whole("status")};
constexpr FieldSet::Entry kSpecEntries[] = {Whole("spec")};
constexpr FieldSet::Entry kSpecStatusEntries[] = {Whole("spec"), Whole("status")};
constexpr FieldSet::Entry kMetadataSpecEntries[] = {Whole("metadata"), Whole("spec")};
constexpr FieldSet kStatus = SetOf(kStatusEntries);
constexpr FieldSet kSpec = SetOf(kSpecEntries);
constexpr FieldSet kSpecAndStatus = SetOf(kSpecStatusEntries);
constexpr FieldSet kMetadataAndSpec = SetOf(kMetadataSpecEntries);

constexpr FieldSet::Entry kLabelsEntries[] = {Whole("labels")};
constexpr FieldSet kLabels = SetOf(kLabelsEntries);
constexpr FieldSet::Entry kLabelsSpecEntries[] = {Part("metadata", kLabels), Whole("spec")};
constexpr FieldSet kLabelsAndSpec = SetOf(kLabelsSpecEntries);

constexpr FieldSet::Entry kPodMetadataEntries[] = {Whole("deletionTimestamp"), Whole("ownerReferences")};
constexpr FieldSet kPodMetadata = SetOf(kPodMetadataEntries);
constexpr FieldSet::Entry kPodStatusEntries[] = {Part("metadata", kPodMetadata), Whole("spec")};
constexpr FieldSet kPodStatus = SetOf(kPodStatusEntries);

constexpr FieldSet::Entry kConditionsEntries[] = {Whole("conditions")};
constexpr FieldSet kConditions = SetOf(kConditionsEntries);
constexpr FieldSet::Entry kSpecConditionsEntries[] = {Whole("spec"), Part("status", kConditions)};
constexpr FieldSet kSpecAndConditions = SetOf(kSpecConditionsEntries);
constexpr FieldSet::Entry kCertificateEntries[] = {Whole("certificate")};
constexpr FieldSet kCertificate = SetOf(kCertificateEntries);
constexpr FieldSet::Entry kSpecCertificateEntries[] = {Whole("spec"), Part("status", kCertificate)};
constexpr FieldSet kSpecAndCertificate = SetOf(kSpecCertificateEntries);

// Main: in writes of the object; status: in those of its status.
struct Rule {
  std::string_view group, plural;
  const FieldSet* main = &kStatus;
  const FieldSet* status = &kSpec;
};
constexpr Rule kRules[] = {
    {"", "namespaces"},
    {"", "nodes"},
    {"", "persistentvolumeclaims"},
    {"", "persistentvolumes"},
    {"", "pods", &kStatus, &kPodStatus},
    {"", "replicationcontrollers"},
    {"", "resourcequotas"},
    {"", "services"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicies", &kStatus, &kMetadataAndSpec},
    {"apiextensions.k8s.io", "customresourcedefinitions"},
    {"apiregistration.k8s.io", "apiservices", &kStatus, &kMetadataAndSpec},
    {"apps", "daemonsets"},
    {"apps", "deployments", &kStatus, &kLabelsAndSpec},
    {"apps", "replicasets"},
    {"apps", "statefulsets"},
    {"autoscaling", "horizontalpodautoscalers"},
    {"batch", "cronjobs"},
    {"batch", "jobs"},
    {"certificates.k8s.io", "certificatesigningrequests", &kSpecAndStatus, &kSpecAndConditions},
    {"certificates.k8s.io", "podcertificaterequests", nullptr, &kSpec},
    {"flowcontrol.apiserver.k8s.io", "flowschemas", &kStatus, &kMetadataAndSpec},
    {"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", &kStatus, &kMetadataAndSpec},
    {"internal.apiserver.k8s.io", "storageversions", &kStatus, &kMetadataAndSpec},
    {"networking.k8s.io", "ingresses"},
    {"networking.k8s.io", "servicecidrs", &kStatus, &kMetadataAndSpec},
    {"policy", "poddisruptionbudgets"},
    {"resource.k8s.io", "devicetaintrules", &kStatus, &kMetadataAndSpec},
    {"resource.k8s.io", "resourceclaims", &kStatus, &kMetadataAndSpec},
    {"resource.k8s.io", "resourcepoolstatusrequests", &kStatus, &kMetadataAndSpec},
    {"scheduling.k8s.io", "podgroups", &kStatus, &kMetadataAndSpec},
    {"storage.k8s.io", "volumeattachments", &kStatus, &kMetadataAndSpec},
    {"storagemigration.k8s.io", "storageversionmigrations", &kStatus, &kMetadataAndSpec},
};

}  // namespace

const FieldSet* ResetFields(std::string_view group, std::string_view plural, std::string_view subresource) {
  auto rule =
      std::ranges::find_if(kRules, [&](const Rule& r) { return r.group == group && r.plural == plural; });
  if (rule == std::end(kRules)) return nullptr;
  if (subresource.empty()) return rule->main;
  if (subresource == "status") return rule->status;
  if (subresource == "finalize") return &kStatus;
  if (subresource == "approval") return &kSpecAndCertificate;
  return nullptr;
}

const FieldSet* CustomResetFields(bool has_status, std::string_view subresource) {
  if (!has_status) return nullptr;
  if (subresource.empty()) return &kStatus;
  return subresource == "status" ? &kMetadataAndSpec : nullptr;
}

}  // namespace keelson::api::managed_fields
