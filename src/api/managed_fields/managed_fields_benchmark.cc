// What it costs to keep managedFields true, and to apply and patch, for a typical pod.
#include <benchmark/benchmark.h>

#include "api/codec/json.h"
#include "api/managed_fields/field_manager.h"
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

const ResourceDesc& Pods() { return *FindResource("", "v1", "pods"); }

Doc Pod() {
  Arena arena;
  auto root = json::Decode(kPod, *Pods().type, arena, nullptr);
  return Doc(std::move(arena), *root);
}

void Patch(Doc& pod) {
  auto tree = json::DecodeAny(kStatusPatch, pod.arena());
  (void)StrategicMerge(*pod.root(), *tree->map(), pod.arena(), nullptr);
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
  const base::Slice config = base::Slice::Copy(kPod);
  auto live = fields.Apply(nullptr, config, "kubectl", false, 1);
  for (auto _ : state) benchmark::DoNotOptimize(fields.Apply(&*live, config, "kubectl", false, 2));
}
BENCHMARK(BM_Apply);

}  // namespace
}  // namespace keelson::api::managed_fields

BENCHMARK_MAIN();
