#include "bootstrap/rbac.h"

#include "api/generated/rbac_v1.h"
#include "api/meta/object_meta.h"
#include "base/gathering.h"
#include "registry/rbac/bootstrap_policy.h"

namespace keelson::bootstrap {
namespace {

using client::Result;
using registry::rbac::Reconcile;
using registry::rbac::Reconciliation;

constexpr int kAttempts = 4;  // another server on the same store may do the same
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr client::Resource kClusterRoles(kRbac, "clusterroles");
constexpr client::Resource kClusterRoleBindings(kRbac, "clusterrolebindings");

// One attempt; an error that another attempt may mend is a conflict, or tells that the
// object came or went meanwhile.
base::Task<Result<void>> ReconcileOnce(const client::Client& client, client::Resource resource,
                                       const api::Doc& expected) {
  const auto metadata = api::MetadataOf(expected);
  const std::string ns(metadata.namespace_()), name(metadata.name());
  auto found = CO_TRY(co_await client.Get(resource, ns, name, client::Fresh::kNewest));
  if (!found) {
    CO_TRY(co_await client.Create(resource, ns, expected.Clone()));
    co_return Result<void>();
  }
  const std::string uid(api::MetadataOf(*found).uid());
  switch (Reconcile(*found, expected)) {
    case Reconciliation::kNone: break;
    case Reconciliation::kUpdate:
      CO_TRY(co_await client.Update(resource, ns, name, [&expected](api::Doc& doc) {
        Reconcile(doc, expected);
        return true;
      }));
      break;
    case Reconciliation::kRecreate: {
      const auto deleted = co_await client.Delete(resource, ns, name, {.uid = uid});
      if (!deleted && deleted.error().code != 404) co_return base::Err(deleted.error());
      CO_TRY(co_await client.Create(resource, ns, expected.Clone()));
      break;
    }
  }
  co_return Result<void>();
}

// `plural` is static.
base::Task<Done> EnsureReconciled(const client::Client& client, std::string_view plural, api::Doc expected) {
  const client::Resource resource(kRbac, plural);
  for (int attempt = 1;; ++attempt) {
    const auto ensured = co_await ReconcileOnce(client, resource, expected);
    if (ensured) co_return Done();
    const bool may_help = ensured.error().code == 409 || ensured.error().code == 404;
    if (may_help && attempt < kAttempts) continue;
    co_return base::Err("cannot make " + std::string(api::MetadataOf(expected).name()) + ": " +
                        ensured.error().message);
  }
}

// Creates `doc` anew under `name`.
base::Task<Result<void>> CreateCopy(const client::Client& client, client::Resource resource, api::Doc doc,
                                    std::string_view name) {
  auto metadata = api::MutableMetadataOf(doc);
  metadata.set_name(name);
  metadata.clear_resource_version();
  metadata.clear_uid();
  CO_TRY(co_await client.Create(resource, "", std::move(doc)));
  co_return Result<void>();
}

// A store of before roles were aggregated: what was added to `old` by hand becomes the part of it that is
// kept.
base::Task<Result<void>> PrimePart(const client::Client& client, std::string old, std::string part) {
  const auto there = CO_TRY(co_await client.GetObject(kClusterRoles, "", part, client::Fresh::kNewest));
  if (there) co_return Result<void>();
  auto found = CO_TRY(co_await client.Get(kClusterRoles, "", std::move(old), client::Fresh::kNewest));
  if (!found || api::rbac_v1::ClusterRoleView(*found).aggregation_rule()) co_return Result<void>();
  co_return co_await CreateCopy(client, kClusterRoles, *std::move(found), part);
}

// A store of before `split` was a binding of its own: whoever was bound by `old` is bound by it, too.
base::Task<Result<void>> PrimeSplit(const client::Client& client, std::string old, std::string split) {
  const auto there =
      CO_TRY(co_await client.GetObject(kClusterRoleBindings, "", split, client::Fresh::kNewest));
  if (there) co_return Result<void>();
  auto found = CO_TRY(co_await client.Get(kClusterRoleBindings, "", std::move(old), client::Fresh::kNewest));
  if (!found) co_return Result<void>();
  api::rbac_v1::ClusterRoleBindingEditor(*found).mutable_role_ref().set_name(split);
  co_return co_await CreateCopy(client, kClusterRoleBindings, *std::move(found), split);
}

// What earlier releases had in one object and this one has in two.
base::Task<Result<void>> Prime(const client::Client& client) {
  for (const char* const role : {"admin", "edit", "view"})
    CO_TRY(co_await PrimePart(client, role, std::string("system:aggregate-to-") + role));
  co_return co_await PrimeSplit(client, "system:discovery", "system:public-info-viewer");
}

}  // namespace

base::Task<Done> EnsureRoles(const client::Client& client, std::vector<registry::rbac::PolicyObject> policy) {
  const auto primed = co_await Prime(client);
  // Another server on the same store may have been faster.
  if (!primed && primed.error().code != 409)
    co_return base::Err("cannot carry over roles of an earlier release: " + primed.error().message);
  base::Gathering all;
  for (auto& object : policy) all.Start(EnsureReconciled(client, object.resource, std::move(object.doc)));
  co_return co_await all.Wait();
}

}  // namespace keelson::bootstrap
