// What a group serves, as a table: one row per resource with its rules. Each group has its
// own in registry/<group>/resources.cc; app/ joins them and makes the stores.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/hooks.h"
#include "api/meta/status.h"
#include "auth/authenticator.h"
#include "auth/authorizer.h"
#include "auth/token_issuer.h"
#include "registry/attributes.h"
#include "registry/features.h"
#include "registry/rest/storage.h"
#include "registry/store.h"
#include "registry/strategy.h"

namespace keelson::net::http {
class Client;
}
namespace keelson::api::apiextensions {
class SchemaRules;
}

namespace keelson::registry {

// The stores of the server that a row is part of.
class Stores {
 public:
  virtual ~Stores() = default;
  // The store of a resource in its storage version, or of one of its subresources; null
  // when it is not served.
  virtual Store* Find(api::GroupResource resource, std::string_view subresource = "") const = 0;
};

// What rows may ask of the server they are part of. Borrowed: outlives all that is made from it.
struct Dependencies {
  const Stores* stores = nullptr;  // complete when MakeServing is called, not before
  auth::TokenAuthenticator* tokens = nullptr;
  auth::Authorizer* authorizer = nullptr;
  const auth::User* server_user = nullptr;  // who writes what the server itself changes; null: the client
  const auth::TokenIssuer* token_issuer = nullptr;
  std::vector<std::string> api_audiences;        // whom tokens for this server are meant for
  std::chrono::seconds max_token_expiration{0};  // 0: no limit
  bool extend_token_expiration = true;
  std::chrono::seconds event_ttl{3600};
  Reserver* service_reserver = nullptr;  // addresses and ports of services; null: they get none
  const base::Clock* clock = &base::Clock::Real();
  // For what nodes, pods and services serve. The first proves who we are to kubelets; the
  // other proves nothing and trusts every certificate.
  net::http::Client* kubelet_client = nullptr;
  net::http::Client* insecure_client = nullptr;
  std::vector<std::string> kubelet_preferred_address_types;
  // Of the stores etcd-0, etcd-1 and so on; empty: there is one, and it is well.
  std::vector<std::function<base::Result<void, std::string>()>> storage_health;
  const api::apiextensions::SchemaRules* schema_rules = nullptr;  // of custom resources; null: not checked
  Features features = {};
  size_t collection_workers = kCollectionWorkers;  // StoreOptions'
};

// What a serving serves, and what it asks before it does anything. `resource` is borrowed and outlives it.
struct ServingOptions {
  const api::ResourceDesc* resource = nullptr;
  std::string subresource;  // "exec"; empty: the resource itself
  admission::Hooks admission;

  // What is created here, as admission is to see it. Borrows from all of its arguments.
  admission::Attributes Creating(const rest::WriteRequest& request, std::string_view name,
                                 api::Doc& object) const {
    auto attributes = AttributesOf(request, admission::Operation::kCreate, *resource, subresource, name);
    attributes.object = &object;
    return attributes;
  }
};

// Serves a resource or subresource by other means than a Store of its own: reviews that
// are answered and not kept, scale, eviction, tokens, connections.
class Serving {
 public:
  virtual ~Serving() = default;
  // The verbs it has; those that discovery does not name are not reached.
  virtual rest::Verbs verbs() = 0;
};

using StrategyFn = const Strategy& (*)();
using MakeStrategy = std::unique_ptr<Strategy> (*)(const Dependencies&);
using MakeStore = std::unique_ptr<Store> (*)(StoreOptions, const Dependencies&);
using MakeWriteCheck = std::unique_ptr<WriteCheck> (*)(const Dependencies&);
using MakeServing = std::unique_ptr<Serving> (*)(ServingOptions, const Dependencies&);

// Exactly one of `strategy` and `serve` is given.
struct SubresourceRow {
  std::string_view name;
  StrategyFn strategy = nullptr;  // a view of the same objects, with rules of its own
  MakeServing serve = nullptr;
  MakeWriteCheck make_check = nullptr;  // what writes by way of `strategy` are asked besides
};

// Exactly one of `strategy`, `make_strategy` and `serve` is given, or none for a version
// that is served from the store of another one (ResourceDesc::storage_version).
struct ResourceRow {
  std::string_view plural;
  StrategyFn strategy = nullptr;
  std::vector<SubresourceRow> subresources = {};
  bool returns_deleted_object = false;  // as StoreOptions
  bool garbage_collected = true;        // as StoreOptions
  std::string_view version = "v1";
  MakeStrategy make_strategy = nullptr;          // rules that depend on the configuration
  MakeStore make_store = nullptr;                // null: a plain Store
  Reserver* Dependencies::* reserver = nullptr;  // as StoreOptions; null: none
  MakeServing serve = nullptr;                   // no store at all
  MakeWriteCheck make_check = nullptr;           // what writes of the resource itself are asked besides
};

struct Group {
  std::string_view name;  // "" is the core group
  std::span<const ResourceRow> rows;
};

}  // namespace keelson::registry
