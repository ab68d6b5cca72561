#include "api/validation/core/persistent_volume.h"

#include <string>

#include "api/validation/core/persistent_volume_claim.h"
#include "api/validation/core/resources.h"
#include "api/validation/core/scheduling.h"
#include "api/validation/core/volume_sources.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

void CheckSecretReference(SecretReferenceView secret, const Path& path, ErrorList& errors) {
  if (!secret) return;
  if (secret.name().empty()) {
    errors.Add(field::Required(path.Child("name"), ""));
  } else {
    CheckDnsSubdomain(secret.name(), path.Child("name"), errors);
  }
  CheckRequiredDnsLabel(secret.namespace_(), path.Child("namespace"), errors);
}

void CheckPersistentCsi(CSIPersistentVolumeSourceView source, const Path& path, ErrorList& errors) {
  CheckCsiDriverName(source.driver(), path.Child("driver"), errors);
  CheckRequired(source.volume_handle(), path.Child("volumeHandle"), errors);
  CheckSecretReference(source.controller_publish_secret_ref(), path.Child("controllerPublishSecretRef"),
                       errors);
  CheckSecretReference(source.controller_expand_secret_ref(), path.Child("controllerExpandSecretRef"),
                       errors);
  CheckSecretReference(source.node_publish_secret_ref(), path.Child("nodePublishSecretRef"), errors);
  CheckSecretReference(source.node_expand_secret_ref(), path.Child("nodeExpandSecretRef"), errors);
}

void CheckPersistentIscsi(ISCSIPersistentVolumeSourceView source, std::string_view name, const Path& path,
                          ErrorList& errors) {
  CheckRequired(source.target_portal(), path.Child("targetPortal"), errors);
  if (source.has_initiator_name() && name.size() + 1 + source.target_portal().size() > 64) {
    errors.Add(
        field::Invalid(path.Child("targetportal"), RenderValue(source.target_portal()),
                       "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
                       "iscsi.initiatorName is specified."));
  }
  if (source.iqn().empty()) {
    errors.Add(field::Required(path.Child("iqn"), ""));
  } else {
    CheckIscsiName(source.iqn(), path.Child("iqn"), errors);
  }
  CheckInRange(source.lun(), 0, 255, path.Child("lun"), errors);
  if ((source.chap_auth_discovery() || source.chap_auth_session()) && !source.secret_ref()) {
    errors.Add(field::Required(path.Child("secretRef"), ""));
  }
  if (auto secret = source.secret_ref())
    CheckRequired(secret.name(), path.Child("secretRef").Child("name"), errors);
  if (source.has_initiator_name())
    CheckIscsiName(source.initiator_name(), path.Child("initiatorname"), errors);
}

// Exactly one source, in the order in which upstream looks for them.
class PersistentVolumeSourceCheck {
 public:
  // `name` is the volume's, empty when it has none.
  PersistentVolumeSourceCheck(PersistentVolumeSpecView spec, std::string_view name, const Path& path,
                              ErrorList& errors)
      : spec_(spec),
        name_(name),
        source_(spec.persistent_volume_source()),
        path_(path),
        errors_(errors),
        one_(path, errors) {}

  void Run() {
    First();
    Second();
    one_.Finish();
  }

 private:
  void First() {
    one_.Take(source_.host_path(), "hostPath", CheckHostPath);
    one_.Take(source_.gce_persistent_disk(), "gcePersistentDisk", CheckGceDisk, "persistentDisk");
    one_.Take(source_.aws_elastic_block_store(), "awsElasticBlockStore", CheckAwsDisk);
    one_.Require(source_.glusterfs(), "glusterfs", {"endpoints", "path"});
    one_.Take(source_.flocker(), "flocker", [&](auto v, const Path& at) {
      if (v.dataset_name().empty() && v.dataset_uuid().empty()) {
        errors_.Add(field::Required(at, "one of datasetName and datasetUUID is required"));
      }
    });
    one_.Take(source_.nfs(), "nfs", CheckNfs);
    one_.Require(source_.rbd(), "rbd", {"monitors", "image"});
    one_.Take(source_.quobyte(), "quobyte", CheckQuobyte);
    one_.Require(source_.cephfs(), "cephfs", {"monitors"});
    one_.Take(source_.iscsi(), "iscsi",
              [&](auto v, const Path& at) { CheckPersistentIscsi(v, name_, at, errors_); });
    one_.Require(source_.cinder(), "cinder", {"volumeID"});
  }

  void Second() {
    one_.Take(source_.fc(), "fc", CheckFibreChannel);
    one_.Take(source_.flex_volume(), "flexVolume", [&](auto v, const Path& at) {
      CheckRequired(v.driver(), at.Child("driver"), errors_);
      CheckFlexOptions(v.options(), at.Child("options"), errors_);
    });
    one_.Take(source_.azure_file(), "azureFile", [&](auto v, const Path& at) {
      CheckRequired(v.secret_name(), at.Child("secretName"), errors_);
      CheckRequired(v.share_name(), at.Child("shareName"), errors_);
      if (v.has_secret_namespace()) CheckRequired(v.secret_namespace(), at.Child("secretNamespace"), errors_);
    });
    one_.Require(source_.vsphere_volume(), "vsphereVolume", {"volumePath"});
    one_.Require(source_.photon_persistent_disk(), "photonPersistentDisk", {"pdID"});
    one_.Require(source_.portworx_volume(), "portworxVolume", {"volumeID"});
    one_.Take(source_.azure_disk(), "azureDisk", CheckAzureDisk);
    one_.Require(source_.scale_io(), "scaleIO", {"gateway", "system", "volumeName"});
    one_.Take(source_.local(), "local", [&](auto v, const Path& at) {
      if (v.path().empty()) {
        errors_.Add(field::Required(at.Child("path"), ""));
      } else {
        CheckNoBacksteps(v.path(), at.Child("path"), errors_);
      }
      if (!spec_.node_affinity()) {
        errors_.Add(field::Required(path_.Child("nodeAffinity"), "Local volume requires node affinity"));
      }
    });
    one_.Take(source_.storageos(), "storageos", [&](auto v, const Path& at) {
      CheckRequiredDnsLabel(v.volume_name(), at.Child("volumeName"), errors_);
      if (!v.volume_namespace().empty())
        CheckDnsLabel(v.volume_namespace(), at.Child("volumeNamespace"), errors_);
    });
    one_.Take(source_.csi(), "csi", CheckPersistentCsi);
  }

  const PersistentVolumeSpecView spec_;
  const std::string_view name_;
  const PersistentVolumeSourceView source_;
  const Path& path_;
  ErrorList& errors_;
  OneSource one_;
};

void CheckCapacity(PersistentVolumeSpecView spec, const Path& path, ErrorList& errors) {
  const MapView capacity = spec.capacity();
  if (capacity.empty()) errors.Add(field::Required(path, ""));
  if (!capacity.Find("storage") || capacity.size() > 1) {
    constexpr std::string_view kSupported[] = {"storage"};
    errors.Add(field::NotSupported(path, field::RenderField(spec.node(), "capacity"), kSupported));
  }
  for (const auto& [name, quantity] : capacity) {
    if (CompareQuantities(quantity.string(), "0") > 0) continue;
    errors.Add(field::Invalid(path.Key(name), RenderValue(quantity.string()), kMustBePositive));
  }
}

// "/" in any notation.
bool IsRootPath(std::string_view path) {
  return !path.empty() && path.find_first_not_of("/.") == path.npos && path[0] == '/';
}

void CheckAttributesClass(PersistentVolumeSpecView spec, const Path& path, ErrorList& errors) {
  if (!spec.has_volume_attributes_class_name()) return;
  const Path at = path.Child("volumeAttributesClassName");
  const std::string_view name = spec.volume_attributes_class_name();
  if (name.empty()) {
    errors.Add(field::Required(at, "an empty string is disallowed"));
  } else {
    errors.AddInvalid(at, name, NameIsDnsSubdomain(name, false));
  }
  if (!spec.persistent_volume_source().csi()) {
    errors.Add(
        field::Required(path.Child("csi"), "has to be specified when using volumeAttributesClassName"));
  }
}

void CheckClasses(PersistentVolumeSpecView spec, const Path& path, ErrorList& errors) {
  if (!spec.storage_class_name().empty()) {
    errors.AddInvalid(path.Child("storageClassName"), spec.storage_class_name(),
                      NameIsDnsSubdomain(spec.storage_class_name(), false));
  }
  if (spec.has_volume_mode()) {
    constexpr std::string_view kModes[] = {"Block", "Filesystem"};
    CheckSupported(spec.volume_mode(), kModes, path.Child("volumeMode"), errors);
  }
  CheckAttributesClass(spec, path, errors);
}

// Only volumes that are mounted as file systems take options for it.
void CheckMountOptions(PersistentVolumeView volume, ErrorList& errors) {
  constexpr std::string_view kAnnotation = "volume.beta.kubernetes.io/mount-options";
  if (!volume.metadata().annotations().Find(kAnnotation)) return;
  const auto source = volume.spec().persistent_volume_source();
  if (source.gce_persistent_disk() || source.aws_elastic_block_store() || source.glusterfs() ||
      source.nfs() || source.rbd() || source.quobyte() || source.iscsi() || source.cinder() ||
      source.cephfs() || source.azure_file() || source.vsphere_volume() || source.azure_disk() ||
      source.photon_persistent_disk()) {
    return;
  }
  const Path metadata("metadata"), annotations = metadata.Child("annotations");
  errors.Add(
      field::Forbidden(annotations.Child(kAnnotation), "may not specify mount options for this volume type"));
}

// A CSI volume without a secret for expansion may get one; nothing else of a source changes.
bool SameSource(PersistentVolumeSourceView now, PersistentVolumeSourceView was, Arena& arena,
                const StructNode** compared) {
  StructNode* copy = now ? DeepCopy(Value::Of(const_cast<StructNode*>(now.node())), arena).node() : nullptr;
  PersistentVolumeSourceEditor source(copy, &arena);
  if (was.csi() && !was.csi().controller_expand_secret_ref() && source.csi()) {
    source.edit_csi().clear_controller_expand_secret_ref();
  }
  *compared = copy;
  return SameStruct(source, was);
}

}  // namespace

field::ErrorList ValidatePersistentVolume(PersistentVolumeView volume) {
  ErrorList errors;
  const Path path("spec");
  const auto spec = volume.spec();
  if (spec.access_modes().empty()) errors.Add(field::Required(path.Child("accessModes"), ""));
  CheckAccessModes(spec.access_modes(), path.Child("accessModes"), errors);
  CheckCapacity(spec, path.Child("capacity"), errors);
  const std::string_view policy = spec.persistent_volume_reclaim_policy();
  const Path policy_path = path.Child("persistentVolumeReclaimPolicy");
  if (!policy.empty()) {
    constexpr std::string_view kPolicies[] = {"Delete", "Recycle", "Retain"};
    CheckSupported(policy, kPolicies, policy_path, errors);
  }
  if (auto affinity = spec.node_affinity()) {
    const Path affinity_path = path.Child("nodeAffinity"), required = affinity_path.Child("required");
    if (affinity.required()) {
      CheckNodeSelector(affinity.required(), required, errors);
    } else {
      errors.Add(field::Required(required, "must specify required node constraints"));
    }
  }
  PersistentVolumeSourceCheck(spec, volume.metadata().name(), path, errors).Run();
  const auto host_path = spec.persistent_volume_source().host_path();
  if (host_path && IsRootPath(host_path.path()) && policy == PersistentVolumeReclaimPolicy::kRecycle) {
    errors.Add(field::Forbidden(policy_path, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  CheckClasses(spec, path, errors);
  CheckMountOptions(volume, errors);
  return errors;
}

void CheckInlineVolumeSpec(PersistentVolumeSpecView spec, const Path& path, ErrorList& errors) {
  const auto refuse = [&](bool given, std::string_view member) {
    if (given)
      errors.Add(
          field::Forbidden(path.Child(member), "may not be specified in the context of inline volumes"));
  };
  refuse(static_cast<bool>(spec.claim_ref()), "claimRef");
  refuse(!spec.capacity().empty(), "capacity");
  if (!spec.persistent_volume_source().csi())
    errors.Add(field::Required(path.Child("csi"), "has to be specified in the context of inline volumes"));
  if (spec.access_modes().empty()) errors.Add(field::Required(path.Child("accessModes"), ""));
  CheckAccessModes(spec.access_modes(), path.Child("accessModes"), errors);
  const std::string_view policy = spec.persistent_volume_reclaim_policy();
  if (!policy.empty() && policy != PersistentVolumeReclaimPolicy::kRetain) {
    errors.Add(field::Forbidden(path.Child("persistentVolumeReclaimPolicy"),
                                "may only be Retain in the context of inline volumes"));
  }
  refuse(static_cast<bool>(spec.node_affinity()), "nodeAffinity");
  PersistentVolumeSourceCheck(spec, "", path, errors).Run();
  refuse(!spec.storage_class_name().empty(), "storageClassName");
  if (spec.has_volume_mode() && spec.volume_mode() != "Filesystem") {
    errors.Add(field::Forbidden(
        path.Child("volumeMode"),
        "may not specify volumeMode other than Filesystem in the context of inline volumes"));
  }
  CheckAttributesClass(spec, path, errors);
}

// Whether only labels of old were replaced by those that took their place.
static bool SameAffinity(VolumeNodeAffinityView now, VolumeNodeAffinityView was) {
  if (SameStruct(now, was)) return true;
  if (!now) return false;
  constexpr std::pair<std::string_view, std::string_view> kReplaced[] = {
      {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
      {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
      {"beta.kubernetes.io/os", "kubernetes.io/os"},
      {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
      {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"}};
  Arena arena;
  VolumeNodeAffinityEditor renewed(DeepCopy(Value::Of(const_cast<StructNode*>(was.node())), arena).node(),
                                   &arena);
  const auto renew = [&](auto requirements, auto wanted) {
    size_t i = 0;
    for (NodeSelectorRequirementEditor requirement : requirements) {
      if (i == wanted.size()) return;
      const std::string_view key = wanted[i++].key();
      for (const auto& [old_key, new_key] : kReplaced)
        if (requirement.key() == old_key && key == new_key) requirement.set_key(new_key);
    }
  };
  if (!renewed.required()) return false;
  const auto wanted = now.required().node_selector_terms();
  size_t i = 0;
  for (NodeSelectorTermEditor term : renewed.mutable_required().edit_node_selector_terms()) {
    if (i == wanted.size()) return false;
    renew(term.edit_match_expressions(), wanted[i].match_expressions());
    renew(term.edit_match_fields(), wanted[i].match_fields());
    ++i;
  }
  return SameStruct(now, renewed);
}

field::ErrorList ValidatePersistentVolumeUpdate(PersistentVolumeView now, PersistentVolumeView was) {
  ErrorList errors = ValidatePersistentVolume(now);
  const auto before = was.spec(), after = now.spec();
  const Path spec("spec");
  Arena arena;
  const StructNode* compared = nullptr;
  if (!SameSource(after.persistent_volume_source(), before.persistent_volume_source(), arena, &compared)) {
    errors.Add(field::Forbidden(
        spec.Child("persistentvolumesource"),
        "spec.persistentvolumesource is immutable after creation\n" +
            field::UnversionedDifference(before.persistent_volume_source().node(), compared)));
  }
  if (after.volume_mode() != before.volume_mode()) {
    errors.Add(field::Invalid(Path("volumeMode"), RenderValue(after.volume_mode()), kFieldImmutable));
  }
  if (before.node_affinity() && !SameAffinity(after.node_affinity(), before.node_affinity())) {
    errors.Add(field::Invalid(Path("nodeAffinity"), field::RenderUnversioned(after.node_affinity().node()),
                              std::string(kFieldImmutable) + ", except for updating from beta label to GA"));
  }
  if (before.has_volume_attributes_class_name() && !after.has_volume_attributes_class_name()) {
    errors.Add(field::Forbidden(spec.Child("volumeAttributesClassName"),
                                "update from non-nil value to nil is forbidden"));
  }
  return errors;
}

}  // namespace keelson::api::core
