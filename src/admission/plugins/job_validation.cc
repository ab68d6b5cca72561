#include "admission/plugins/job_validation.h"

#include <string>

#include "admission/plugins/resources.h"
#include "api/generated/batch_v1.h"
#include "api/generated/scheduling_v1alpha2.h"
#include "api/validation/quote.h"

namespace keelson::admission {
namespace {

using api::batch_v1::JobView;
using api::scheduling_v1alpha2::PodGroupView;

bool IsGang(PodGroupView group) { return static_cast<bool>(group.spec().scheduling_policy().gang()); }

bool IsControlledBy(PodGroupView group, std::string_view uid) {
  for (const auto owner : group.metadata().owner_references())
    if (owner.controller() && owner.uid() == uid) return true;
  return false;
}

}  // namespace

Concern JobValidation::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  return {.validates = Is(resource, subresource, {"batch", "jobs"})};
}

base::Task<Verdict> JobValidation::Validate(Attributes request) const {
  if (request.operation != Operation::kUpdate || !objects_.Find(kPodGroups)) co_return Verdict();
  const JobView now(*request.object), was(*request.old_object);
  if (now.spec().has_parallelism() == was.spec().has_parallelism() &&
      now.spec().parallelism() == was.spec().parallelism())
    co_return Verdict();
  const auto refuse = [&](PodGroupView group) {
    return Refuse(request, "cannot change parallelism for a Job referencing gang-scheduled PodGroup " +
                               api::Quoted(group.metadata().name()));
  };
  const std::string ns(request.ns);
  const auto named = was.spec().template_().spec().scheduling_group();
  if (named && named.has_pod_group_name()) {
    const auto found =
        co_await objects_.Get(kPodGroups, ns, std::string(named.pod_group_name()), client::Fresh::kCached);
    const bool gang = found && *found && IsGang(PodGroupView(**found));
    co_return gang ? refuse(PodGroupView(**found)) : Verdict();
  }
  // The job controller makes groups of its own for jobs that name none.
  const auto groups = co_await objects_.List(kPodGroups, ns);
  if (!groups) co_return Verdict();
  for (const api::Doc& doc : **groups)
    if (const PodGroupView group(doc); IsControlledBy(group, was.metadata().uid()) && IsGang(group))
      co_return refuse(group);
  co_return Verdict();
}

}  // namespace keelson::admission
