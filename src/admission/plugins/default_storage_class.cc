#include "admission/plugins/default_storage_class.h"

#include "admission/plugins/default_class.h"
#include "admission/plugins/resources.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kDefaultClassAnnotations[] = {"storageclass.kubernetes.io/is-default-class",
                                                         "storageclass.beta.kubernetes.io/is-default-class"};

bool HasClass(api::core_v1::PersistentVolumeClaimView claim) {
  return claim.metadata().annotations().Find(kClaimClassAnnotation) || claim.spec().has_storage_class_name();
}

}  // namespace

Concern DefaultStorageClass::ConcernWith(const api::ResourceDesc& resource,
                                         std::string_view subresource) const {
  return {.mutates = Is(resource, subresource, {"", "persistentvolumeclaims"})};
}

base::Task<Verdict> DefaultStorageClass::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  api::core_v1::PersistentVolumeClaimEditor claim(*request.object);
  if (HasClass(claim)) co_return Verdict();
  const auto found =
      co_await FindDefaultClass(objects_, {"storage.k8s.io", "storageclasses"}, kDefaultClassAnnotations);
  if (!found) co_return Refuse(request, found.error().message);
  if (*found) claim.mutable_spec().set_storage_class_name(**found);
  co_return Verdict();
}

}  // namespace keelson::admission
