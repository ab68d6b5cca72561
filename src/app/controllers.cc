#include "app/controllers.h"

#include <ctime>
#include <deque>
#include <optional>
#include <vector>

#include "app/custom_objects_client.h"
#include "app/namespaces_client.h"
#include "app/objects_client.h"
#include "app/store_collection.h"
#include "controllers/api_service_controller.h"
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

namespace keelson::app {
namespace {

constexpr std::string_view kLease = "keelson-controllers";

}  // namespace

// In order of construction; what comes later borrows from what comes before.
struct Controllers::Parts {
  explicit Parts(Environment e) : environment(std::move(e)) {}

  // A collection of its own for each use: each is watched by one.
  StoreCollection& Collection(api::GroupResource resource, std::string_view manager) {
    const Resources& resources = environment.resources;
    return collections.emplace_back(*resources.Find(resource), resources.Find(resource, "status"),
                                    std::string(manager), environment.loop);
  }
  void Add(const Config& config);
  void AddSelected(const Config& config);
  void AddQuotas();
  void AddServersOwn();
  void AddDefinitions(std::string_view manager);

  using All = std::vector<std::unique_ptr<controllers::Controller>>;
  static void StartAll(const All& all) {
    for (const auto& controller : all) controller->Start();
  }
  static void StopAll(const All& all) {
    for (const auto& controller : all) controller->Stop();
  }

  const Environment environment;
  std::optional<NamespacesClient> namespaces;
  std::optional<ObjectsClient> objects;
  std::optional<CustomObjectsClient> custom_objects;
  std::deque<StoreCollection> collections;
  All selected;     // by --controllers; of several servers one runs them
  All servers_own;  // upstream's API server always runs them, and so does each of several here
  std::optional<controllers::LeaderElection> election;
  bool started = false;
};

void Controllers::Parts::Add(const Config& config) {
  AddSelected(config);
  AddServersOwn();
  if (environment.shared && !selected.empty())
    election.emplace(
        Collection({"coordination.k8s.io", "leases"}, kLease), environment.loop,
        controllers::LeaderElectionOptions{.name = std::string(kLease), .identity = environment.identity},
        controllers::LeaderElection::Observer{[this] { StartAll(selected); }, [this] { StopAll(selected); }});
}

void Controllers::Parts::AddSelected(const Config& config) {
  const Resources& resources = environment.resources;
  base::Executor& loop = environment.loop;
  constexpr api::GroupResource kNamespaces{"", "namespaces"};
  if (RunsController(config, kNamespaceController)) {
    namespaces.emplace(resources, loop);
    environment.custom.Observe(
        [this](const auto& now, const auto& was) { namespaces->OnCustomResource(now, was); });
    selected.push_back(std::make_unique<controllers::NamespaceController>(
        *namespaces, loop, config.namespace_deletion_grace_period));
  }
  if (RunsController(config, kGarbageCollector)) {
    objects.emplace(resources.CollectedStores(), *resources.Find({"", "events"}), loop);
    environment.custom.Observe(
        [this](const auto& now, const auto& was) { objects->OnCustomResource(now, was); });
    selected.push_back(std::make_unique<controllers::GarbageCollector>(*objects, loop));
  }
  if (RunsController(config, kServiceAccounts))
    selected.push_back(std::make_unique<controllers::ServiceAccounts>(
        Collection(kNamespaces, kServiceAccounts), Collection({"", "serviceaccounts"}, kServiceAccounts),
        loop));
  if (RunsController(config, kRootCaPublisher))
    selected.push_back(std::make_unique<controllers::RootCaPublisher>(
        Collection(kNamespaces, kRootCaPublisher), Collection({"", "configmaps"}, kRootCaPublisher),
        environment.root_ca_pem, loop));
  if (RunsController(config, kClusterRoleAggregation))
    selected.push_back(std::make_unique<controllers::ClusterRoleAggregation>(
        Collection({"rbac.authorization.k8s.io", "clusterroles"}, kClusterRoleAggregation), loop));
  if (RunsController(config, kResourceQuota)) AddQuotas();
}

void Controllers::Parts::AddQuotas() {
  controllers::ResourceQuotas::Collections counted;
  for (registry::Store* const store : environment.resources.NamespacedStores()) {
    const api::ResourceDesc& desc = store->resource();
    counted[{std::string(desc.group), std::string(desc.plural)}] =
        &collections.emplace_back(*store, nullptr, std::string(kResourceQuota), environment.loop);
  }
  selected.push_back(std::make_unique<controllers::ResourceQuotas>(
      Collection({"", "resourcequotas"}, kResourceQuota), std::move(counted), environment.loop));
}

// They have no names in --controllers. Each step is conditional, so that several servers do
// no harm, and none has to wait for another to lead before a definition is established.
void Controllers::Parts::AddServersOwn() {
  base::Executor& loop = environment.loop;
  constexpr std::string_view kServer = "kube-apiserver", kFlowControl = "flowcontrol.apiserver.k8s.io";
  AddDefinitions(kServer);
  servers_own.push_back(std::make_unique<controllers::ApiServiceController>(
      Collection({"apiregistration.k8s.io", "apiservices"}, kServer), Collection({"", "services"}, kServer),
      loop));
  servers_own.push_back(std::make_unique<controllers::FlowSchemaController>(
      Collection({kFlowControl, "flowschemas"}, controllers::FlowSchemaController::kManager),
      Collection({kFlowControl, "prioritylevelconfigurations"}, kServer), loop));
  servers_own.push_back(std::make_unique<controllers::LegacyTokenTracking>(
      Collection({"", "configmaps"}, kServer), [] { return std::time(nullptr); }, loop));
}

// Definitions are established once they can be served, and go after their objects.
void Controllers::Parts::AddDefinitions(std::string_view manager) {
  constexpr api::GroupResource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};
  extensions::CustomResources& custom = environment.custom;
  auto names = std::make_unique<controllers::CrdController>(
      Collection(kDefinitions, manager), environment.loop,
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
  custom_objects.emplace(custom);
  servers_own.push_back(std::make_unique<controllers::CrdFinalizer>(Collection(kDefinitions, manager),
                                                                    *custom_objects, environment.loop));
}

Controllers::Controllers(const Config& config, Environment environment)
    : parts_(std::make_unique<Parts>(std::move(environment))) {
  parts_->Add(config);
}

Controllers::~Controllers() = default;

void Controllers::Start() {
  parts_->environment.loop.Post([parts = parts_.get()] {
    parts->started = true;
    Parts::StartAll(parts->servers_own);
    if (parts->election) {
      parts->election->Start();
    } else {
      Parts::StartAll(parts->selected);
    }
  });
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
