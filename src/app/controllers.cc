#include "app/controllers.h"

#include <ctime>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "controllers/api_service_controller.h"
#include "controllers/api_service_registration.h"
#include "controllers/authentication_trust.h"
#include "controllers/cluster_role_aggregation.h"
#include "controllers/crd_controller.h"
#include "controllers/crd_finalizer.h"
#include "controllers/flow_schema_controller.h"
#include "controllers/garbage_collector.h"
#include "controllers/leader_election.h"
#include "controllers/legacy_token_tracking.h"
#include "controllers/namespace_controller.h"
#include "controllers/resource_quota.h"
#include "controllers/root_ca_publisher.h"
#include "controllers/service_accounts.h"
#include "registry/apiregistration/local_services.h"
#include "registry/client/store_client.h"

namespace keelson::app {
namespace {

constexpr std::string_view kLease = "keelson-controllers";
// The manager of what upstream's API server writes itself.
constexpr std::string_view kServer = "kube-apiserver";

}  // namespace

// In order of construction; what comes later borrows from what comes before.
struct Controllers::Parts {
  explicit Parts(Options o) : options(std::move(o)) {}

  // Writes as the server, for a manager of that name.
  const client::Client& ClientOf(std::string_view manager) {
    return clients.emplace_back(options.stores, std::string(manager));
  }
  void Add(const Config& config);
  void AddSelected(const Config& config);
  void AddServersOwn();
  void AddDefinitions(std::string_view manager);

  using All = std::vector<std::unique_ptr<controllers::Controller>>;
  static void StartAll(const All& all) {
    for (const auto& controller : all) controller->Start();
  }
  static void StopAll(const All& all) {
    for (const auto& controller : all) controller->Stop();
  }

  const Options options;
  std::deque<registry::StoreClient> clients;
  All selected;     // by --controllers; of several servers one runs them
  All servers_own;  // upstream's API server always runs them, and so does each of several here
  controllers::AuthenticationTrust* trust = nullptr;                  // of servers_own
  controllers::RootCaPublisher* root_ca_publisher = nullptr;          // of `selected`; null: it does not run
  const controllers::ApiServiceRegistration* registration = nullptr;  // of servers_own
  std::optional<controllers::LeaderElection> election;
  bool started = false;
};

void Controllers::Parts::Add(const Config& config) {
  AddSelected(config);
  AddServersOwn();
  if (options.shared && !selected.empty())
    election.emplace(
        ClientOf(kLease), options.loop,
        controllers::LeaderElectionOptions{.name = std::string(kLease), .identity = options.identity},
        controllers::LeaderElection::Observer{[this] { StartAll(selected); }, [this] { StopAll(selected); }});
}

void Controllers::Parts::AddSelected(const Config& config) {
  base::Executor& loop = options.loop;
  const auto runs = [&](std::string_view name) { return RunsController(config, name); };
  using namespace controllers;
  if (runs(kNamespaceController))
    selected.push_back(std::make_unique<NamespaceController>(ClientOf(kServer), loop,
                                                             config.namespace_deletion_grace_period,
                                                             base::Clock::Real(), &options.for_namespaces));
  if (runs(kGarbageCollector))
    selected.push_back(std::make_unique<GarbageCollector>(ClientOf(kServer), loop, &options.for_collection));
  if (runs(kServiceAccounts))
    selected.push_back(std::make_unique<ServiceAccounts>(ClientOf(kServiceAccounts), loop));
  if (runs(kRootCaPublisher)) {
    auto publisher = std::make_unique<RootCaPublisher>(ClientOf(kRootCaPublisher), options.root_ca_pem, loop);
    root_ca_publisher = publisher.get();
    selected.push_back(std::move(publisher));
  }
  if (runs(kClusterRoleAggregation))
    selected.push_back(std::make_unique<ClusterRoleAggregation>(ClientOf(kClusterRoleAggregation), loop));
  if (runs(kResourceQuota))
    selected.push_back(std::make_unique<ResourceQuotas>(ClientOf(kResourceQuota), loop));
}

// They have no names in --controllers. Each step is conditional, so that several servers do
// no harm, and none has to wait for another to lead before a definition is established.
void Controllers::Parts::AddServersOwn() {
  base::Executor& loop = options.loop;
  AddDefinitions(kServer);
  servers_own.push_back(std::make_unique<controllers::ApiServiceController>(ClientOf(kServer), loop));
  auto registers = std::make_unique<controllers::ApiServiceRegistration>(
      ClientOf(kServer), registry::apiregistration::LocalServices(options.built_in), loop);
  registration = registers.get();
  servers_own.push_back(std::move(registers));
  auto authorities =
      std::make_unique<controllers::AuthenticationTrust>(ClientOf(kServer), options.trust, loop);
  trust = authorities.get();
  servers_own.push_back(std::move(authorities));
  servers_own.push_back(std::make_unique<controllers::FlowSchemaController>(
      ClientOf(controllers::FlowSchemaController::kManager), loop));
  servers_own.push_back(std::make_unique<controllers::LegacyTokenTracking>(
      ClientOf(kServer), [] { return std::time(nullptr); }, loop));
}

// Definitions are established once they can be served, and go after their objects.
void Controllers::Parts::AddDefinitions(std::string_view manager) {
  extensions::CustomResources& custom = options.custom;
  auto names = std::make_unique<controllers::CrdController>(
      ClientOf(manager), options.loop,
      controllers::CrdController::Serving{
          .ready = [&custom](std::string_view name,
                             std::string_view uid) { return custom.IsReady(name, uid); },
          .begin = [&custom](std::string_view name) { custom.BeginEstablishing(name); },
          .end = [&custom](std::string_view name, std::string_view uid,
                           bool established) { custom.EndEstablishing(name, uid, established); }});
  custom.Observe([controller = names.get()](const auto& now, const auto&) {
    if (now) controller->LookAgain(now->resource().name());
  });
  servers_own.push_back(std::move(names));
  servers_own.push_back(std::make_unique<controllers::CrdFinalizer>(ClientOf(manager), options.loop));
}

Controllers::Controllers(const Config& config, Options options)
    : parts_(std::make_unique<Parts>(std::move(options))) {
  parts_->Add(config);
  for (const Parts::All* const all : {&parts_->selected, &parts_->servers_own})
    for (const auto& controller : *all) controller->Report(parts_->options.metrics);
}

Controllers::~Controllers() = default;

bool Controllers::RegisteredAll() const { return parts_->registration->complete(); }

void Controllers::Start() {
  parts_->options.loop.Post([parts = parts_.get()] {
    parts->started = true;
    Parts::StartAll(parts->servers_own);
    if (parts->election) {
      parts->election->Start();
    } else {
      Parts::StartAll(parts->selected);
    }
  });
}

void Controllers::SetTrust(const std::string& client_ca_pem, const std::string& proxy_ca_pem,
                           const std::string& root_ca_pem) {
  parts_->trust->SetAuthorities(client_ca_pem, proxy_ca_pem);
  if (parts_->root_ca_publisher) parts_->root_ca_publisher->SetRootCa(root_ca_pem);
}

base::Task<void> Controllers::Stop() {
  if (!std::exchange(parts_->started, false)) co_return;
  Parts::StopAll(parts_->servers_own);
  if (!parts_->election) {
    Parts::StopAll(parts_->selected);
    co_return;
  }
  if (parts_->election->leads()) Parts::StopAll(parts_->selected);
  co_await parts_->election->Release();
}

}  // namespace keelson::app
