// What it costs to keep managedFields true, and to apply and patch, for a typical pod and a
// typical deployment.
#include <benchmark/benchmark.h>

#include "api/codec/json.h"
#include "api/managed_fields/field_manager.h"
#include "api/managed_fields/testing/config_tree.h"
#include "api/meta/object_meta.h"
#include "api/patch/strategic_merge.h"

namespace keelson::api::managed_fields {
namespace {

constexpr std::string_view kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"n","uid":"u",
  "labels":{"app":"web","tier":"front","release":"7"},"annotations":{"a.io/checksum":"0123456789abcdef"}},
  "spec":{"volumes":[{"name":"config","configMap":{"name":"web"}},{"name":"data","emptyDir":{}}],
  "containers":[{"name":"web","image":"registry.example/web:7","args":["--port=80"],
  "ports":[{"name":"http","containerPort":80},{"name":"https","containerPort":443}],
  "env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"resources":{"limits":{"cpu":"1","memory":"1Gi"},
  "requests":{"cpu":"100m","memory":"128Mi"}},"volumeMounts":[{"name":"config","mountPath":"/etc/web"}],
  "livenessProbe":{"httpGet":{"path":"/healthz","port":80},"periodSeconds":10}},
  {"name":"sidecar","image":"registry.example/sidecar:1"}],"restartPolicy":"Always","serviceAccountName":"web",
  "terminationGracePeriodSeconds":30,"nodeSelector":{"pool":"a"}}})";
constexpr std::string_view kStatusPatch = R"({"status":{"phase":"Running","hostIP":"10.0.0.1",
  "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"},
  {"type":"ContainersReady","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}],
  "containerStatuses":[{"name":"web","ready":true,"restartCount":0,"image":"i","imageID":"i"}]}})";

// With what a controller has written beside it: conditions, counts and its annotation.
constexpr std::string_view kDeployment = R"({"kind":"Deployment","apiVersion":"apps/v1",
  "metadata":{"name":"web","namespace":"shop","labels":{"app.kubernetes.io/name":"web","app.kubernetes.io/instance":"shop",
  "app.kubernetes.io/version":"7","app.kubernetes.io/managed-by":"delivery"},
  "annotations":{"shop.example/owner":"team-a","shop.example/commit":"0123456789abcdef"}},
  "spec":{"replicas":3,"revisionHistoryLimit":5,"progressDeadlineSeconds":600,
  "selector":{"matchLabels":{"app.kubernetes.io/name":"web","app.kubernetes.io/instance":"shop"}},
  "strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":0}},
  "template":{"metadata":{"labels":{"app.kubernetes.io/name":"web","app.kubernetes.io/instance":"shop"},
  "annotations":{"checksum/config":"fedcba9876543210","prometheus.io/scrape":"true"}},
  "spec":{"serviceAccountName":"web","terminationGracePeriodSeconds":30,"securityContext":{"runAsNonRoot":true,"fsGroup":1000},
  "volumes":[{"name":"config","configMap":{"name":"web"}},{"name":"tmp","emptyDir":{}},
  {"name":"tls","secret":{"secretName":"web-tls"}}],
  "initContainers":[{"name":"migrate","image":"registry.example/web:7","command":["/web","migrate"],
  "env":[{"name":"DATABASE","valueFrom":{"secretKeyRef":{"name":"database","key":"url"}}}]}],
  "containers":[{"name":"web","image":"registry.example/web:7","imagePullPolicy":"IfNotPresent","args":["--port=8080","--verbose"],
  "ports":[{"name":"http","containerPort":8080,"protocol":"TCP"},{"name":"metrics","containerPort":9090,"protocol":"TCP"}],
  "env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","value":"3"},
  {"name":"POD","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},
  {"name":"DATABASE","valueFrom":{"secretKeyRef":{"name":"database","key":"url"}}}],
  "resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"100m","memory":"128Mi"}},
  "volumeMounts":[{"name":"config","mountPath":"/etc/web"},{"name":"tmp","mountPath":"/tmp"},
  {"name":"tls","mountPath":"/etc/tls","readOnly":true}],
  "livenessProbe":{"httpGet":{"path":"/healthz","port":"http"},"periodSeconds":10,"failureThreshold":3},
  "readinessProbe":{"httpGet":{"path":"/readyz","port":"http"},"periodSeconds":5},
  "securityContext":{"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,"capabilities":{"drop":["ALL"]}}},
  {"name":"proxy","image":"registry.example/proxy:1.4","ports":[{"name":"proxy","containerPort":15001,"protocol":"TCP"}],
  "resources":{"requests":{"cpu":"50m","memory":"64Mi"}}}],
  "affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":
  {"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app.kubernetes.io/name":"web"}}}}]}}}}}})";
constexpr std::string_view kDeploymentStatusPatch =
    R"({"metadata":{"annotations":{"deployment.kubernetes.io/revision":"7"}},
  "status":{"observedGeneration":7,"replicas":3,"updatedReplicas":3,"readyReplicas":3,"availableReplicas":3,
  "conditions":[{"type":"Available","status":"True","reason":"MinimumReplicasAvailable","message":"Deployment has minimum availability.",
  "lastUpdateTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"},
  {"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable","message":"ReplicaSet has successfully progressed.",
  "lastUpdateTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";

const ResourceDesc& Pods() { return *FindResource("", "v1", "pods"); }

Doc Pod() {
  Arena arena;
  auto root = json::Decode(kPod, *Pods().type, arena, nullptr);
  return Doc(std::move(arena), *root);
}

void Patch(Doc& doc, std::string_view patch = kStatusPatch) {
  auto tree = json::DecodeAny(patch, doc.arena());
  (void)StrategicMerge(*doc.root(), *tree->map(), doc.arena(), nullptr);
}

const ResourceDesc& Deployments() { return *FindResource("apps", "v1", "deployments"); }

// Applied by one manager, its status written by another.
Doc LiveDeployment() {
  const FieldManager fields(Deployments(), ""), status(Deployments(), "status");
  auto applied = fields.Apply(nullptr, ConfigTree(kDeployment), "delivery", false, 1);
  Doc live = applied->Clone();
  Patch(live, kDeploymentStatusPatch);
  status.Update(&*applied, live, "kube-controller-manager", 2);
  return live;
}

std::string Replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string out(text);
  return out.replace(out.find(what), what.size(), by);
}

void BM_Clone(benchmark::State& state) {
  const Doc pod = Pod();
  for (auto _ : state) benchmark::DoNotOptimize(pod.Clone());
}
BENCHMARK(BM_Clone);

// Clone included, as it is in all that follow.
void BM_StrategicMergeOfStatus(benchmark::State& state) {
  const Doc pod = Pod();
  for (auto _ : state) {
    Doc now = pod.Clone();
    Patch(now);
    benchmark::DoNotOptimize(now);
  }
}
BENCHMARK(BM_StrategicMergeOfStatus);

void BM_TrackCreate(benchmark::State& state) {
  const FieldManager fields(Pods(), "");
  const Doc pod = Pod();
  for (auto _ : state) {
    Doc now = pod.Clone();
    fields.Update(nullptr, now, "kubectl", 1);
    benchmark::DoNotOptimize(now);
  }
}
BENCHMARK(BM_TrackCreate);

void BM_TrackStatusUpdate(benchmark::State& state) {
  const FieldManager fields(Pods(), ""), status(Pods(), "status");
  Doc was = Pod();
  fields.Update(nullptr, was, "kubectl", 1);
  Doc running = was.Clone();
  Patch(running);
  for (auto _ : state) {
    Doc now = running.Clone();
    status.Update(&was, now, "kubelet", 2);
    benchmark::DoNotOptimize(now);
  }
}
BENCHMARK(BM_TrackStatusUpdate);

void BM_Apply(benchmark::State& state) {
  const FieldManager fields(Pods(), "");
  const ConfigTree config(kPod);
  auto live = fields.Apply(nullptr, config, "kubectl", false, 1);
  for (auto _ : state) benchmark::DoNotOptimize(fields.Apply(&*live, config, "kubectl", false, 2));
}
BENCHMARK(BM_Apply);

void BM_ApplyDeploymentFirst(benchmark::State& state) {
  const FieldManager fields(Deployments(), "");
  const ConfigTree config(kDeployment);
  for (auto _ : state) benchmark::DoNotOptimize(fields.Apply(nullptr, config, "delivery", false, 3));
}
BENCHMARK(BM_ApplyDeploymentFirst);

void BM_ApplyDeploymentAgain(benchmark::State& state) {
  const FieldManager fields(Deployments(), "");
  const ConfigTree config(kDeployment);
  const Doc live = LiveDeployment();
  for (auto _ : state) benchmark::DoNotOptimize(fields.Apply(&live, config, "delivery", false, 3));
}
BENCHMARK(BM_ApplyDeploymentAgain);

void BM_ApplyDeploymentWithAnotherImage(benchmark::State& state) {
  const FieldManager fields(Deployments(), "");
  const ConfigTree config = ConfigTree(Replaced(kDeployment, "web:7\",\"imagePull", "web:8\",\"imagePull"));
  const Doc live = LiveDeployment();
  for (auto _ : state) benchmark::DoNotOptimize(fields.Apply(&live, config, "delivery", false, 3));
}
BENCHMARK(BM_ApplyDeploymentWithAnotherImage);

void BM_ApplyDeploymentWithoutAVariable(benchmark::State& state) {
  const FieldManager fields(Deployments(), "");
  const ConfigTree config(Replaced(kDeployment, R"({"name":"B","value":"2"},)", ""));
  const Doc live = LiveDeployment();
  for (auto _ : state) benchmark::DoNotOptimize(fields.Apply(&live, config, "delivery", false, 3));
}
BENCHMARK(BM_ApplyDeploymentWithoutAVariable);

void BM_ApplyDeploymentOfAnotherManager(benchmark::State& state) {
  const FieldManager fields(Deployments(), "");
  const ConfigTree config(kDeployment);
  const Doc live = LiveDeployment();
  for (auto _ : state) benchmark::DoNotOptimize(fields.Apply(&live, config, "other", false, 3));
}
BENCHMARK(BM_ApplyDeploymentOfAnotherManager);

void BM_StrategicMergeOfPod(benchmark::State& state) {
  constexpr std::string_view kPatch =
      R"({"metadata":{"labels":{"release":"8"}},"spec":{"$setElementOrder/containers":[{"name":"web"},
    {"name":"sidecar"}],"containers":[{"name":"web","image":"registry.example/web:8","env":[{"name":"B","value":"3"},
    {"name":"A","$patch":"delete"}]}],"tolerations":[{"key":"a","operator":"Exists"}]}})";
  const Doc pod = Pod();
  for (auto _ : state) {
    Doc now = pod.Clone();
    Patch(now, kPatch);
    benchmark::DoNotOptimize(now);
  }
}
BENCHMARK(BM_StrategicMergeOfPod);

}  // namespace
}  // namespace keelson::api::managed_fields

BENCHMARK_MAIN();
