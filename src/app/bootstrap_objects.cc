#include "app/bootstrap_objects.h"

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

}  // namespace

base::Task<base::Result<void, std::string>> EnsureBootstrapObjects(const Resources& resources) {
  Gathering all;
  const auto start = [&](api::GroupResource resource, api::Doc doc, bool reconcile) {
    if (registry::Store* const store = resources.Find(resource))
      all.Start(Ensure(*store, std::move(doc), reconcile));
  };
  for (auto& object : registry::rbac::BootstrapPolicy())
    start({"rbac.authorization.k8s.io", object.resource}, std::move(object.doc), true);
  for (auto& service : registry::apiregistration::LocalServices(resources.Descriptions()))
    start({"apiregistration.k8s.io", "apiservices"}, std::move(service), false);
  co_return co_await all.Wait();
}

}  // namespace keelson::app
