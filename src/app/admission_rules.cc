#include "app/admission_rules.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "registry/decode.h"
#include "registry/store.h"

namespace keelson::app {
namespace {

using registry::rest::ObjectPtr;

constexpr api::GroupResource kNamespaces{"", "namespaces"};

using Run = base::Task<admission::Verdict> (*)(const admission::Chain::Plugins&, admission::Attributes);

// Empty when there is nobody to ask.
admission::Hook Asking(admission::Chain::Plugins plugins, Run run) {
  if (plugins.empty()) return {};
  auto shared = std::make_shared<const admission::Chain::Plugins>(std::move(plugins));
  return [shared = std::move(shared), run](admission::Attributes request) {
    return run(*shared, std::move(request));
  };
}

client::Reader::Result<std::vector<api::Doc>> DecodeAll(std::span<const storage::Object* const> objects,
                                                        const api::TypeDesc& type) {
  std::vector<api::Doc> docs;
  docs.reserve(objects.size());
  for (const storage::Object* object : objects) docs.push_back(TRY(registry::DecodeStored(*object, type)));
  return docs;
}

bool Absent(const api::Status& status) { return status.code == 404; }

}  // namespace

AdmissionRules::AdmissionRules(const registry::Stores& stores, size_t namespace_phase,
                               const AdmissionConfig& config, auth::Authorizer* authorizer)
    : stores_(stores),
      namespace_phase_(namespace_phase),
      quotas_(stores),
      chain_(config.plugins,
             {.objects = this,
              .namespaces = this,
              .quotas = &quotas_,
              .authorizer = authorizer,
              .not_ready_toleration_seconds = config.default_not_ready_toleration_seconds,
              .unreachable_toleration_seconds = config.default_unreachable_toleration_seconds}) {}

admission::Hooks AdmissionRules::For(const api::ResourceDesc& resource, std::string_view subresource) const {
  return {.mutate = Asking(chain_.Mutating(resource, subresource), &admission::Mutate),
          .validate = Asking(chain_.Validating(resource, subresource), &admission::Validate)};
}

// What the cache has is good enough; only that there is none must be made sure of, where
// another server may just have made it.
base::Task<client::Reader::Result<ObjectPtr>> AdmissionRules::Lookup(api::GroupResource resource,
                                                                     std::string ns, std::string name) const {
  registry::Store& store = *stores_.Find(resource);
  auto found = co_await store.Get(ns, name, {.resource_version = "0"});
  if (found || !Absent(found.error())) co_return std::move(found);
  co_return co_await store.Get(std::move(ns), std::move(name), {});
}

base::Task<client::Reader::Result<std::optional<api::Doc>>> AdmissionRules::Get(api::GroupResource resource,
                                                                                std::string ns,
                                                                                std::string name) const {
  const auto found = co_await Lookup(resource, std::move(ns), std::move(name));
  if (!found && Absent(found.error())) co_return std::optional<api::Doc>();
  if (!found) co_return base::Err(found.error());
  auto doc = CO_TRY(registry::DecodeStored(**found, *stores_.Find(resource)->resource().type));
  co_return std::optional(std::move(doc));
}

base::Task<client::Reader::Result<client::Reader::Docs>> AdmissionRules::List(
    api::GroupResource resource) const {
  registry::Store& store = *stores_.Find(resource);
  registry::rest::ListOptions options{.resource_version = "0"};
  const auto list = CO_TRY(co_await store.List(std::move(options)));
  Decoded now{.count = list.items.size()};
  for (const auto& object : list.items) now.newest = std::max(now.newest, object->revision());
  {
    base::MutexLock lock(mu_);
    const Decoded& last = decoded_[&store];
    if (last.docs && last.count == now.count && last.newest == now.newest) co_return last.docs;
  }
  auto docs = CO_TRY(DecodeAll(list.items, *store.resource().type));
  now.docs = std::make_shared<const std::vector<api::Doc>>(std::move(docs));
  base::MutexLock lock(mu_);
  decoded_[&store] = now;
  co_return now.docs;
}

base::Task<client::Reader::Result<std::vector<api::Doc>>> AdmissionRules::ListIn(api::GroupResource resource,
                                                                                 std::string ns) const {
  registry::Store& store = *stores_.Find(resource);
  registry::rest::ListOptions options{.ns = std::move(ns), .resource_version = "0"};
  const auto list = CO_TRY(co_await store.List(std::move(options)));
  co_return DecodeAll(list.items, *store.resource().type);
}

base::Task<base::Result<admission::NamespaceState, api::Status>> AdmissionRules::Find(
    std::string_view ns) const {
  const auto found = co_await Lookup(kNamespaces, "", std::string(ns));
  if (!found && Absent(found.error())) co_return admission::NamespaceState::kAbsent;
  if (!found) co_return base::Err(found.error());
  const bool terminating = (*found)->field(namespace_phase_) == "Terminating";
  co_return terminating ? admission::NamespaceState::kTerminating : admission::NamespaceState::kActive;
}

}  // namespace keelson::app
