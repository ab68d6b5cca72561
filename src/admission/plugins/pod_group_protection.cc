#include "admission/plugins/pod_group_protection.h"

#include "admission/plugins/resources.h"
#include "api/meta/object_meta.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kPodGroupFinalizer = "scheduling.k8s.io/podgroup-protection";

}  // namespace

Concern PodGroupProtection::ConcernWith(const api::ResourceDesc& resource,
                                        std::string_view subresource) const {
  return {.mutates = Is(resource, subresource, kPodGroups)};
}

base::Task<Verdict> PodGroupProtection::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  auto metadata = api::MutableMetadataOf(*request.object);
  if (!api::HasFinalizer(metadata, kPodGroupFinalizer)) metadata.add_finalizers(kPodGroupFinalizer);
  co_return Verdict();
}

}  // namespace keelson::admission
