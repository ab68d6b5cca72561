#include "admission/plugins/storage_object_in_use_protection.h"

#include "api/meta/object_meta.h"

namespace keelson::admission {
namespace {

struct Protection {
  api::GroupResource resource;
  std::string_view finalizer;
};
constexpr Protection kProtections[] = {
    {{"", "persistentvolumes"}, "kubernetes.io/pv-protection"},
    {{"", "persistentvolumeclaims"}, "kubernetes.io/pvc-protection"},
    {{"storage.k8s.io", "volumeattributesclasses"}, "kubernetes.io/vac-protection"},
};

const Protection* Find(const api::ResourceDesc& resource, std::string_view subresource) {
  for (const Protection& protection : kProtections)
    if (Is(resource, subresource, protection.resource)) return &protection;
  return nullptr;
}

}  // namespace

Concern StorageObjectInUseProtection::ConcernWith(const api::ResourceDesc& resource,
                                                  std::string_view subresource) const {
  return {.mutates = Find(resource, subresource) != nullptr};
}

base::Task<Verdict> StorageObjectInUseProtection::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  const std::string_view finalizer = Find(*request.resource, request.subresource)->finalizer;
  auto metadata = api::MutableMetadataOf(*request.object);
  if (!api::HasFinalizer(metadata, finalizer)) metadata.add_finalizers(finalizer);
  co_return Verdict();
}

}  // namespace keelson::admission
