#include "api/validation/core/persistent_volume_claim.h"

#include <algorithm>
#include <string>

#include "api/codec/quantity.h"
#include "api/validation/core/resource_names.h"
#include "api/validation/core/resources.h"
#include "api/validation/label_selector.h"
#include "api/validation/labels.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

void CheckClassName(std::string_view name, const Path& path, ErrorList& errors) {
  if (!name.empty()) errors.AddInvalid(path, name, NameIsDnsSubdomain(name, false));
}

// `check_group`: not on update of a claim that had a group before groups were checked.
template <class Source>
void CheckDataSource(Source source, bool check_group, const Path& path, ErrorList& errors) {
  CheckRequired(source.name(), path.Child("name"), errors);
  CheckRequired(source.kind(), path.Child("kind"), errors);
  const std::string_view group = source.api_group();
  if (group.empty() && source.kind() != "PersistentVolumeClaim") {
    errors.Add(field::Invalid(path, RenderValue(source.kind()),
                              "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (!group.empty() && check_group) CheckDnsSubdomain(group, path.Child("apiGroup"), errors);
}

void CheckDataSources(PersistentVolumeClaimSpecView spec, bool check_group, const Path& path,
                      ErrorList& errors) {
  const auto source = spec.data_source();
  const auto ref = spec.data_source_ref();
  if (source) CheckDataSource(source, check_group, path.Child("dataSource"), errors);
  if (!ref) return;
  const Path ref_path = path.Child("dataSourceRef");
  CheckDataSource(ref, check_group, ref_path, errors);
  const std::string_view ns = ref.namespace_();
  if (!ns.empty()) errors.AddInvalid(ref_path.Child("namespace"), ns, NameIsDnsLabel(ns, false));
  if (!source) return;
  auto refuse = [&](std::string_view why) {
    errors.Add(field::Invalid(path, RenderValue(path.Child("dataSource").ToString()), why));
  };
  const bool same = source.has_api_group() == ref.has_api_group() && source.api_group() == ref.api_group() &&
                    source.kind() == ref.kind() && source.name() == ref.name();
  if (!ns.empty()) {
    refuse("may not be specified when dataSourceRef.namespace is specified");
  } else if (!same) {
    refuse("must match dataSourceRef");
  }
}

struct SpecOptions {
  bool check_selector_values = true;
  bool check_source_group = true;
};

void CheckSpec(PersistentVolumeClaimSpecView spec, const SpecOptions& options, const Path& path,
               ErrorList& errors) {
  if (spec.access_modes().empty()) {
    errors.Add(field::Required(path.Child("accessModes"), "at least 1 access mode is required"));
  }
  errors.Append(ValidateLabelSelector(spec.selector(), path.Child("selector"),
                                      {.allow_invalid_values = !options.check_selector_values}));
  CheckAccessModes(spec.access_modes(), path.Child("accessModes"), errors);
  const Path resources = path.Child("resources"), storage_path = resources.Key("storage");
  if (const Value* storage = spec.resources().requests().Find("storage"); !storage) {
    errors.Add(field::Required(storage_path, ""));
  } else if (CompareQuantities(storage->string(), "0") <= 0) {
    errors.Add(field::Invalid(storage_path, RenderValue(storage->string()), kMustBePositive));
  }
  CheckClassName(spec.storage_class_name(), path.Child("storageClassName"), errors);
  if (spec.has_volume_mode()) {
    constexpr std::string_view kModes[] = {"Block", "Filesystem"};
    CheckSupported(spec.volume_mode(), kModes, path.Child("volumeMode"), errors);
  }
  CheckDataSources(spec, options.check_source_group, path, errors);
  CheckClassName(spec.volume_attributes_class_name(), path.Child("volumeAttributesClassName"), errors);
}

std::string_view Annotation(PersistentVolumeClaimView claim, std::string_view key) {
  const Value* value = claim.metadata().annotations().Find(key);
  return value ? value->string() : std::string_view();
}

// A claim that named its class in an annotation, or did not name one, may name it now.
bool MayNameClass(PersistentVolumeClaimView now, PersistentVolumeClaimView was) {
  if (was.spec().has_storage_class_name() || !now.spec().has_storage_class_name()) return false;
  const Value* annotated = was.metadata().annotations().Find(kClassAnnotation);
  return !annotated || annotated->string() == now.spec().storage_class_name();
}

void CheckClassAnnotation(PersistentVolumeClaimView now, PersistentVolumeClaimView was, ErrorList& errors) {
  const Value* before = was.metadata().annotations().Find(kClassAnnotation);
  const Value* after = now.metadata().annotations().Find(kClassAnnotation);
  const bool moved_to_field =
      before && MayNameClass(now, was) && (!after || after->string() == before->string());
  if (moved_to_field || Annotation(now, kClassAnnotation) == Annotation(was, kClassAnnotation)) return;
  const Path metadata("metadata"), annotations = metadata.Child("annotations");
  errors.Add(field::Invalid(annotations.Child(kClassAnnotation),
                            RenderValue(Annotation(now, kClassAnnotation)), kFieldImmutable));
}

// The new spec with what may change put back.
StructNode* WithoutAllowedChanges(PersistentVolumeClaimView now, PersistentVolumeClaimView was,
                                  Arena& arena) {
  PersistentVolumeClaimSpecEditor spec(
      DeepCopy(Value::Of(const_cast<StructNode*>(now.spec().node())), arena).node(), &arena);
  auto restore = [&](std::string_view member) {
    const size_t ordinal = kPersistentVolumeClaimSpecType.FindMember(member).field->ordinal;
    spec.node()->slot(ordinal) = was.spec().node()->slot(ordinal);
  };
  if (was.spec().volume_name().empty()) restore("volumeName");
  if (MayNameClass(now, was)) restore("storageClassName");
  if (now.status().phase() != PersistentVolumeClaimPhase::kBound) return spec.node();
  const Value* size = was.spec().resources().requests().Find("storage");
  if (size && !spec.resources().requests().empty())
    spec.mutable_resources().mutable_requests().Set("storage", *size, arena);
  restore("volumeAttributesClassName");
  return spec.node();
}

void CheckSizeUpdate(PersistentVolumeClaimView now, PersistentVolumeClaimView was, ErrorList& errors) {
  auto storage = [](MapView list) {
    const Value* v = list.Find("storage");
    return v ? v->string() : std::string_view("0");
  };
  const std::string_view size = storage(now.spec().resources().requests());
  if (CompareQuantities(size, storage(was.spec().resources().requests())) >= 0) return;
  // An expansion that failed may be taken back, but not below what is there.
  if (CompareQuantities(size, storage(was.status().capacity())) > 0) return;
  const Path spec("spec"), resources = spec.Child("resources"), requests = resources.Child("requests");
  errors.Add(field::Forbidden(requests.Child("storage"), "field can not be less than status.capacity"));
}

void CheckAttributesClassUpdate(PersistentVolumeClaimView now, PersistentVolumeClaimView was,
                                ErrorList& errors) {
  const auto spec = now.spec();
  const bool changed =
      spec.has_volume_attributes_class_name() != was.spec().has_volume_attributes_class_name() ||
      spec.volume_attributes_class_name() != was.spec().volume_attributes_class_name();
  if (!changed || !was.status().has_current_volume_attributes_class_name()) return;
  const Path spec_path("spec"), path = spec_path.Child("volumeAttributesClassName");
  if (!spec.has_volume_attributes_class_name()) {
    errors.Add(field::Forbidden(
        path, "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil"));
  } else if (spec.volume_attributes_class_name().empty()) {
    errors.Add(field::Forbidden(
        path, "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil"));
  }
}

bool QuantityIsNegative(std::string_view quantity) { return CompareQuantities(quantity, "0") < 0; }

void CheckNotNegative(std::string_view quantity, const Path& path, ErrorList& errors) {
  if (!QuantityIsNegative(quantity)) return;
  const auto parsed = Quantity::Parse(quantity);
  errors.Add(
      field::Invalid(path, RenderValue(parsed ? parsed->Value() : 0), "must be a valid resource quantity"));
}

// Of the system's own resources a claim has storage alone.
bool CheckResourceKey(std::string_view name, const Path& path, ErrorList& errors) {
  const size_t before = errors.size();
  CheckQualifiedName(name, path, errors);
  if (errors.size() == before && IsNativeResource(name) && name != "storage") {
    constexpr std::string_view kSupported[] = {"storage"};
    errors.Add(field::NotSupported(path, RenderValue(name), kSupported));
  }
  return errors.size() == before;
}

}  // namespace

void CheckAccessModes(ScalarList modes, const Path& path, ErrorList& errors) {
  constexpr std::string_view kModes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                         "ReadWriteOncePod"};
  bool exclusive = false, shared = false;
  for (const Value& mode : modes) {
    const size_t before = errors.size();
    CheckSupported(mode.string(), kModes, path, errors);
    const bool known = errors.size() == before;
    exclusive |= mode.string() == "ReadWriteOncePod";
    shared |= known && mode.string() != "ReadWriteOncePod";
  }
  if (exclusive && shared)
    errors.Add(field::Forbidden(path, "may not use ReadWriteOncePod with other access modes"));
}

void CheckVolumeClaimTemplate(PersistentVolumeClaimTemplateView claim, const Path& path, ErrorList& errors) {
  const auto metadata = claim.metadata();
  const Path metadata_path = path.Child("metadata");
  errors.Append(ValidateAnnotations(metadata.annotations(), metadata_path.Child("annotations")));
  errors.Append(ValidateLabels(metadata.labels(), metadata_path.Child("labels")));
  if (metadata) {
    for (const FieldDesc& f : metadata.node()->type->fields) {
      if (f.name == "annotations" || f.name == "labels" ||
          Equal(metadata.node()->slot(f.ordinal), Value(), *f.type))
        continue;
      errors.Add(field::Forbidden(metadata_path.Child(f.name), "cannot be set"));
    }
  }
  CheckVolumeClaimSpec(claim.spec(), path.Child("spec"), errors);
}

void CheckVolumeClaimSpec(PersistentVolumeClaimSpecView spec, const Path& path, ErrorList& errors) {
  CheckSpec(spec, {}, path, errors);
}

field::ErrorList ValidatePersistentVolumeClaim(PersistentVolumeClaimView claim) {
  ErrorList errors;
  CheckSpec(claim.spec(), {}, Path("spec"), errors);
  return errors;
}

field::ErrorList ValidatePersistentVolumeClaimUpdate(PersistentVolumeClaimView now,
                                                     PersistentVolumeClaimView was) {
  ErrorList errors;
  const Path spec_path("spec");
  // What was let in before a rule existed is let in again.
  const SpecOptions options{
      .check_selector_values = ValidateLabelSelector(was.spec().selector(), spec_path).empty(),
      .check_source_group =
          !was.spec().data_source().has_api_group() && !was.spec().data_source_ref().has_api_group()};
  CheckSpec(now.spec(), options, spec_path, errors);
  CheckClassAnnotation(now, was, errors);
  if (now.spec() && was.spec()) {
    Arena arena;
    const StructNode* munged = WithoutAllowedChanges(now, was, arena);
    if (!Equal(munged, was.spec().node())) {
      errors.Add(field::Forbidden(
          spec_path,
          "spec is immutable after creation except resources.requests and volumeAttributesClassName "
          "for bound claims\n" +
              field::UnversionedDifference(was.spec().node(), munged)));
    }
  }
  CheckSizeUpdate(now, was, errors);
  if (now.spec().volume_mode() != was.spec().volume_mode()) {
    errors.Add(field::Invalid(Path("volumeMode"), RenderValue(now.spec().volume_mode()), kFieldImmutable));
  }
  CheckAttributesClassUpdate(now, was, errors);
  return errors;
}

field::ErrorList ValidatePersistentVolumeClaimStatusUpdate(PersistentVolumeClaimView now) {
  ErrorList errors;
  const Path status("status"), capacity = status.Child("capacity"),
                               statuses = status.Child("allocatedResourceStatuses"),
                               allocated = status.Child("allocatedResources");
  if (now.spec().access_modes().empty()) errors.Add(field::Required(Path("Spec").Child("accessModes"), ""));
  for (const auto& [name, quantity] : now.status().capacity())
    CheckNotNegative(quantity.string(), capacity.Key(name), errors);
  constexpr std::string_view kStates[] = {"ControllerResizeInProgress", "ControllerResizeInfeasible",
                                          "NodeResizeInProgress", "NodeResizeInfeasible",
                                          "NodeResizePending"};
  for (const auto& [name, state] : now.status().allocated_resource_statuses()) {
    CheckResourceKey(name, statuses, errors);
    if (std::find(std::begin(kStates), std::end(kStates), state.string()) == std::end(kStates)) {
      errors.Add(field::NotSupported(statuses, RenderValue(name), kStates));
    }
  }
  for (const auto& [name, quantity] : now.status().allocated_resources()) {
    if (CheckResourceKey(name, allocated, errors))
      CheckNotNegative(quantity.string(), allocated.Key(name), errors);
  }
  return errors;
}

}  // namespace keelson::api::core
