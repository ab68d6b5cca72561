#include "admission/plugins/token_audience.h"

#include <algorithm>

#include "admission/plugins/resources.h"
#include "api/generated/storage_v1.h"
#include "auth/aggregate_error.h"

namespace keelson::admission {
namespace {

using api::core_v1::PersistentVolumeView;
using api::core_v1::PodView;
using api::core_v1::VolumeView;
using DriverName = base::Result<std::string, std::string>;  // empty: there is none

// The id of a disk may be given as "aws://ZONE/ID".
std::string WhyBadDiskId(std::string_view id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return {};
  std::string_view path = id.substr(kScheme.size());
  path = path.substr(0, path.find_first_of("?#"));
  path.remove_prefix(std::min(path.find('/'), path.size()));
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.starts_with("vol-") && !path.contains('/')) return {};
  return "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (" +
         std::string(id) + ")";
}

// The CSI driver that has taken over an in-tree source, of a pod's volume or of a PersistentVolume.
DriverName SuccessorOf(auto source) {
  if (const auto disk = source.aws_elastic_block_store()) {
    if (std::string why = WhyBadDiskId(disk.volume_id()); !why.empty()) return base::Err(std::move(why));
    return "ebs.csi.aws.com";
  }
  if (const auto disk = source.azure_disk()) {
    if (disk.has_kind() && disk.kind() != "Managed")
      return base::Err("kind(" + std::string(disk.kind()) + ") is not supported in csi migration");
    return "disk.csi.azure.com";
  }
  if (source.azure_file()) return "file.csi.azure.com";
  if (source.cinder()) return "cinder.csi.openstack.org";
  if (source.gce_persistent_disk()) return "pd.csi.storage.gke.io";
  if (source.portworx_volume()) return "pxd.portworx.com";
  if (source.vsphere_volume()) return "csi.vsphere.vmware.com";
  return "";
}

DriverName DriverOf(PersistentVolumeView volume) {
  const auto source = volume.spec().persistent_volume_source();
  if (source.csi()) return std::string(source.csi().driver());
  if (const auto file = source.azure_file()) {
    const std::string_view ns =
        file.has_secret_namespace() ? file.secret_namespace() : volume.spec().claim_ref().namespace_();
    if (ns.empty())
      return base::Err(
          std::string("could not find a secret namespace in PersistentVolumeSource or ClaimRef"));
  }
  return SuccessorOf(source);
}

class AudienceSearch {
 public:
  AudienceSearch(const client::Client& objects, PodView pod, std::string_view audience)
      : objects_(objects), pod_(pod), audience_(audience) {}

  base::Task<base::Result<bool, std::string>> Run() const {
    auth::AggregateError errors;
    for (const VolumeView volume : pod_.spec().volumes()) {
      if (IsProjectedBy(volume)) co_return true;
      auto needed = co_await IsNeededBy(volume);
      if (!needed) errors.Add(std::move(needed.error()));
      if (needed && *needed) co_return true;
    }
    if (!errors.empty()) co_return base::Err(errors.ToString());
    co_return false;
  }

 private:
  using Found = base::Result<api::Doc, std::string>;

  bool IsProjectedBy(VolumeView volume) const {
    for (const auto source : volume.volume_source().projected().sources())
      if (source.service_account_token() && source.service_account_token().audience() == audience_)
        return true;
    return false;
  }

  base::Task<base::Result<bool, std::string>> IsNeededBy(VolumeView volume) const {
    const std::string driver = CO_TRY(co_await DriverFor(volume));
    if (driver.empty()) co_return false;
    const auto doc =
        CO_TRY(co_await Find({"storage.k8s.io", "csidrivers"}, {"storage.k8s.io", "csidriver"}, "", driver));
    for (const auto request : api::storage_v1::CSIDriverView(doc).spec().token_requests())
      if (request.audience() == audience_) co_return true;
    co_return false;
  }

  base::Task<DriverName> DriverFor(VolumeView volume) const {
    const auto source = volume.volume_source();
    if (source.ephemeral().volume_claim_template())
      co_return co_await DriverOfClaim(std::string(pod_.metadata().name()) + "-" +
                                       std::string(volume.name()));
    if (source.persistent_volume_claim())
      co_return co_await DriverOfClaim(std::string(source.persistent_volume_claim().claim_name()));
    if (source.csi()) co_return std::string(source.csi().driver());
    co_return SuccessorOf(source);
  }

  base::Task<DriverName> DriverOfClaim(std::string name) const {
    const auto claim = CO_TRY(co_await Find(kClaims, {"", "persistentvolumeclaim"},
                                            std::string(pod_.metadata().namespace_()), std::move(name)));
    const auto spec = api::core_v1::PersistentVolumeClaimView(claim).spec();
    const auto volume = CO_TRY(co_await Find({"", "persistentvolumes"}, {"", "persistentvolume"}, "",
                                             std::string(spec.volume_name())));
    co_return DriverOf(PersistentVolumeView(volume));
  }

  // `kind`: how the message about a missing one calls it.
  base::Task<Found> Find(api::GroupResource resource, api::GroupResource kind, std::string ns,
                         std::string name) const {
    if (name.empty()) co_return base::Err(api::NotFound(kind, name).message);
    auto found = co_await objects_.Get(resource, std::move(ns), name, client::Fresh::kAbsenceIsSure);
    if (!found) co_return base::Err(std::move(found.error().message));
    if (!*found) co_return base::Err(api::NotFound(kind, name).message);
    co_return **std::move(found);
  }

  const client::Client& objects_;
  const PodView pod_;
  const std::string_view audience_;
};

}  // namespace

base::Task<base::Result<bool, std::string>> PodNeedsAudience(const client::Client& objects, PodView pod,
                                                             std::string_view audience) {
  const AudienceSearch search(objects, pod, audience);
  co_return co_await search.Run();
}

}  // namespace keelson::admission
