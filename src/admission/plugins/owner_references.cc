#include "admission/plugins/owner_references.h"

#include <map>
#include <string>
#include <vector>

#include "admission/kind_mapping.h"
#include "admission/plugins/resources.h"
#include "api/meta/object_meta.h"

namespace keelson::admission {
namespace {

using api::meta_v1::ObjectMetaView;
using api::meta_v1::OwnerReferenceView;

constexpr std::string_view kFinalizers = "finalizers";

ObjectMetaView OldMetadata(const Attributes& request) {
  return request.old_object ? api::MetadataOf(*request.old_object) : ObjectMetaView();
}

bool ChangesOwners(const Attributes& request) {
  const auto now = api::MetadataOf(*request.object).owner_references();
  const auto was = OldMetadata(request).owner_references();
  if (now.size() != was.size()) return true;
  for (size_t i = 0; i < now.size(); ++i)
    if (!api::Equal(now[i].node(), was[i].node())) return true;
  return false;
}

// The owners that this write keeps from being deleted, and that were not kept so before.
std::vector<OwnerReferenceView> NewlyBlocked(const Attributes& request) {
  std::map<std::string_view, bool> blocked_before;
  for (const auto owner : OldMetadata(request).owner_references())
    blocked_before[owner.uid()] = owner.block_owner_deletion();
  std::vector<OwnerReferenceView> blocked;
  for (const auto owner : api::MetadataOf(*request.object).owner_references())
    if (owner.block_owner_deletion() && !blocked_before[owner.uid()]) blocked.push_back(owner);
  return blocked;
}

// The reason and the error of an authorizer, as Go prints them.
std::string Why(const auth::Verdict& verdict) {
  return verdict.reason + ", " + (verdict.error.empty() ? "<nil>" : verdict.error);
}

}  // namespace

// Old kubelets garble the owners in pods/status; its strategy keeps them as they are.
Concern OwnerReferencesPermissionEnforcement::ConcernWith(const api::ResourceDesc& resource,
                                                          std::string_view subresource) const {
  return {.validates = !(Is(resource, "", kPods) && subresource == "status")};
}

base::Task<auth::Verdict> OwnerReferencesPermissionEnforcement::Ask(auth::Attributes question) const {
  question.resource_request = true;
  co_return co_await authorizer_.Authorize(question);
}

base::Task<Verdict> OwnerReferencesPermissionEnforcement::Validate(Attributes request) const {
  const bool creates = request.operation == Operation::kCreate;
  if (!creates && request.operation != Operation::kUpdate) co_return Verdict();
  if (!ChangesOwners(request)) co_return Verdict();
  // Who creates an object may give it owners: it need not have been created.
  if (!creates) CO_TRY(co_await CheckDeletable(request));
  co_return co_await CheckBlocking(request);
}

base::Task<Verdict> OwnerReferencesPermissionEnforcement::CheckDeletable(const Attributes& request) const {
  const auth::Verdict verdict = co_await Ask({.user = request.user,
                                              .verb = "delete",
                                              .group = request.resource->group,
                                              .version = request.resource->version,
                                              .resource = request.resource->plural,
                                              .subresource = request.subresource,
                                              .ns = request.ns,
                                              .name = request.name});
  if (verdict.decision == auth::Decision::kAllow) co_return Verdict();
  co_return Refuse(request, "cannot set an ownerRef on a resource you can't delete: " + Why(verdict));
}

base::Task<Verdict> OwnerReferencesPermissionEnforcement::CheckBlocking(const Attributes& request) const {
  const std::vector<OwnerReferenceView> blocked = NewlyBlocked(request);
  if (blocked.empty()) co_return Verdict();
  const auth::Verdict anything = co_await Ask({.user = request.user,
                                               .verb = "update",
                                               .group = "*",
                                               .version = "*",
                                               .resource = "*",
                                               .subresource = kFinalizers,
                                               .name = "*"});
  if (anything.decision == auth::Decision::kAllow) co_return Verdict();
  for (const OwnerReferenceView owner : blocked) {
    const std::string api_version(owner.api_version()), kind(owner.kind());
    const auto resources = co_await ResourcesOfKind(api_version, kind, objects_);
    if (!resources)
      co_return Refuse(request,
                       "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for "
                       "APIVersion " +
                           api_version + " Kind " + kind + ": " + resources.error());
    for (const KindResource& resource : *resources) {
      // An owner that is namespaced is in the namespace of what it owns.
      const auth::Verdict verdict = co_await Ask({.user = request.user,
                                                  .verb = "update",
                                                  .group = resource.group,
                                                  .version = resource.version,
                                                  .resource = resource.plural,
                                                  .subresource = kFinalizers,
                                                  .ns = resource.namespaced ? request.ns : std::string_view(),
                                                  .name = owner.name()});
      if (verdict.decision == auth::Decision::kAllow) continue;
      co_return Refuse(
          request,
          "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set "
          "finalizers on: " +
              Why(verdict));
    }
  }
  co_return Verdict();
}

}  // namespace keelson::admission
