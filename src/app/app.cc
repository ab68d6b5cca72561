#include "app/app.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <future>
#include <thread>

#include "aggregator/peer_proxy.h"
#include "api/meta/object_meta.h"
#include "api/validation/core/capabilities.h"
#include "app/addresses.h"
#include "app/aggregated_backends.h"
#include "app/aggregation.h"
#include "app/auditing.h"
#include "app/backend.h"
#include "app/backends.h"
#include "app/cacher_options.h"
#include "app/controllers.h"
#include "app/credentials.h"
#include "app/custom_catalog.h"
#include "app/data_dir.h"
#include "app/descriptors.h"
#include "app/encryption.h"
#include "app/file_reloader.h"
#include "app/flow_control_feed.h"
#include "app/health.h"
#include "app/measured_rules.h"
#include "app/outbound.h"
#include "app/own_client.h"
#include "app/periodic_work.h"
#include "app/resources.h"
#include "app/tracing.h"
#include "app/webhook_sender.h"
#include "auth/authz/node/graph_informers.h"
#include "auth/authz/rbac/rule_informers.h"
#include "auth/pki/certificate.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "bootstrap/cluster.h"
#include "bootstrap/kubernetes_service.h"
#include "bootstrap/peer_address.h"
#include "bootstrap/server_identity.h"
#include "endpoints/api_handler.h"
#include "endpoints/openapi/documents.h"
#include "extensions/crd/custom_resources.h"
#include "extensions/rules/definition_rules.h"
#include "extensions/rules/rule_tree.h"
#include "net/server.h"
#include "registry/client/store_catalog.h"
#include "registry/client/store_client.h"
#include "registry/core/server_leases.h"
#include "registry/core/service_network.h"
#include "server/chain.h"
#include "server/delegation.h"
#include "server/routes/api.h"
#include "server/routes/debug_flags.h"
#include "server/routes/flow_control.h"
#include "server/routes/health.h"
#include "server/routes/index.h"
#include "server/routes/metrics.h"
#include "server/routes/openid.h"
#include "server/routes/profiling.h"
#include "server/routes/version.h"
#include "server/routes/zpages.h"

namespace keelson::app {
namespace {

using server::HealthChecks;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kWithdrawTimeout{2};
constexpr milliseconds kDrainTick{5};
constexpr std::chrono::minutes kExpirySlack{5};

base::Task<void> BeginInto(bootstrap::Cluster& cluster, std::vector<const api::ResourceDesc*> served,
                           const FeatureGates& gates, std::promise<base::Result<void, std::string>>& result) {
  auto policy = registry::rbac::BootstrapPolicy([&](std::string_view gate) { return gates.Enabled(gate); });
  auto begun = co_await cluster.Begin(std::move(served), std::move(policy));
  result.set_value(std::move(begun));
}

base::Task<void> StartInto(Aggregation& aggregation, bootstrap::ServerIdentity& identity,
                           std::promise<void>& known) {
  if (const auto told = co_await identity.Begin(); !told)
    base::Log(base::LogLevel::kWarning, "cannot write the lease of this server", {{"why", told.error()}});
  co_await aggregation.Start();
  known.set_value();
}

// What aggregated API servers need to know to believe this server whom it asks for.
controllers::TrustInfo TrustOf(const Credentials& credentials, const FrontProxyConfig& proxies) {
  controllers::TrustInfo trust{.client_ca_pem = credentials.serving.config.client_ca_pem,
                               .proxy_ca_pem = credentials.serving.config.proxy_ca_pem,
                               .allowed_names = proxies.allowed_names,
                               .username_headers = proxies.username_headers,
                               .uid_headers = proxies.uid_headers,
                               .group_headers = proxies.group_headers,
                               .extra_headers_prefixes = proxies.extra_headers_prefixes,
                               .combine = [](std::string_view a, std::string_view b) {
                                 return auth::pki::CombineCertificates(
                                     a, b, std::chrono::system_clock::now() - kExpirySlack);
                               }};
  return trust;
}

// "max-age=1; preload".
std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

// Under this name an override moves the addresses of servers; upstream's.
constexpr std::string_view kServerLeasesResource = "apiServerIPInfo";
constexpr std::string_view kPeerLeasesResource = "apiServerPeerIPInfo";

// Health checks: one for the main store, then one for each override, in upstream's order.
std::vector<std::function<base::Result<void, std::string>()>> StorageHealth(const Backends& backends,
                                                                            const Config& config) {
  std::vector<const storage::Backend*> stores = {&backends.main()};
  for (const EtcdOverride& one : config.etcd_servers_overrides)
    stores.push_back(&backends.For(one.group, one.resource));
  std::vector<std::function<base::Result<void, std::string>()>> checks;
  for (const storage::Backend* const store : stores)
    checks.emplace_back([store]() -> base::Result<void, std::string> {
      if (const auto healthy = store->Health(); !healthy) return base::Err(healthy.error().detail);
      return {};
    });
  return checks;
}

// kube-apiserver takes an override of a resource that is not stored under that name, too.
void TellOfOverride(const EtcdOverride& one, const Resources& resources) {
  const bool stored = one.resource == kEveryResource || one.resource == kServerLeasesResource ||
                      one.resource == kPeerLeasesResource || resources.Find({one.group, one.resource});
  base::Log(stored ? base::LogLevel::kInfo : base::LogLevel::kWarning,
            stored ? "stored on other etcd servers"
                   : "an override of etcd servers has no effect: no built-in resource is stored by this name",
            {{"group", one.group}, {"resource", one.resource}, {"servers", Joined(one.servers)}});
}

// The sizes of all files below a directory, added up; files that come and go meanwhile may be left out.
uintmax_t BytesBelow(const std::filesystem::path& directory) {
  uintmax_t bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    if (const auto size = it->file_size(gone); !gone) bytes += size;
  }
  return bytes;
}

// Where this server reaches itself.
net::http::Destination OwnDestination(const Config& config, uint16_t port) {
  return {.host = IsUnspecified(config.bind_address) ? "127.0.0.1" : config.bind_address, .port = port};
}

// Runs `work` on `loop` and waits for it a while at most.
void RunAndWait(base::Executor& loop, std::function<base::Task<void>()> work) {
  auto done = std::make_shared<std::promise<void>>();
  loop.Post([work = std::move(work), done] {
    base::Spawn(
        [](std::function<base::Task<void>()> w, std::shared_ptr<std::promise<void>> end) -> base::Task<void> {
          co_await w();
          end->set_value();
        }(work, done));
  });
  done->get_future().wait_for(kWithdrawTimeout);
}

base::Task<void> Announce(bootstrap::KubernetesService& kubernetes, bootstrap::PeerAddress* peer_address) {
  if (const auto done = co_await kubernetes.Announce(); !done)
    base::Log(base::LogLevel::kWarning, "service kubernetes", {{"why", done.error()}});
  if (!peer_address) co_return;
  if (const auto done = co_await peer_address->Announce(); !done)
    base::Log(base::LogLevel::kWarning, "where other servers find this one", {{"why", done.error()}});
}

base::Task<void> Withdraw(bootstrap::KubernetesService& kubernetes, bootstrap::ServerIdentity& identity,
                          bootstrap::PeerAddress* peer_address) {
  if (peer_address)
    if (const auto done = co_await peer_address->Withdraw(); !done)
      base::Log(base::LogLevel::kWarning, "cannot remove where other servers find this one",
                {{"why", done.error()}});
  if (const auto done = co_await identity.Withdraw(); !done)
    base::Log(base::LogLevel::kWarning, "cannot remove the lease of this server", {{"why", done.error()}});
  if (const auto done = co_await kubernetes.Withdraw(); !done)
    base::Log(base::LogLevel::kWarning, "cannot withdraw from the service kubernetes",
              {{"why", done.error()}});
}

}  // namespace

// Everything that exists once the store is loaded. In order of construction; what comes later borrows from
// what comes before.
struct Api {
  Api(std::unique_ptr<Backends> opened, registry::StoreCatalog& catalog)
      : backends(std::move(opened)), stores(catalog), client(catalog) {}
  // Custom storages must not outlive the backend.
  ~Api() { stores.Close(); }

  // Null: there is no other server.
  bootstrap::PeerAddress* PeerAddress() { return peer_address ? &*peer_address : nullptr; }

  const std::unique_ptr<Backends> backends;
  registry::StoreCatalog& stores;
  const registry::StoreClient client;  // writes as the server
  std::optional<client::EventRecorder> events;
  std::unique_ptr<registry::core::ServiceNetwork> services;
  std::unique_ptr<registry::core::ServerLeases> leases;
  std::unique_ptr<registry::core::ServerLeases> peer_leases;  // null: there is no other server
  std::unique_ptr<Resources> resources;
  // Of the authorizers of these names, where there are such.
  std::optional<auth::rbac::RuleInformers> rule_informers;
  std::optional<auth::node::GraphInformers> graph_informers;
  std::optional<endpoints::ApiHandler> handler;
  std::optional<endpoints::openapi::Documents> openapi;
  std::unique_ptr<admission::WebhookSender> conversion_sender;
  std::optional<extensions::CustomResources> custom;
  // The chain of servers, from its end.
  std::optional<server::NotFound> not_found;
  std::optional<aggregator::PeerProxy> peer_proxy;
  std::optional<server::ApiExtensions> extensions;
  std::optional<server::KubeApi> kube_api;
  std::optional<Aggregation> aggregation;
  std::optional<server::ApiRoutes::Api> routed;
  std::optional<bootstrap::KubernetesService> kubernetes;
  std::optional<bootstrap::ServerIdentity> identity;
  std::optional<bootstrap::PeerAddress> peer_address;  // where there are peer_leases
  std::optional<bootstrap::Cluster> cluster;
  std::optional<Controllers> controllers;
  std::optional<FlowControlFeed> flow_control;
  std::optional<PeriodicWork> periodic_work;
};

// In order of construction; what comes later borrows from what comes before. The loops in
// `server` have stopped before `api` goes, and outlive it.
struct App::Parts {
  explicit Parts(DataDir dir) : data_dir(std::move(dir)) {}

  // `host`: what others reach this server by. `key_services`: whether their health is a part of ours.
  void InstallRoutes(const Config& config, const std::string& host, bool key_services);
  bool Serves(const endpoints::RequestInfo& info) const;

  const DataDir data_dir;
  base::Metrics metrics;
  endpoints::WatchMetrics watch_metrics{metrics};
  registry::StoreCatalog stores;
  const registry::StoreClient client{stores};  // of the authenticators
  Outbound outbound;
  std::unique_ptr<AggregatedBackends> aggregated;
  AdmissionInputs admission;  // the rules of the stores borrow from it
  Credentials credentials;
  std::atomic<bool> shutting_down{false};
  std::atomic<Api*> loaded{nullptr};  // `api` once it is whole
  StartProgress progress;
  base::Metrics slis;
  HealthChecks health{slis};
  server::ApiRoutes api_routes;
  server::Router router;
  std::unique_ptr<Tracing> tracing;                               // null: nothing is traced
  std::unique_ptr<Auditing> auditing;                             // null: nothing is audited
  std::optional<server::flow_control::FlowControl> flow_control;  // nullopt: it is switched off
  std::unique_ptr<server::Chain> chain;
  std::unique_ptr<net::http::Client> self;  // as the server itself
  std::unique_ptr<net::Server> server;
  std::deque<FileReloader> followed_files;
  std::future<base::Result<std::unique_ptr<Backends>, std::string>> backends;  // on their way to `api`
  std::unique_ptr<Api> api;
};

void App::Parts::InstallRoutes(const Config& config, const std::string& host, bool key_services) {
  HealthSources sources{
      .backend = [this]() -> const storage::Backend* {
        const Api* const a = loaded.load(std::memory_order_acquire);
        return a ? &a->backends->main() : nullptr;
      },
      .shutting_down = [this] { return shutting_down.load(); },
      .started = [this](StartStep step) { return progress.Has(step); },
      .registered = [this] { return loaded.load(std::memory_order_acquire)->controllers->RegisteredAll(); },
      .flow_control = flow_control.has_value(),
      .proxy_certificate = !config.aggregator.proxy_client_cert_file.empty(),
      .encryption_reload = config.encryption_provider_config_automatic_reload};
  for (size_t i = 0; i < OverrideClusters(config).size(); ++i)
    sources.overrides.emplace_back([this, i]() -> const storage::Backend* {
      const Api* const a = loaded.load(std::memory_order_acquire);
      return a ? &a->backends->OfCluster(i) : nullptr;
    });
  if (key_services)
    sources.key_services = [this] {
      return loaded.load(std::memory_order_acquire)->backends->KeyServicesHealth();
    };
  AddHealthChecks(std::move(sources), health);
  if (config.livez_grace_period) health.SetLivezGracePeriod(*config.livez_grace_period);
  health.Install(router);

  api_routes.Install(router);
  server::InstallOpenId(router,
                        {.issuer = credentials.issuers.front(),
                         .keys = credentials.service_account_keys,
                         .keys_uri = config.service_account_jwks_uri,
                         .server_url = [this, host] { return "https://" + HostPort(host, server->port()); }});
  server::InstallVersion(router);
  server::InstallIndex(router);
  server::InstallMetrics(router, metrics, slis);
  if (config.profiling) {
    server::InstallDebugFlags(router);
    server::InstallProfiling(router, [this] { return server->loops(); });
  }
  if (config.feature_gates.Enabled("ComponentFlagz")) server::InstallFlagz(router, config.flags);
  if (config.feature_gates.Enabled("ComponentStatusz")) server::InstallStatusz(router);
  if (flow_control) server::InstallFlowControlDumps(router, *flow_control);
  server::AddProcessMetrics(metrics);
  server::AddStartTime(slis);
}

bool App::Parts::Serves(const endpoints::RequestInfo& info) const {
  return info.resource_request ? api_routes.Serves(info) : router.Serves(info.path);
}

App::App(Config config) : config_(std::move(config)) {}

App::~App() { Stop(); }

base::Result<void, std::string> App::OpenDataDir() {
  auto opened = NeedsDataDir(config_) ? TRY(DataDir::Open(config_.data_dir)) : DataDir::Unused();
  parts_ = std::make_unique<Parts>(std::move(opened));
  // The own disk is waited for while keys are read or made. An etcd may keep us waiting for long: not before
  // we know that we can listen.
  const bool embedded = config_.storage_backend != StorageBackend::kEtcd3;
  parts_->backends = std::async(embedded ? std::launch::async : std::launch::deferred,
                                [this, &dir = parts_->data_dir] { return Backends::Open(config_, dir); });
  return {};
}

base::Result<void, std::string> App::Listen() {
  Parts& p = *parts_;
  FollowFiles();
  p.outbound = TRY(Outbound::Create(config_));
  if (const auto& proxy = p.outbound.egress.cluster)
    p.followed_files.emplace_back("the certificate for the egress proxy or its authority",
                                  std::vector{proxy->client_cert, proxy->client_key, proxy->ca_bundle},
                                  [&p](const auto&) { return p.outbound.ReloadProxyTls(); });
  p.admission = TRY(ReadAdmissionInputs(config_.admission, *p.outbound.resolver));
  p.admission.proxy = p.outbound.proxy.get();
  p.credentials = TRY(LoadCredentials(config_, p.data_dir,
                                      {.objects = p.client, .resolver = *p.outbound.resolver}, p.metrics));
  p.aggregated = TRY(AggregatedBackends::Create(
      {.objects = p.client,
       .resolver = *p.outbound.resolver,
       .proxy = p.outbound.proxy.get(),
       .to_endpoints = config_.admission.webhooks_to_endpoints,
       .certificate_file = config_.aggregator.proxy_client_cert_file,
       .key_file = config_.aggregator.proxy_client_key_file,
       .self = [this] { return OwnDestination(config_, parts_->server->port()); }}));
  p.tracing = TRY(Tracing::Make(config_.tracing_config_file, bootstrap::ServerIdOf(HostName()), p.metrics));
  p.auditing = TRY(Auditing::Make(config_.audit, *p.outbound.resolver, p.metrics));
  if (config_.enable_priority_and_fairness)
    p.flow_control.emplace(config_.max_requests_inflight + config_.max_mutating_requests_inflight, p.metrics);
  config_.feature_gates.ForEach([&p](std::string_view name, std::string_view stage, bool enabled) {
    p.metrics
        .GetGauge("kubernetes_feature_enabled", "Whether a feature is on, by its name and stage.",
                  {{"name", std::string(name)}, {"stage", std::string(stage)}})
        .Set(enabled ? 1 : 0);
  });
  p.InstallRoutes(config_, AdvertisedHost(config_), MayUseKeyServices(config_));
  p.chain = std::make_unique<server::Chain>(
      server::ChainConfig{
          .max_requests_inflight = config_.max_requests_inflight,
          .max_mutating_requests_inflight = config_.max_mutating_requests_inflight,
          .request_timeout = config_.request_timeout,
          .front_proxy_headers = p.credentials.front_proxy_headers,
          .auditor = p.auditing ? &p.auditing->auditor() : nullptr,
          .tracing = p.tracing ? &p.tracing->filter() : nullptr,
          .flow_control = p.flow_control ? &*p.flow_control : nullptr,
          .cross_origin = TRY(server::CrossOriginFilter::Create(config_.cors_allowed_origins)),
          .strict_transport_security = Joined(config_.strict_transport_security_directives),
          .goaway_chance = config_.goaway_chance,
          .count_for_draining = config_.shutdown_send_retry_after},
      *p.credentials.authenticator, *p.credentials.authorization.authorizer, p.router,
      [&p](const endpoints::RequestInfo& info) { return p.Serves(info); }, p.metrics);

  p.self = MakeOwnClient(*p.chain, registry::ServerUser());
  p.admission.self = p.self.get();

  net::ServerConfig serving{.bind_address = config_.bind_address,
                            .port = config_.secure_port,
                            .threads = config_.threads,
                            .tls = p.credentials.serving.config};
  if (config_.http2_max_streams_per_connection > 0)
    serving.max_concurrent_streams = config_.http2_max_streams_per_connection;
  serving.share_port = config_.permit_port_sharing;
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
  for (const std::string& warning : config_.feature_gates.warnings())
    base::Log(base::LogLevel::kWarning, warning);
  p.api = std::make_unique<Api>(TRY(p.backends.get()), p.stores);
  if (config_.storage_backend == StorageBackend::kEmbedded)
    p.metrics.AddCallback("apiserver_storage_size_bytes", "Bytes of the store on the disk.",
                          [&dir = p.data_dir] { return static_cast<double>(BytesBelow(dir.database())); },
                          {{"storage_cluster_id", "etcd-0"}});
  Api& api = *p.api;
  p.admission.events = &api.events.emplace(api.client, *p.server->loops().front(), "kube-apiserver");
  api.services = TRY(registry::core::ServiceNetwork::Open(
      api.backends->For("", "services"), {.cluster_ip_range = config_.service_cluster_ip_range,
                                          .node_port_range = config_.service_node_port_range,
                                          .registry_prefix = config_.etcd_prefix}));
  using registry::core::ServerLeases;
  api.leases = TRY(ServerLeases::Open(api.backends->For("", kServerLeasesResource), config_.etcd_prefix,
                                      ServerLeases::For::kClients));
  if (config_.storage_backend == StorageBackend::kEtcd3 &&
      config_.feature_gates.Enabled("UnknownVersionInteroperabilityProxy"))
    api.peer_leases = TRY(ServerLeases::Open(api.backends->For("", kPeerLeasesResource), config_.etcd_prefix,
                                             ServerLeases::For::kServers));
  api.resources = TRY(Resources::Open(
      [&backends = *api.backends](const api::ResourceDesc& resource) -> storage::Backend& {
        return backends.For(resource.group, resource.plural);
      },
      [this, &backends = *api.backends](const api::ResourceDesc& resource) {
        auto options = CacherOptionsFor(config_, resource, &parts_->metrics);
        options.store_may_be_away = &backends.For(resource.group, resource.plural) != &backends.main();
        return options;
      },
      {.tokens = p.credentials.tokens.get(),
       .authorizer = p.credentials.authorization.authorizer.get(),
       .server_user = &registry::ServerUser(),
       .token_issuer = p.credentials.token_issuer.get(),
       .api_audiences = p.credentials.api_audiences,
       .max_token_expiration =
           std::chrono::duration_cast<std::chrono::seconds>(config_.service_account_max_token_expiration),
       .extend_token_expiration = config_.service_account_extend_token_expiration,
       .event_ttl = config_.event_ttl,
       .service_reserver = &api.services->reserver(),
       .kubelet_client = p.outbound.kubelets.get(),
       .insecure_client = p.outbound.insecure.get(),
       .kubelet_preferred_address_types = config_.kubelet_preferred_address_types,
       .storage_health = StorageHealth(*api.backends, config_),
       .schema_rules = &extensions::DefinitionRules(),
       .features = FeaturesOf(config_.feature_gates),
       .collection_workers = config_.delete_collection_workers.value_or(registry::kCollectionWorkers)},
      config_.runtime_config, config_.admission, p.admission, p.stores, p.metrics));
  for (const EtcdOverride& one : config_.etcd_servers_overrides) TellOfOverride(one, *api.resources);
  p.stores.Open();
  api.services->Use(*api.resources);
  const bool cbor = config_.feature_gates.Enabled("CBORServingAndStorage");
  api.handler.emplace(
      api.resources->Served(),
      endpoints::ApiHandlerOptions{.server_address = HostPort(AdvertisedHost(config_), p.server->port()),
                                   .min_request_timeout = config_.min_request_timeout,
                                   .media = {.cbor = cbor},
                                   .watch_metrics = &p.watch_metrics});
  api.openapi.emplace(
      api.resources->Descriptions(),
      endpoints::openapi::Behaviour{.shown_deleted = api.resources->ShownDeleted(), .cbor = cbor});
  FeedAuthorizers();
  TRY(JoinServers());
  p.progress.Reach(StartStep::kStoreLoaded);
  return {};
}

void App::FeedAuthorizers() {
  Parts& p = *parts_;
  Api& api = *p.api;
  base::Executor& loop = *p.server->loops().front();
  if (auto* const rbac = p.credentials.authorization.rbac) {
    auto& informers = api.rule_informers.emplace(api.client, rbac->index(), loop);
    loop.Post([&informers] { informers.Start(); });
    rbac->Use(informers);
  }
  if (auto* const node = p.credentials.authorization.node) {
    auto& informers = api.graph_informers.emplace(api.client, node->graph(), loop);
    informers.StartWhenAsked();  // where no kubelet is, nobody follows pods
    node->Use(informers);
  }
}

base::Result<void, std::string> App::JoinServers() {
  Api& api = *parts_->api;
  api.conversion_sender = MakeWebhookSender({.objects = api.client,
                                             .resolver = *parts_->outbound.resolver,
                                             .to_endpoints = config_.admission.webhooks_to_endpoints,
                                             .proxy = parts_->outbound.proxy.get(),
                                             .self = parts_->self.get()});
  const extensions::StorageOptions storage{
      .backend = &api.backends->main(),
      .cacher =
          [this](const api::ResourceDesc& resource) {
            return CacherOptionsFor(config_, resource, &parts_->metrics);
          },
      .admission =
          [&resources = *api.resources](const api::ResourceDesc& resource, std::string_view subresource) {
            return resources.AdmissionFor(resource, subresource);
          },
      .authorizer = parts_->credentials.authorization.authorizer.get(),
      .conversion = {.sender = api.conversion_sender.get(),
                     .metrics = &parts_->metrics,
                     .events = &*api.events},
      .collection_workers = config_.delete_collection_workers.value_or(registry::kCollectionWorkers)};
  api.custom.emplace(extensions::CustomResources::Options{
      .client = api.client,
      .loop = *parts_->server->loops().front(),
      .storage = storage,
      .make_rules = MeasuredRules(extensions::CompileRuleChecker, parts_->metrics),
      .publish =
          [&api](std::vector<endpoints::CustomChange> changes) {
            api.handler->ChangeCustom(std::move(changes));
          },
      .describe =
          [&api](std::vector<endpoints::openapi::CustomDescription> changes) {
            api.openapi->ChangeCustom(std::move(changes));
          }});
  TRY(api.custom->Load());
  FollowInto(*api.custom, parts_->stores);
  const server::Establishing establishing{.now = [&api] { return api.custom->establishing(); },
                                          .settled = [&api] { return api.custom->Settled(); }};
  api.not_found.emplace(*api.handler);
  api.peer_proxy.emplace(parts_->metrics, *api.not_found);
  api.extensions.emplace(*api.handler, establishing, *api.peer_proxy);
  api.kube_api.emplace(*api.handler, *api.extensions);
  std::optional<Aggregation::Options::PeerOptions> peers;
  if (!config_.peers.ca_file.empty()) {
    if (!api.peer_leases)
      return base::Err("--peer-ca-file: only servers on one etcd have peers; use --etcd-servers");
    auto ca_pem = TRY(base::ReadFile(config_.peers.ca_file));
    peers.emplace(Aggregation::Options::PeerOptions{.leases = *api.peer_leases,
                                                    .ca_pem = std::move(ca_pem),
                                                    .own_id = bootstrap::ServerIdOf(HostName())});
  }
  api.aggregation.emplace(Aggregation::Options{
      .backends = *parts_->aggregated,
      .client = api.client,
      .loop = *parts_->server->loops().front(),
      .metrics = parts_->metrics,
      .built_in = api.resources->Descriptions(),
      .reject_redirects = config_.aggregator.reject_forwarding_redirect,
      .handler = *api.handler,
      .establishing = establishing,
      .next = *api.kube_api,
      .peers = std::move(peers),
      .publish =
          [&api](endpoints::discovery::RegisteredPtr registered) {
            api.handler->SetRegistered(std::move(registered));
          },
      .describe = [&api](aggregator::OpenApi::Urls urls) { api.openapi->SetRemote(std::move(urls)); },
      .describe_v2 =
          [&api](std::vector<endpoints::openapi::RemoteSpecPtr> specs) {
            api.openapi->SetRemoteSpecs(std::move(specs));
          }});
  if (api.aggregation->peers()) api.peer_proxy->Use(*api.aggregation->peers());
  api.routed.emplace(server::ApiRoutes::Api{
      .first = *api.aggregation,
      .openapi = *api.openapi,
      .described_elsewhere =
          [&api](server::IncomingRequest& incoming) { return api.aggregation->HandleOpenApi(incoming); },
      .establishing = establishing,
      .serves =
          [&api](const endpoints::RequestInfo& info) {
            return api.resources->Serves(info) || api.handler->ServesCustom(info);
          }});
  return {};
}

base::Result<void, std::string> App::StartControllers() {
  Api& api = *parts_->api;
  base::Executor& loop = *parts_->server->loops().front();
  const std::string address = EndpointAddress(config_);
  api.kubernetes.emplace(
      api.client, *api.leases,
      bootstrap::KubernetesService::Options{
          .range = api.services->ranges().front(),
          .address = address,
          .port = config_.advertise_port > 0 ? config_.advertise_port : parts_->server->port()});
  const std::string host = HostName();
  registry::core::ServerLease for_peers{.name = bootstrap::ServerIdOf(host),
                                        .address = AdvertisedAddress(config_),
                                        .port = parts_->server->port()};
  if (const PeersConfig& peers = config_.peers; !peers.advertise_ip.empty() && peers.advertise_port > 0) {
    for_peers.address = peers.advertise_ip;
    for_peers.port = peers.advertise_port;
  }
  api.identity.emplace(
      api.client, bootstrap::ServerIdentity::Options{.host_name = host,
                                                     .holder = for_peers.name + "_" + api::NewUid(),
                                                     .address = HostPort(for_peers.address, for_peers.port)});
  if (api.peer_leases) api.peer_address.emplace(*api.peer_leases, std::move(for_peers));
  api.cluster.emplace(api.client, *api.services, *api.kubernetes);
  std::promise<base::Result<void, std::string>> begun;
  loop.Post([&] {
    base::Spawn(BeginInto(*api.cluster, api.resources->Descriptions(), config_.feature_gates, begun));
  });
  TRY(begun.get_future().get());
  parts_->progress.Reach(StartStep::kClusterBegun);
  if (parts_->flow_control) api.flow_control.emplace(*parts_->flow_control, api.client, parts_->stores, loop);
  // Who asks for an aggregated API is not told that there is none.
  std::promise<void> known;
  loop.Post([&] { base::Spawn(StartInto(*api.aggregation, *api.identity, known)); });
  known.get_future().get();
  parts_->progress.Reach(StartStep::kAggregation);

  api.controllers.emplace(config_,
                          Controllers::Options{.stores = parts_->stores,
                                               .custom = *api.custom,
                                               .built_in = api.resources->Descriptions(),
                                               .loop = loop,
                                               .trust = TrustOf(parts_->credentials, config_.front_proxy),
                                               .for_namespaces = api.aggregation->for_namespaces(),
                                               .for_collection = api.aggregation->for_collection(),
                                               .root_ca_pem = parts_->credentials.serving.root_ca_pem,
                                               .identity = address + "_" + api::NewUid(),
                                               .metrics = parts_->metrics,
                                               .shared = config_.storage_backend == StorageBackend::kEtcd3});
  loop.Post([&api] { api.custom->Start(); });
  api.controllers->Start();
  StartPeriodicWork();
  parts_->progress.Reach(StartStep::kControllers);
  return {};
}

void App::StartPeriodicWork() {
  Api& api = *parts_->api;
  std::vector<Periodic::Job> reloads;
  for (auto& reload : api.backends->EncryptionReloads()) reloads.push_back(std::move(reload));
  for (const auto* const reloader :
       {&parts_->credentials.authentication_reloader, &parts_->credentials.authorization.reloader})
    if (*reloader) reloads.emplace_back([reloader] { return (*reloader)->Run(); });
  for (FileReloader& files : parts_->followed_files) reloads.emplace_back([&files] { return files.Run(); });
  api.periodic_work.emplace(PeriodicWork::Options{.loop = *parts_->server->loops().front(),
                                                  .cluster = *api.cluster,
                                                  .kubernetes = *api.kubernetes,
                                                  .identity = *api.identity,
                                                  .peer_address = api.PeerAddress(),
                                                  .services = *api.services,
                                                  .metrics = parts_->metrics,
                                                  .caches = api.resources->Caches(),
                                                  .reloads = std::move(reloads),
                                                  .forget_old_events = [this] { ForgetOldEvents(); },
                                                  .compactions = api.backends->Compactions(),
                                                  .compaction_interval = api.backends->compaction_interval(),
                                                  .database_bytes = api.backends->DatabaseBytes(),
                                                  .database_interval = config_.etcd_db_metric_poll_interval});
}

// Reloads the files that kube-apiserver reloads. Keys of service accounts and static tokens are read once, as
// upstream does. Called before any of the files is read, so that a change during the start is noticed.
void App::FollowFiles() {
  using Done = base::Result<void, std::string>;
  std::deque<FileReloader>& followed = parts_->followed_files;
  followed.emplace_back("the serving certificate or an authority of clients", ServingTlsFiles(config_),
                        [this](const auto&) -> Done {
                          auto serving = TRY(LoadServingTls(config_, parts_->credentials.pki));
                          TRY(parts_->server->ReloadTls(serving.config));
                          parts_->api->controllers->SetTrust(
                              serving.config.client_ca_pem, serving.config.proxy_ca_pem, serving.root_ca_pem);
                          return {};
                        });
  followed.emplace_back(
      "the certificate for aggregated APIs",
      std::vector{config_.aggregator.proxy_client_cert_file, config_.aggregator.proxy_client_key_file},
      [this](const auto& texts) -> Done { return parts_->aggregated->Use(texts[0], texts[1]); });
  followed.emplace_back("the certificate for kubelets or their authority",
                        std::vector{config_.kubelet_client_certificate, config_.kubelet_client_key,
                                    config_.kubelet_certificate_authority},
                        [this](const auto&) -> Done { return parts_->outbound.ReloadKubeletTls(config_); });
  followed.emplace_back("the certificate for etcd or its authority",
                        std::vector{config_.etcd_certfile, config_.etcd_keyfile, config_.etcd_cafile},
                        [this](const auto&) -> Done { return parts_->api->backends->ReloadTls(); });
}

void App::ForgetOldEvents() {
  Api& api = *parts_->api;
  for (const auto& cached : api.resources->Caches()) cached.cache->ForgetOld();
  for (const auto& custom : api.custom->All()) custom->cache().ForgetOld();
  // Each loop has memory of its own, and one that only waits gives nothing back by itself.
  for (const auto& loop : parts_->server->loops()) loop->Post([] { base::GiveBackMemory(); });
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
  // In this order: who was told that it is ready finds it open.
  parts_->api_routes.Open(*parts_->api->routed);
  parts_->loaded.store(parts_->api.get(), std::memory_order_release);
  parts_->server->loops().front()->Post(
      [&api = *parts_->api] { base::Spawn(Announce(*api.kubernetes, api.PeerAddress())); });
  base::Log(base::LogLevel::kInfo, "serving",
            {{"version", server::GitVersion()},
             {"address", url()},
             {"storage", BackendName(config_.storage_backend)},
             {"revision", parts_->api->backends->main().CurrentRevision()},
             {"dataDir", config_.data_dir.string()}});
  return started;
}

std::string App::url() const { return LocalUrl(config_, parts_->server->port()); }

std::optional<std::string> App::kubeconfig() const {
  if (!parts_->credentials.admin) return std::nullopt;
  return parts_->data_dir.kubeconfig().string();
}

// In kube-apiserver's order. Not ready any more, and no client is sent here, from the first moment; then load
// balancers get time to notice. Watches and requests under way are the last to go, and the audit log has
// them.
void App::Stop() {
  if (!parts_) return;
  // A server that never became ready has nobody to wait for.
  if (parts_->loaded.load() && !parts_->shutting_down.exchange(true)) {
    const auto delayed = std::chrono::steady_clock::now() + config_.shutdown_delay_duration;
    base::Executor& loop = *parts_->server->loops().front();
    RunAndWait(loop, [this] {
      Api& api = *parts_->api;
      return Withdraw(*api.kubernetes, *api.identity, api.PeerAddress());
    });
    std::this_thread::sleep_until(delayed);
    TurnAway();
    RunAndWait(loop, [this] {
      parts_->api->aggregation->Stop();
      return parts_->api->controllers->Stop();
    });
  }
  if (parts_->server)
    parts_->server->Shutdown(
        std::chrono::duration_cast<milliseconds>(config_.shutdown_grace_period),
        std::chrono::duration_cast<milliseconds>(config_.shutdown_watch_termination_grace_period));
  if (parts_->auditing) parts_->auditing->End();
  if (parts_->tracing) parts_->tracing->Flush();
  parts_.reset();
}

// Listeners stay open with --shutdown-send-retry-after, so that clients are told to go elsewhere and need not
// find out, until what is under way is done. Where watches end one by one, nobody begins anew meanwhile.
void App::TurnAway() {
  const bool watches_end_slowly = config_.shutdown_watch_termination_grace_period.count() > 0;
  if (!config_.shutdown_send_retry_after && !watches_end_slowly) return;
  server::Draining& draining = parts_->chain->draining();
  draining.Begin();
  if (!config_.shutdown_send_retry_after) return;
  const auto deadline = std::chrono::steady_clock::now() + config_.request_timeout;
  while (draining.under_way() > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(kDrainTick);
}

}  // namespace keelson::app
