#include "endpoints/table/certificates/rows.h"

#include "api/generated/certificates_v1.h"
#include "api/generated/certificates_v1beta1.h"

namespace keelson::endpoints::table::certificates {
namespace {

using api::certificates_v1::CertificateSigningRequestView;

std::string State(CertificateSigningRequestView request) {
  bool approved = false, denied = false, failed = false;
  for (const auto condition : request.status().conditions()) {
    approved = approved || condition.type() == "Approved";
    denied = denied || condition.type() == "Denied";
    failed = failed || condition.type() == "Failed";
  }
  std::string state = denied ? "Denied" : approved ? "Approved" : "Pending";
  if (failed) state += ",Failed";
  if (!request.status().certificate().empty()) state += ",Issued";
  return state;
}

void SigningRequestRow(const api::StructNode& object, Cells& cells) {
  const CertificateSigningRequestView request(&object);
  const auto spec = request.spec();
  cells.Text(request.metadata().name());
  cells.Age(request.metadata().creation_timestamp());
  cells.TextOr(spec.signer_name(), kNone);
  cells.Text(spec.username());
  cells.Text(spec.has_expiration_seconds() ? HumanDuration(spec.expiration_seconds()) : std::string(kNone));
  cells.Text(State(request));
}

void ClusterTrustBundleRow(const api::StructNode& object, Cells& cells) {
  const api::certificates_v1beta1::ClusterTrustBundleView bundle(&object);
  cells.Text(bundle.metadata().name());
  cells.TextOr(bundle.spec().signer_name(), kNone);
}

void PodCertificateRequestRow(const api::StructNode& object, Cells& cells) {
  const api::certificates_v1beta1::PodCertificateRequestView request(&object);
  const auto spec = request.spec();
  std::string_view state = "Pending";
  for (const auto condition : request.status().conditions())
    for (const std::string_view type : {"Issued", "Denied", "Failed"})
      if (condition.type() == type) state = type;
  cells.Text(request.metadata().name());
  cells.Text(spec.pod_name());
  cells.Text(spec.service_account_name());
  cells.Text(spec.node_name());
  cells.Text(spec.signer_name());
  cells.Text(state);
  cells.Labels(spec.unverified_user_annotations());
}

constexpr KindRow kRows[] = {
    {"CertificateSigningRequest", SigningRequestRow},
    {"ClusterTrustBundle", ClusterTrustBundleRow, "v1beta1"},
    {"PodCertificateRequest", PodCertificateRequestRow, "v1beta1"},
};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::certificates
