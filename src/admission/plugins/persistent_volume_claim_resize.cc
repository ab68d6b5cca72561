#include "admission/plugins/persistent_volume_claim_resize.h"

#include "admission/plugins/resources.h"
#include "api/codec/quantity.h"
#include "api/generated/core_v1.h"
#include "api/generated/storage_v1.h"

namespace keelson::admission {
namespace {

using api::core_v1::PersistentVolumeClaimView;

api::Quantity RequestedSize(PersistentVolumeClaimView claim) {
  const api::Value* const size = claim.spec().resources().requests().Find("storage");
  return size ? api::Quantity::Parse(size->string()).value_or(api::Quantity()) : api::Quantity();
}

std::string_view ClassOf(PersistentVolumeClaimView claim) {
  const api::Value* const annotated = claim.metadata().annotations().Find(kClaimClassAnnotation);
  return annotated ? annotated->string() : claim.spec().storage_class_name();
}

}  // namespace

Concern PersistentVolumeClaimResize::ConcernWith(const api::ResourceDesc& resource,
                                                 std::string_view subresource) const {
  return {.validates = Is(resource, subresource, {"", "persistentvolumeclaims"})};
}

base::Task<Verdict> PersistentVolumeClaimResize::Validate(Attributes request) const {
  if (request.operation != Operation::kUpdate) co_return Verdict();
  const PersistentVolumeClaimView now(*request.object), was(*request.old_object);
  if (RequestedSize(now).Compare(RequestedSize(was)) <= 0) co_return Verdict();
  if (was.status().phase() != "Bound")
    co_return Refuse(request, "Only bound persistent volume claims can be expanded");
  const std::string_view name = ClassOf(now);
  if (!name.empty() && name == ClassOf(was)) {
    const auto found = co_await objects_.Get({"storage.k8s.io", "storageclasses"}, "", std::string(name),
                                             client::Fresh::kAbsenceIsSure);
    if (found && *found && api::storage_v1::StorageClassView(**found).allow_volume_expansion())
      co_return Verdict();
  }
  co_return Refuse(request,
                   "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
                   "pvc must support resize");
}

}  // namespace keelson::admission
