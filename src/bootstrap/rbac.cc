#include "bootstrap/rbac.h"

#include "api/meta/object_meta.h"
#include "base/gathering.h"
#include "registry/rbac/bootstrap_policy.h"

namespace keelson::bootstrap {
namespace {

using client::Result;
using registry::rbac::Reconcile;
using registry::rbac::Reconciliation;

constexpr int kAttempts = 4;  // another server on the same store may do the same

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
  const client::Resource resource("rbac.authorization.k8s.io", plural);
  for (int attempt = 1;; ++attempt) {
    const auto ensured = co_await ReconcileOnce(client, resource, expected);
    if (ensured) co_return Done();
    const bool may_help = ensured.error().code == 409 || ensured.error().code == 404;
    if (may_help && attempt < kAttempts) continue;
    co_return base::Err("cannot make " + std::string(api::MetadataOf(expected).name()) + ": " +
                        ensured.error().message);
  }
}

}  // namespace

base::Task<Done> EnsureRoles(const client::Client& client) {
  base::Gathering all;
  for (auto& object : registry::rbac::BootstrapPolicy())
    all.Start(EnsureReconciled(client, object.resource, std::move(object.doc)));
  co_return co_await all.Wait();
}

}  // namespace keelson::bootstrap
