#include "app/app.h"

#include <algorithm>
#include <future>
#include <thread>

#include "api/meta/object_meta.h"
#include "api/validation/core/capabilities.h"
#include "app/addresses.h"
#include "app/backend.h"
#include "app/bootstrap_objects.h"
#include "app/consistency_checker.h"
#include "app/controllers.h"
#include "app/credentials.h"
#include "app/data_dir.h"
#include "app/descriptors.h"
#include "app/encryption.h"
#include "app/gathering.h"
#include "app/node_feeds.h"
#include "app/outbound.h"
#include "app/periodic.h"
#include "app/resources.h"
#include "app/rule_feeds.h"
#include "app/server_user.h"
#include "app/service_network.h"
#include "app/store_collection.h"
#include "app/stored_identities.h"
#include "app/stored_secrets.h"
#include "app/system_namespaces.h"
#include "app/system_objects.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/sync_wait.h"
#include "endpoints/api_handler.h"
#include "endpoints/openapi/documents.h"
#include "endpoints/respond.h"
#include "extensions/crd/custom_resources.h"
#include "extensions/rules/definition_rules.h"
#include "extensions/rules/rule_tree.h"
#include "net/server.h"
#include "server/chain.h"
#include "server/routes/health.h"
#include "server/routes/index.h"
#include "server/routes/metrics.h"
#include "server/routes/openid.h"
#include "server/routes/version.h"

namespace keelson::app {
namespace {

using server::Exchange;
using server::HealthChecks;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kSystemObjectsInterval{60};
constexpr std::chrono::seconds kAnnounceInterval{10};
constexpr std::chrono::minutes kServiceRepairInterval{3};
constexpr std::chrono::minutes kConsistencyInterval{5};
constexpr std::chrono::seconds kEncryptionReloadInterval{5}, kAuthenticationReloadInterval{5};
constexpr std::chrono::seconds kWithdrawTimeout{2};
// A window that is switched off: enough for watches that are open to come to their turn.
constexpr size_t kLeastWindowBytes = size_t{1} << 20;
constexpr std::chrono::seconds kLeastWindowAge{30};

storage::CacherOptions CacherOptionsFor(const Config& config, const api::ResourceDesc& resource) {
  const std::string name = api::GroupResource{resource.group, resource.plural}.ToString();
  const WindowConfig& window = config.watch_window;
  storage::CacherOptions options{.registry_prefix = config.etcd_prefix,
                                 .max_object_bytes = config.max_object_bytes};
  const bool off = window.off || window.off_for.contains(name);
  options.log = {.max_bytes = off ? kLeastWindowBytes : window.bytes,
                 .max_age = off ? kLeastWindowAge : window.age};
  if (const auto quota = config.storage_quotas.find(name); quota != config.storage_quotas.end())
    options.quota_bytes = quota->second;
  return options;
}

base::Result<void, std::string> FailsWhile(bool bad, const char* reason) {
  if (bad) return base::Err(std::string(reason));
  return {};
}

// What is below the API's paths while the store is being loaded.
base::Task<net::http::Response> NotReadyYet(Exchange& exchange) {
  exchange.failure_is_told = true;
  const api::Status status = api::GenericServerResponse(503, "", {}, "", "the server is starting");
  net::http::Response response = endpoints::StatusResponse(status, exchange.accept());
  response.headers.Set("retry-after", "1");
  co_return response;
}

// The address that goes into endpoints, which can be no loopback; empty when there is none.
std::string EndpointAddress(const Config& config) {
  const auto usable = [](const std::string& address) {
    return !address.empty() && !IsUnspecified(address) && address != "::1" && !address.starts_with("127.");
  };
  for (const std::string& address :
       {config.advertise_address, config.bind_address, DefaultInterfaceAddress()})
    if (usable(address)) return address;
  return {};
}

// What every cluster has, made by its server.
struct SystemObjects {
  registry::Store& namespaces;
  registry::Store& priority_classes;
  registry::Store& priority_levels;
  registry::Store& flow_schemas;
  ServiceNetwork& services;
  std::string address;  // where others reach this server; empty: nowhere
  uint16_t port;

  base::Task<base::Result<void, std::string>> Ensure() const {
    Gathering all;
    all.Start(EnsureSystemNamespaces(namespaces));
    all.Start(EnsureClasses());
    co_return co_await all.Wait();
  }
  // All but the namespaces.
  base::Task<base::Result<void, std::string>> EnsureClasses() const {
    Gathering all;
    all.Start(EnsurePriorityClasses(priority_classes));
    all.Start(EnsureFlowControl(priority_levels, flow_schemas));
    all.Start(services.EnsureDefaultRange());
    co_return co_await all.Wait();
  }
  base::Task<base::Result<void, std::string>> Announce() const { return services.Announce(address, port); }
};

std::string AdvertisedHost(const Config& config) {
  if (!config.advertise_address.empty()) return config.advertise_address;
  return IsUnspecified(config.bind_address) ? DefaultInterfaceAddress() : config.bind_address;
}

// A failure is told and tried again with the next run.
base::Task<void> Logged(std::string_view what, base::Task<base::Result<void, std::string>> task) {
  const auto done = co_await std::move(task);
  if (!done) base::Log(base::LogLevel::kWarning, what, {{"why", done.error()}});
}

// The service `kubernetes` needs a range of addresses. A server that cannot announce itself yet, such as one
// on a full disk, serves reads and deletions all the same.
base::Task<base::Result<void, std::string>> EnsureServing(const SystemObjects& objects) {
  auto ensured = co_await objects.EnsureClasses();
  if (ensured) ensured = co_await objects.services.Repair();
  if (ensured) {
    auto announced = objects.Announce();
    co_await Logged("service kubernetes", std::move(announced));
  }
  co_return ensured;
}

base::Task<void> EnsureInto(const SystemObjects& objects, const Resources& resources,
                            std::promise<base::Result<void, std::string>>& result) {
  // The rest needs them.
  auto ensured = co_await EnsureSystemNamespaces(objects.namespaces);
  if (ensured) {
    Gathering all;
    all.Start(EnsureBootstrapObjects(resources));
    all.Start(EnsureServing(objects));
    ensured = co_await all.Wait();
  }
  result.set_value(std::move(ensured));
}

// Clients should no longer be sent here, and others run the controllers. Waits a while at
// most: the others would notice.
void Withdraw(const SystemObjects& objects, Controllers& controllers, base::Executor& loop) {
  auto done = std::make_shared<std::promise<void>>();
  loop.Post([&objects, &controllers, done] {
    base::Spawn([](const SystemObjects& o, Controllers& c,
                   std::shared_ptr<std::promise<void>> end) -> base::Task<void> {
      co_await c.Stop();
      co_await Logged("cannot withdraw from the service kubernetes", o.services.Withdraw(o.address, o.port));
      end->set_value();
    }(objects, controllers, done));
  });
  done->get_future().wait_for(kWithdrawTimeout);
}

}  // namespace

// Everything that exists once the store is loaded.
struct Api {
  Api(OpenedBackend opened, std::unique_ptr<ServiceNetwork> s, std::unique_ptr<Resources> r,
      endpoints::ApiHandlerOptions options)
      : backend(std::move(opened.backend)),
        services(std::move(s)),
        resources(std::move(r)),
        handler(resources->Served(), std::move(options)),
        openapi(resources->Descriptions()),
        compaction_interval(opened.compaction_interval),
        compact(std::move(opened.compact)),
        reload_encryption(std::move(opened.reload_encryption)),
        key_services_health(std::move(opened.key_services_health)) {}

  // Who has read that a definition is established finds what it defines.
  base::Task<net::http::Response> AnswerSettled(Exchange& x) {
    co_await custom->Settled();
    co_return co_await handler.Handle(x.request, {&x.info, x.user.get()});
  }

  const std::unique_ptr<storage::Backend> backend;
  const std::unique_ptr<ServiceNetwork> services;
  const std::unique_ptr<Resources> resources;
  endpoints::ApiHandler handler;
  endpoints::openapi::Documents openapi;
  const std::chrono::nanoseconds compaction_interval;
  const Periodic::Job compact;
  const Periodic::Job reload_encryption;
  const std::function<base::Result<void, std::string>()> key_services_health;
  // Of the authorizers of these names, where there are such.
  std::optional<RuleFeeds> rule_feeds;
  std::optional<NodeFeeds> node_feeds;
  std::optional<StoreCollection> definitions;  // as `custom` follows them
  std::optional<extensions::CustomResources> custom;
  std::optional<Controllers> controllers;
  std::optional<SystemObjects> system_objects;
  std::optional<ConsistencyChecker> consistency_checker;
  std::optional<Periodic> authentication_reloader, compaction, encryption_reloader, system_objects_keeper,
      announcer, service_repairer;
};

// In order of construction; what comes later borrows from what comes before. The loops in
// `server` have stopped before `api` goes, and outlive it.
struct App::Parts {
  explicit Parts(DataDir dir) : data_dir(std::move(dir)) {}

  // `host`: what others reach this server by. `key_services`: whether their health is a part of ours.
  void InstallRoutes(const std::string& host, bool key_services);
  bool Serves(const endpoints::RequestInfo& info) const;

  const DataDir data_dir;
  base::Metrics metrics;
  StoredIdentities identities;
  StoredSecrets token_secrets;
  Outbound outbound;
  Credentials credentials;
  std::atomic<bool> shutting_down{false};
  std::atomic<Api*> loaded{nullptr};  // `api` once it is whole
  HealthChecks health;
  server::Router router;
  std::unique_ptr<server::Chain> chain;
  std::unique_ptr<net::Server> server;
  std::future<base::Result<OpenedBackend, std::string>> backend;  // on its way to `api`
  std::unique_ptr<Api> api;
};

void App::Parts::InstallRoutes(const std::string& host, bool key_services) {
  health.Add("ping", HealthChecks::Scope::kAlways, [] { return base::Result<void, std::string>(); });
  const auto stores = [this]() -> base::Result<void, std::string> {
    const Api* const a = loaded.load(std::memory_order_acquire);
    if (!a) return {};
    if (const auto healthy = a->backend->Health(); !healthy) return base::Err(healthy.error().detail);
    return {};
  };
  health.Add("etcd", HealthChecks::Scope::kAlways, stores);
  health.Add("etcd-readiness", HealthChecks::Scope::kReadiness, stores);
  if (key_services)
    health.Add("kms-providers", HealthChecks::Scope::kNotLiveness, [this] {
      const Api* const a = loaded.load(std::memory_order_acquire);
      return a ? a->key_services_health() : FailsWhile(true, "the store is being loaded");
    });
  health.Add("informer-sync", HealthChecks::Scope::kReadiness, [this] {
    return FailsWhile(!loaded.load(std::memory_order_acquire), "the store is being loaded");
  });
  health.Add("shutdown", HealthChecks::Scope::kReadiness,
             [this] { return FailsWhile(shutting_down.load(), "process is shutting down"); });
  health.Install(router);

  for (const char* root : {"/api", "/apis"}) {
    router.AddListed(root);
    router.AddSubtree(root, [this](Exchange& x) {
      Api* const a = loaded.load(std::memory_order_acquire);
      if (!a) return NotReadyYet(x);
      if (a->custom->establishing() && !(x.info.resource_request && Serves(x.info)))
        return a->AnswerSettled(x);
      return a->handler.Handle(x.request, {&x.info, x.user.get()});
    });
  }
  router.AddListed("/api/v1");
  for (const char* openapi : {"/openapi/v2", "/openapi/v3"}) {
    router.AddListed(openapi);
    router.AddSubtree(openapi, [this](Exchange& x) -> base::Task<net::http::Response> {
      Api* const a = loaded.load(std::memory_order_acquire);
      if (!a) co_return co_await NotReadyYet(x);
      if (a->custom->establishing()) co_await a->custom->Settled();
      co_return a->openapi.Handle(x.info.path, x.request.query, x.request.headers);
    });
  }
  server::InstallOpenId(router,
                        {.issuer = credentials.issuers.front(),
                         .keys = credentials.service_account_keys,
                         .server_url = [this, host] { return "https://" + HostPort(host, server->port()); }});
  server::InstallVersion(router);
  server::InstallIndex(router);
  server::InstallMetrics(router, metrics);
  server::AddProcessMetrics(metrics);
}

bool App::Parts::Serves(const endpoints::RequestInfo& info) const {
  if (!info.resource_request) return router.Serves(info.path);
  const Api* const a = loaded.load(std::memory_order_acquire);
  return a && (a->resources->Serves(info) || a->handler.ServesCustom(info));
}

App::App(Config config) : config_(std::move(config)) {}

App::~App() { Stop(); }

base::Result<void, std::string> App::OpenDataDir() {
  auto opened = TRY(DataDir::Open(config_.data_dir));
  parts_ = std::make_unique<Parts>(std::move(opened));
  // The own disk is waited for while keys are read or made. An etcd may keep us waiting for long: not before
  // we know that we can listen.
  const bool embedded = config_.storage_backend != StorageBackend::kEtcd3;
  parts_->backend = std::async(embedded ? std::launch::async : std::launch::deferred,
                               [this, &dir = parts_->data_dir] { return OpenBackend(config_, dir); });
  return {};
}

base::Result<void, std::string> App::Listen() {
  Parts& p = *parts_;
  p.outbound = TRY(Outbound::Create(config_));
  p.credentials = TRY(LoadCredentials(
      config_, p.data_dir,
      {.identities = p.identities, .secrets = p.token_secrets, .resolver = *p.outbound.resolver}, p.metrics));
  p.InstallRoutes(AdvertisedHost(config_), MayUseKeyServices(config_));
  p.chain = std::make_unique<server::Chain>(
      server::ChainConfig{.max_requests_inflight = config_.max_requests_inflight,
                          .max_mutating_requests_inflight = config_.max_mutating_requests_inflight,
                          .request_timeout = config_.request_timeout,
                          .front_proxy_headers = p.credentials.front_proxy_headers},
      *p.credentials.authenticator, *p.credentials.authorizer, p.router,
      [&p](const endpoints::RequestInfo& info) { return p.Serves(info); }, p.metrics);

  net::ServerConfig serving{.bind_address = config_.bind_address,
                            .port = config_.secure_port,
                            .threads = config_.threads,
                            .tls = p.credentials.tls};
  if (config_.http2_max_streams_per_connection > 0)
    serving.max_concurrent_streams = config_.http2_max_streams_per_connection;
  serving.max_connections = ConnectionsWithin(RaiseDescriptorLimit());
  if (config_.max_connections > 0)
    serving.max_connections = std::min(serving.max_connections, config_.max_connections);
  serving.max_strangers = config_.max_unauthenticated_connections;
  serving.max_strangers_per_address = config_.max_unauthenticated_connections_per_address;
  p.server = TRY(net::Server::Create(std::move(serving), *p.chain, p.metrics));
  return p.server->Start();
}

base::Result<void, std::string> App::LoadStore() {
  Parts& p = *parts_;
  api::core::SetPrivilegedAllowed(config_.allow_privileged);
  auto backend = TRY(p.backend.get());
  auto services = TRY(ServiceNetwork::Open(*backend.backend, config_));
  auto resources = TRY(Resources::Open(
      *backend.backend,
      [this](const api::ResourceDesc& resource) { return CacherOptionsFor(config_, resource); },
      {.tokens = p.credentials.tokens.get(),
       .authorizer = p.credentials.authorizer.get(),
       .server_user = &ServerUser(),
       .token_issuer = p.credentials.token_issuer.get(),
       .api_audiences = p.credentials.api_audiences,
       .max_token_expiration =
           std::chrono::duration_cast<std::chrono::seconds>(config_.service_account_max_token_expiration),
       .extend_token_expiration = config_.service_account_extend_token_expiration,
       .event_ttl = config_.event_ttl,
       .service_reserver = &services->reserver(),
       .kubelet_client = p.outbound.kubelets.get(),
       .insecure_client = p.outbound.insecure.get(),
       .kubelet_preferred_address_types = config_.kubelet_preferred_address_types,
       .storage_health = [store = backend.backend.get()]() -> base::Result<void, std::string> {
         if (const auto healthy = store->Health(); !healthy) return base::Err(healthy.error().detail);
         return {};
       },
       .schema_rules = &extensions::DefinitionRules()},
      config_.runtime_config, config_.admission, p.metrics));
  p.api = std::make_unique<Api>(
      std::move(backend), std::move(services), std::move(resources),
      endpoints::ApiHandlerOptions{.server_address = HostPort(AdvertisedHost(config_), p.server->port()),
                                   .min_request_timeout = config_.min_request_timeout,
                                   .media = {.cbor = config_.feature_gates.cbor}});
  p.identities.Use(*p.api->resources);
  p.token_secrets.Use(*p.api->resources);
  p.api->services->Use(*p.api->resources);
  FeedAuthorizers();
  return LoadCustomResources();
}

void App::FeedAuthorizers() {
  Parts& p = *parts_;
  base::Executor& loop = *p.server->loops().front();
  const Resources& resources = *p.api->resources;
  const auto feed = [&loop](auto& authorizer, IndexFeeds& feeds) {
    loop.Post([&feeds] { feeds.Start(); });
    authorizer.Use(feeds);
  };
  if (auto* const rbac = p.credentials.rbac)
    feed(*rbac, p.api->rule_feeds.emplace(resources, rbac->index(), loop));
  if (auto* const node = p.credentials.node)
    feed(*node, p.api->node_feeds.emplace(resources, node->graph(), loop));
}

base::Result<void, std::string> App::LoadCustomResources() {
  Api& api = *parts_->api;
  base::Executor& loop = *parts_->server->loops().front();
  const Resources& resources = *api.resources;
  constexpr api::GroupResource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};
  registry::Store& store = *resources.Find(kDefinitions);
  api.definitions.emplace(store, resources.Find(kDefinitions, "status"), "kube-apiserver", loop);
  const extensions::StorageEnvironment storage{
      .backend = api.backend.get(),
      .cacher = [this](const api::ResourceDesc& resource) { return CacherOptionsFor(config_, resource); },
      .admission =
          [&resources](const api::ResourceDesc& resource, std::string_view subresource) {
            return resources.AdmissionFor(resource, subresource);
          }};
  api.custom.emplace(extensions::CustomResources::Options{
      .definitions = *api.definitions,
      .loop = loop,
      .storage = storage,
      .make_rules = extensions::CompileRuleChecker,
      .publish =
          [&api](std::vector<endpoints::ServedResource> served) { api.handler.SetCustom(std::move(served)); },
      .describe =
          [&api](std::vector<endpoints::openapi::CustomDefinitionPtr> described) {
            api.openapi.SetCustom(std::move(described));
          }});
  auto definitions = base::SyncWait(api.definitions->List(""));
  if (!definitions)
    return base::Err("cannot read the definitions of custom resources: " + definitions.error().message);
  api.custom->Load(*definitions);
  return {};
}

base::Result<void, std::string> App::StartControllers() {
  Api& api = *parts_->api;
  base::Executor& loop = *parts_->server->loops().front();
  constexpr std::string_view kFlowControl = "flowcontrol.apiserver.k8s.io";
  const SystemObjects& objects = api.system_objects.emplace(
      SystemObjects{.namespaces = *api.resources->Find({"", "namespaces"}),
                    .priority_classes = *api.resources->Find({"scheduling.k8s.io", "priorityclasses"}),
                    .priority_levels = *api.resources->Find({kFlowControl, "prioritylevelconfigurations"}),
                    .flow_schemas = *api.resources->Find({kFlowControl, "flowschemas"}),
                    .services = *api.services,
                    .address = EndpointAddress(config_),
                    .port = static_cast<uint16_t>(parts_->server->port())});
  std::promise<base::Result<void, std::string>> ensured;
  loop.Post([&] { base::Spawn(EnsureInto(objects, *api.resources, ensured)); });
  TRY(ensured.get_future().get());

  api.controllers.emplace(
      config_, Controllers::Environment{.resources = *api.resources,
                                        .custom = *api.custom,
                                        .loop = loop,
                                        .root_ca_pem = parts_->credentials.root_ca_pem,
                                        .identity = objects.address + "_" + api::NewUid(),
                                        .shared = config_.storage_backend == StorageBackend::kEtcd3});
  loop.Post([&api] { api.custom->Start(); });
  api.controllers->Start();
  api.system_objects_keeper.emplace(loop, kSystemObjectsInterval,
                                    [&objects] { return Logged("system objects", objects.Ensure()); });
  api.announcer.emplace(loop, kAnnounceInterval,
                        [&objects] { return Logged("service kubernetes", objects.Announce()); });
  api.service_repairer.emplace(loop, kServiceRepairInterval, [&objects] {
    return Logged("addresses and ports of services", objects.services.Repair());
  });
  api.consistency_checker.emplace(api.resources->Caches(), parts_->metrics, kConsistencyInterval);
  if (api.reload_encryption)
    api.encryption_reloader.emplace(loop, kEncryptionReloadInterval, api.reload_encryption);
  if (const auto& reloader = parts_->credentials.authentication_reloader)
    api.authentication_reloader.emplace(loop, kAuthenticationReloadInterval,
                                        [&reloader] { return reloader->Run(); });
  if (api.compaction_interval.count() > 0) api.compaction.emplace(loop, api.compaction_interval, api.compact);
  return {};
}

base::Result<void, std::string> App::Start() {
  auto started = OpenDataDir();
  if (started) started = Listen();
  if (started) started = LoadStore();
  if (started) started = StartControllers();
  if (started && parts_->credentials.admin)
    started = WriteAdminKubeconfig(parts_->credentials, parts_->data_dir, url());
  if (!started) {
    Stop();
    return started;
  }
  parts_->loaded.store(parts_->api.get(), std::memory_order_release);
  base::Log(base::LogLevel::kInfo, "serving",
            {{"version", server::GitVersion()},
             {"address", url()},
             {"storage", BackendName(config_.storage_backend)},
             {"revision", parts_->api->backend->CurrentRevision()},
             {"dataDir", config_.data_dir.string()}});
  return started;
}

std::string App::url() const { return LocalUrl(config_, parts_->server->port()); }

std::optional<std::string> App::kubeconfig() const {
  if (!parts_->credentials.admin) return std::nullopt;
  return parts_->data_dir.kubeconfig().string();
}

void App::Stop() {
  if (!parts_) return;
  // A server that never became ready has nobody to wait for.
  if (parts_->loaded.load() && !parts_->shutting_down.exchange(true))
    std::this_thread::sleep_for(config_.shutdown_delay_duration);
  if (parts_->loaded.load())
    Withdraw(*parts_->api->system_objects, *parts_->api->controllers, *parts_->server->loops().front());
  if (parts_->server)
    parts_->server->Shutdown(std::chrono::duration_cast<milliseconds>(config_.shutdown_grace_period));
  parts_.reset();
}

}  // namespace keelson::app
