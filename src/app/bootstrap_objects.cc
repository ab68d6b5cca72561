#include "app/bootstrap_objects.h"

#include <optional>

#include "api/generated/rbac_v1.h"
#include "api/meta/object_meta.h"
#include "app/gathering.h"
#include "app/server_user.h"
#include "registry/apiregistration/local_services.h"
#include "registry/decode.h"
#include "registry/rbac/bootstrap_policy.h"

namespace keelson::app {
namespace {

using registry::rbac::Reconcile;
using registry::rbac::Reconciliation;
using registry::rest::Result;

constexpr int kAttempts = 4;  // another server on the same store may do the same

base::Task<Result<api::Doc>> Reconciled(const api::Doc& current, const api::Doc& expected) {
  api::Doc doc = current.Clone();
  Reconcile(doc, expected);
  co_return doc;
}

base::Task<Result<void>> Create(registry::Store& store, const api::Doc& doc) {
  registry::rest::WriteRequest request{.user = &ServerUser(),
                                       .ns = std::string(api::MetadataOf(doc).namespace_())};
  CO_TRY(co_await store.Create(std::move(request), doc.Clone()));
  co_return Result<void>();
}

// One attempt; an error that another attempt may mend is a conflict, or tells that the
// object came or went meanwhile.
base::Task<Result<void>> EnsureOnce(registry::Store& store, const api::Doc& expected, bool reconcile) {
  const auto metadata = api::MetadataOf(expected);
  const std::string ns(metadata.namespace_()), name(metadata.name());
  const auto found = co_await store.Get(ns, name, {});
  if (!found && found.error().code != 404) co_return base::Err(found.error());
  if (!found) co_return co_await Create(store, expected);
  if (!reconcile) co_return Result<void>();
  auto existing = CO_TRY(registry::DecodeStored(**found, expected.type()));
  switch (Reconcile(existing, expected)) {
    case Reconciliation::kNone: co_return Result<void>();
    case Reconciliation::kUpdate: {
      registry::rest::UpdatedObject updated{
          .make = [&expected](const api::Doc& current) { return Reconciled(current, expected); }};
      registry::rest::WriteRequest request{.user = &ServerUser(), .ns = ns};
      CO_TRY(co_await store.Update(std::move(request), name, std::move(updated)));
      co_return Result<void>();
    }
    case Reconciliation::kRecreate: {
      registry::rest::WriteRequest request{.user = &ServerUser(), .ns = ns};
      registry::DeleteOptions options{.uid = std::string((*found)->uid())};
      const auto deleted = co_await store.Delete(std::move(request), name, std::move(options));
      if (!deleted && deleted.error().code != 404) co_return base::Err(deleted.error());
      co_return co_await Create(store, expected);
    }
  }
  co_return Result<void>();
}

base::Task<Gathering::Done> Ensure(registry::Store& store, api::Doc expected, bool reconcile) {
  for (int attempt = 1;; ++attempt) {
    const auto ensured = co_await EnsureOnce(store, expected, reconcile);
    if (ensured) co_return Gathering::Done();
    const bool may_help = ensured.error().code == 409 || ensured.error().code == 404;
    if (may_help && attempt < kAttempts) continue;
    co_return base::Err("cannot make " + std::string(api::MetadataOf(expected).name()) + ": " +
                        ensured.error().message);
  }
}

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

// An object by its name, if `store` has it.
base::Task<Result<std::optional<api::Doc>>> FindNamed(registry::Store& store, std::string name) {
  const auto found = co_await store.Get("", std::move(name), {});
  if (!found && found.error().code == 404) co_return std::nullopt;
  if (!found) co_return base::Err(found.error());
  auto doc = CO_TRY(registry::DecodeStored(**found, *store.resource().storage_type));
  co_return std::optional<api::Doc>(std::move(doc));
}

// A store of before roles were aggregated: what was added to `old` by hand becomes the part of it that is
// kept.
base::Task<Result<void>> PrimePart(registry::Store& roles, std::string old, std::string part) {
  if (CO_TRY(co_await FindNamed(roles, part))) co_return Result<void>();
  auto found = CO_TRY(co_await FindNamed(roles, old));
  if (!found || api::rbac_v1::ClusterRoleView(*found).aggregation_rule()) co_return Result<void>();
  auto metadata = api::MutableMetadataOf(*found);
  metadata.set_name(part);
  metadata.clear_resource_version();
  metadata.clear_uid();
  co_return co_await Create(roles, *found);
}

// A store of before `split` was a binding of its own: whoever was bound by `old` is bound by it, too.
base::Task<Result<void>> PrimeSplit(registry::Store& bindings, std::string old, std::string split) {
  if (CO_TRY(co_await FindNamed(bindings, split))) co_return Result<void>();
  auto found = CO_TRY(co_await FindNamed(bindings, old));
  if (!found) co_return Result<void>();
  api::rbac_v1::ClusterRoleBindingEditor binding(*found);
  binding.mutable_role_ref().set_name(split);
  auto metadata = api::MutableMetadataOf(*found);
  metadata.set_name(split);
  metadata.clear_resource_version();
  metadata.clear_uid();
  co_return co_await Create(bindings, *found);
}

// What earlier releases had in one object and this one has in two.
base::Task<Result<void>> Prime(registry::Store& roles, registry::Store& bindings) {
  for (const char* const role : {"admin", "edit", "view"})
    CO_TRY(co_await PrimePart(roles, role, std::string("system:aggregate-to-") + role));
  co_return co_await PrimeSplit(bindings, "system:discovery", "system:public-info-viewer");
}

}  // namespace

base::Task<base::Result<void, std::string>> EnsureBootstrapObjects(const Resources& resources) {
  registry::Store* const roles = resources.Find({kRbac, "clusterroles"});
  registry::Store* const bindings = resources.Find({kRbac, "clusterrolebindings"});
  if (roles && bindings) {
    const auto primed = co_await Prime(*roles, *bindings);
    // Another server on the same store may have been faster.
    if (!primed && primed.error().code != 409)
      co_return base::Err("cannot carry over roles of an earlier release: " + primed.error().message);
  }
  Gathering all;
  const auto start = [&](api::GroupResource resource, api::Doc doc, bool reconcile) {
    if (registry::Store* const store = resources.Find(resource))
      all.Start(Ensure(*store, std::move(doc), reconcile));
  };
  for (auto& object : registry::rbac::BootstrapPolicy())
    start({kRbac, object.resource}, std::move(object.doc), true);
  for (auto& service : registry::apiregistration::LocalServices(resources.Descriptions()))
    start({"apiregistration.k8s.io", "apiservices"}, std::move(service), false);
  co_return co_await all.Wait();
}

}  // namespace keelson::app
