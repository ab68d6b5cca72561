#include "registry/apps/resources.h"

#include "api/generated/apps_v1.h"
#include "api/validation/label_selector_match.h"
#include "registry/apps/strategies.h"
#include "registry/scale.h"

namespace keelson::registry::apps {
namespace {

using namespace api::apps_v1;

// For all kinds here: they have the same fields for it.
template <class View>
Scaled ReadScale(const api::Doc& doc) {
  const View object(doc);
  return {object.spec().replicas(), object.status().replicas(), api::SelectorText(object.spec().selector())};
}

template <class Editor>
void SetReplicas(api::Doc& doc, int32_t replicas) {
  Editor(doc).mutable_spec().set_replicas(replicas);
}

template <class View, class Editor>
constexpr ScaleRules RulesFor(std::string_view plural, const api::TypeDesc& type) {
  return {{"apps", plural}, &type, ReadScale<View>, SetReplicas<Editor>};
}

constexpr ScaleRules kDeployments =
    RulesFor<DeploymentView, DeploymentEditor>("deployments", kDeploymentType);
constexpr ScaleRules kReplicaSets =
    RulesFor<ReplicaSetView, ReplicaSetEditor>("replicasets", kReplicaSetType);
constexpr ScaleRules kStatefulSets =
    RulesFor<StatefulSetView, StatefulSetEditor>("statefulsets", kStatefulSetType);

template <const ScaleRules& rules>
std::unique_ptr<Serving> Scale(ServingOptions options, const Dependencies& dependencies) {
  return ServeScale(rules, std::move(options), dependencies);
}

}  // namespace

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "controllerrevisions", .strategy = ControllerRevisions},
      {.plural = "daemonsets", .strategy = DaemonSets, .subresources = {{"status", DaemonSetStatus}}},
      {.plural = "deployments",
       .strategy = Deployments,
       .subresources = {{"status", DeploymentStatus}, {.name = "scale", .serve = Scale<kDeployments>}}},
      {.plural = "replicasets",
       .strategy = ReplicaSets,
       .subresources = {{"status", ReplicaSetStatus}, {.name = "scale", .serve = Scale<kReplicaSets>}}},
      {.plural = "statefulsets",
       .strategy = StatefulSets,
       .subresources = {{"status", StatefulSetStatus}, {.name = "scale", .serve = Scale<kStatefulSets>}}},
  };
  return {"apps", rows};
}

}  // namespace keelson::registry::apps
