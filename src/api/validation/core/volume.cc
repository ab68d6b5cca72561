#include "api/validation/core/volume.h"

#include <set>
#include <string>

#include "api/validation/core/field_refs.h"
#include "api/validation/core/persistent_volume_claim.h"
#include "api/validation/core/projected_volume.h"
#include "api/validation/core/resources.h"
#include "api/validation/core/volume_sources.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

void CheckIscsi(ISCSIVolumeSourceView source, const Path& path, ErrorList& errors) {
  CheckRequired(source.target_portal(), path.Child("targetPortal"), errors);
  CheckRequired(source.iqn(), path.Child("iqn"), errors);
  if (!source.iqn().empty()) CheckIscsiName(source.iqn(), path.Child("iqn"), errors);
  CheckInRange(source.lun(), 0, 255, path.Child("lun"), errors);
  if ((source.chap_auth_discovery() || source.chap_auth_session()) && !source.secret_ref()) {
    errors.Add(field::Required(path.Child("secretRef"), ""));
  }
  if (source.has_initiator_name())
    CheckIscsiName(source.initiator_name(), path.Child("initiatorname"), errors);
}

void CheckFlocker(FlockerVolumeSourceView source, const Path& path, ErrorList& errors) {
  const bool name = !source.dataset_name().empty(), uuid = !source.dataset_uuid().empty();
  if (!name && !uuid) errors.Add(field::Required(path, "one of datasetName and datasetUUID is required"));
  if (name && uuid) {
    errors.Add(field::Invalid(path, RenderValue("resource"),
                              "datasetName and datasetUUID can not be specified simultaneously"));
  }
  if (source.dataset_name().find('/') != std::string_view::npos) {
    errors.Add(field::Invalid(path.Child("datasetName"), RenderValue(source.dataset_name()),
                              "must not contain '/'"));
  }
}

void CheckStorageOs(StorageOSVolumeSourceView source, const Path& path, ErrorList& errors) {
  CheckRequiredDnsLabel(source.volume_name(), path.Child("volumeName"), errors);
  if (!source.volume_namespace().empty())
    CheckDnsLabel(source.volume_namespace(), path.Child("volumeNamespace"), errors);
  if (auto secret = source.secret_ref())
    CheckRequired(secret.name(), path.Child("secretRef").Child("name"), errors);
}

void CheckCsi(CSIVolumeSourceView source, const Path& path, ErrorList& errors) {
  CheckCsiDriverName(source.driver(), path.Child("driver"), errors);
  const auto secret = source.node_publish_secret_ref();
  if (!secret) return;
  if (secret.name().empty()) {
    errors.Add(field::Required(path.Child("nodePublishSecretRef").Child("name"), ""));
  } else {
    errors.AddInvalid(path.Child("name"), secret.name(), NameIsDnsSubdomain(secret.name(), false));
  }
}

void CheckKeysToPaths(ListView<KeyToPathView> items, const Path& path, ErrorList& errors) {
  size_t i = 0;
  for (auto item : items) CheckKeyToPath(item, path.Index(i++), errors);
}

// One volume: exactly one source, in the order in which upstream looks for them.
class VolumeSourceCheck {
 public:
  VolumeSourceCheck(VolumeView volume, std::string_view pod_name, bool in_pod, const Path& path,
                    ErrorList& errors)
      : volume_(volume),
        source_(volume.volume_source()),
        pod_name_(pod_name),
        in_pod_(in_pod),
        path_(path),
        errors_(errors),
        one_(path, errors) {}

  void Run() {
    Local();
    Network();
    Vendors();
    one_.Finish();
  }

 private:
  void Local() {
    one_.Take(source_.empty_dir(), "emptyDir", [&](auto v, const Path& at) {
      if (v.has_size_limit() && CompareQuantities(v.size_limit(), "0") < 0) {
        errors_.Add(
            field::Forbidden(at.Child("sizeLimit"), "SizeLimit field must be a valid resource quantity"));
      }
    });
    one_.Take(source_.host_path(), "hostPath", CheckHostPath);
    one_.Take(source_.git_repo(), "gitRepo", [&](auto v, const Path& at) {
      CheckRequired(v.repository(), at.Child("repository"), errors_);
      CheckDescendingPath(v.directory(), at.Child("directory"), errors_);
    });
    one_.Take(source_.gce_persistent_disk(), "gcePersistentDisk", CheckGceDisk, "persistentDisk");
    one_.Take(source_.aws_elastic_block_store(), "awsElasticBlockStore", CheckAwsDisk);
    one_.Take(source_.secret(), "secret", [&](auto v, const Path& at) {
      CheckRequired(v.secret_name(), at.Child("secretName"), errors_);
      Mode(v, at);
      CheckKeysToPaths(v.items(), at.Child("items"), errors_);
    });
  }

  void Network() {
    one_.Take(source_.nfs(), "nfs", CheckNfs);
    one_.Take(source_.iscsi(), "iscsi", CheckIscsi);
    if (auto v = source_.iscsi(); v && v.has_initiator_name()) {
      if (volume_.name().size() + 1 + v.target_portal().size() > 64) {
        errors_.Add(field::Invalid(
            path_.Child("name"), RenderValue(volume_.name()),
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
            "iscsi.initiatorName is specified."));
      }
    }
    one_.Require(source_.glusterfs(), "glusterfs", {"endpoints", "path"});
    one_.Take(source_.flocker(), "flocker", CheckFlocker);
    one_.Require(source_.persistent_volume_claim(), "persistentVolumeClaim", {"claimName"});
    one_.Require(source_.rbd(), "rbd", {"monitors", "image"});
    one_.Take(source_.cinder(), "cinder", [&](auto v, const Path& at) {
      CheckRequired(v.volume_id(), at.Child("volumeID"), errors_);
      if (auto secret = v.secret_ref())
        CheckRequired(secret.name(), at.Child("secretRef").Child("name"), errors_);
    });
    one_.Require(source_.cephfs(), "cephFS", {"monitors"}, "cephfs");
    one_.Take(source_.quobyte(), "quobyte", CheckQuobyte);
    one_.Take(source_.downward_api(), "downwardAPI", [&](auto v, const Path& at) {
      Mode(v, at);
      for (auto item : v.items()) CheckDownwardFile(item, at, errors_);
    });
    one_.Take(source_.fc(), "fc", CheckFibreChannel);
  }

  void Vendors() {
    one_.Take(source_.flex_volume(), "flexVolume", [&](auto v, const Path& at) {
      CheckRequired(v.driver(), at.Child("driver"), errors_);
      CheckFlexOptions(v.options(), at.Child("options"), errors_);
    });
    one_.Take(source_.config_map(), "configMap", [&](auto v, const Path& at) {
      CheckRequired(v.local_object_reference().name(), at.Child("name"), errors_);
      Mode(v, at);
      CheckKeysToPaths(v.items(), at.Child("items"), errors_);
    });
    one_.Require(source_.azure_file(), "azureFile", {"secretName", "shareName"});
    one_.Require(source_.vsphere_volume(), "vsphereVolume", {"volumePath"});
    one_.Require(source_.photon_persistent_disk(), "photonPersistentDisk", {"pdID"});
    one_.Require(source_.portworx_volume(), "portworxVolume", {"volumeID"});
    one_.Take(source_.azure_disk(), "azureDisk", CheckAzureDisk);
    one_.Take(source_.storageos(), "storageos", CheckStorageOs);
    one_.Take(source_.projected(), "projected", CheckProjected);
    one_.Require(source_.scale_io(), "scaleIO", {"gateway", "system", "volumeName"});
    one_.Take(source_.csi(), "csi", CheckCsi);
    one_.Take(source_.ephemeral(), "ephemeral", [&](auto v, const Path& at) { Ephemeral(v, at); });
    one_.Take(source_.image(), "image", [&](auto v, const Path& at) {
      if (in_pod_) CheckRequired(v.reference(), at.Child("reference"), errors_);
      CheckPullPolicy(v.pull_policy(), at.Child("pullPolicy"), errors_);
    });
  }

  template <class View>
  void Mode(View v, const Path& at) {
    if (v.has_default_mode()) CheckFileMode(v.default_mode(), at.Child("defaultMode"), errors_);
  }

  // The claim that will be made is named after the pod and the volume.
  void Ephemeral(EphemeralVolumeSourceView v, const Path& at) {
    if (!v.volume_claim_template()) {
      errors_.Add(field::Required(at.Child("volumeClaimTemplate"), ""));
    } else {
      CheckVolumeClaimTemplate(v.volume_claim_template(), at.Child("volumeClaimTemplate"), errors_);
    }
    if (pod_name_.empty() || volume_.name().empty()) return;
    const std::string claim = std::string(pod_name_) + "-" + std::string(volume_.name());
    for (const auto& message : NameIsDnsSubdomain(claim, false)) {
      errors_.Add(field::Invalid(path_.Child("name"), RenderValue(volume_.name()),
                                 "PVC name " + RenderValue(claim) + ": " + message));
    }
  }

  const VolumeView volume_;
  const VolumeSourceView source_;
  const std::string_view pod_name_;
  const bool in_pod_;
  const Path& path_;
  ErrorList& errors_;
  OneSource one_;
};

}  // namespace

void CheckPullPolicy(std::string_view policy, const Path& path, ErrorList& errors) {
  constexpr std::string_view kPolicies[] = {PullPolicy::kAlways, PullPolicy::kIfNotPresent,
                                            PullPolicy::kNever};
  CheckRequiredSupported(policy, kPolicies, path, errors);
}

VolumesByName CheckVolumes(PodSpecView spec, std::string_view pod_name, bool in_pod, const Path& path,
                           ErrorList& errors) {
  std::set<std::string> created_claims;
  if (!pod_name.empty()) {
    for (auto volume : spec.volumes()) {
      if (volume.volume_source().ephemeral())
        created_claims.insert(std::string(pod_name) + "-" + std::string(volume.name()));
    }
  }
  VolumesByName usable;
  size_t i = 0;
  for (auto volume : spec.volumes()) {
    const Path at = path.Index(i++);
    const Path name_path = at.Child("name");
    const size_t before = errors.size();
    VolumeSourceCheck(volume, pod_name, in_pod, at, errors).Run();
    CheckRequiredDnsLabel(volume.name(), name_path, errors);
    if (usable.contains(volume.name())) errors.Add(field::Duplicate(name_path, RenderValue(volume.name())));
    if (errors.size() == before) usable.emplace(volume.name(), volume.volume_source());
    const auto claim = volume.volume_source().persistent_volume_claim();
    if (claim && created_claims.contains(std::string(claim.claim_name()))) {
      errors.Add(field::Invalid(at.Child("persistentVolumeClaim").Child("claimName"),
                                RenderValue(claim.claim_name()),
                                "must not reference a PVC that gets created for an ephemeral volume"));
    }
  }
  return usable;
}

}  // namespace keelson::api::core
