// What a request costs in the handler, without the network: over a real cache of pods.
#include <benchmark/benchmark.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/testing/sample_pod.h"
#include "api/meta/object_meta.h"
#include "endpoints/table/rows.h"
#include "endpoints/testing/api_fixture.h"
#include "registry/apps/strategies.h"
#include "registry/core/strategies.h"
#include "storage/interface.h"

namespace keelson::endpoints {
namespace {

constexpr int kPods = 10'000;

class Bench final : public ApiFixture {
 public:
  Bench() {
    storage::Interface& pods = StorageOf("pods");
    for (int i = 0; i < kPods; ++i) {
      api::Doc doc = Document("pods", api::SamplePodJson());
      auto metadata = api::MutableMetadataOf(doc);
      std::string ns = "ns-" + std::to_string(i % 20), name = "pod-" + std::to_string(i);
      metadata.set_namespace(ns);
      metadata.set_name(name);
      metadata.clear_resource_version();
      base::BufferBuilder stored;
      api::protobuf::EncodeObject(doc, stored);
      if (!loop_.Run(pods.Create(ns + "/" + name, stored.Take(), {}))) std::abort();
    }
    Serve({&Resource("pods"),
           Add("pods", registry::core::ConfigMaps()).AllVerbs(),
           {},
           &table::PrinterFor(Resource("pods"))});
  }
  void TestBody() override {}
};

Bench& Shared() {
  static Bench bench;
  return bench;
}

void Read(benchmark::State& state, const char* target, const char* accept) {
  Bench& bench = Shared();
  size_t bytes = 0;
  for (auto _ : state) {
    net::http::Response response = bench.Open("GET", target, "", {{"accept", accept}});
    if (response.status != 200) state.SkipWithError("not served");
    for (auto more = net::http::BodySource::State::kMore; more == net::http::BodySource::State::kMore;) {
      std::vector<base::Slice> slices;
      more = response.body->Next(256 * 1024, slices);
      for (const base::Slice& slice : slices) bytes += slice.size();
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}
BENCHMARK_CAPTURE(Read, get_json, "/api/v1/namespaces/ns-7/pods/pod-7", "application/json");
BENCHMARK_CAPTURE(Read, get_protobuf, "/api/v1/namespaces/ns-7/pods/pod-7",
                  "application/vnd.kubernetes.protobuf");
BENCHMARK_CAPTURE(Read, list_json, "/api/v1/pods", "application/json")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, list_protobuf, "/api/v1/pods", "application/vnd.kubernetes.protobuf")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, list_metadata, "/api/v1/pods",
                  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, list_table, "/api/v1/pods", "application/json;as=Table;g=meta.k8s.io;v=v1")
    ->Unit(benchmark::kMillisecond);

void Create(benchmark::State& state) {
  Bench& bench = Shared();
  int i = 0;
  for (auto _ : state) {
    std::string body = R"({"metadata":{"generateName":"c-"},"data":{"k":")" + std::to_string(i++) + R"("}})";
    if (bench.Send("POST", "/api/v1/namespaces/default/configmaps", std::move(body)).status != 201)
      std::abort();
  }
}
BENCHMARK(Create);

// A pod and a deployment with all their rules, to be changed.
class WriteBench final : public ApiFixture {
 public:
  WriteBench() {
    Serve({&Resource("pods"), Add("pods", registry::core::Pods()).AllVerbs()});
    Serve({&Resource("deployments"), Add("deployments", registry::apps::Deployments()).AllVerbs()});
    api::Doc pod = Document("pods", api::SamplePodJson());
    auto metadata = api::MutableMetadataOf(pod);
    metadata.set_namespace("default");
    metadata.set_name("p");
    metadata.clear_resource_version();
    base::BufferBuilder stored;
    api::protobuf::EncodeObject(pod, stored);
    if (!loop_.Run(StorageOf("pods").Create("default/p", stored.Take(), {}))) std::abort();
  }
  void TestBody() override {}

  static std::string Deployment(int release) {
    const std::string text = std::to_string(release);
    return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default",
  "labels":{"app":"web","release":")" +
           text + R"("}},
  "spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"strategy":{"type":"RollingUpdate"},
  "template":{"metadata":{"labels":{"app":"web"},"annotations":{"example.com/checksum":"0123456789abcdef"}},
  "spec":{"serviceAccountName":"web","volumes":[{"name":"config","configMap":{"name":"web"}},{"name":"data","emptyDir":{}}],
  "containers":[{"name":"web","image":"registry.example/web:)" +
           text + R"(","args":["--port=80"],
  "ports":[{"name":"http","containerPort":80},{"name":"https","containerPort":443}],
  "env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],
  "resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"100m","memory":"128Mi"}},
  "volumeMounts":[{"name":"config","mountPath":"/etc/web"},{"name":"data","mountPath":"/var/lib/web"}],
  "livenessProbe":{"httpGet":{"path":"/healthz","port":80},"periodSeconds":10},
  "readinessProbe":{"httpGet":{"path":"/readyz","port":80}},"securityContext":{"runAsNonRoot":true}},
  {"name":"sidecar","image":"registry.example/sidecar:1"}]}}}})";
  }
};

WriteBench& SharedWrites() {
  static WriteBench bench;
  return bench;
}

void Change(benchmark::State& state, const char* target, const char* type, std::string (*body)(int)) {
  WriteBench& bench = SharedWrites();
  int i = 0;
  for (auto _ : state) {
    const auto reply = bench.Do("PATCH", target, body(++i), {{"content-type", type}});
    if (reply.status != 200 && reply.status != 201) state.SkipWithError(reply.body.c_str());
  }
}
constexpr const char* kWeb = "/apis/apps/v1/namespaces/default/deployments/web?fieldManager=ci";
BENCHMARK_CAPTURE(Change, apply_deployment, kWeb, "application/apply-patch+yaml", &WriteBench::Deployment);
BENCHMARK_CAPTURE(Change, apply_same_deployment, kWeb, "application/apply-patch+yaml",
                  [](int) { return WriteBench::Deployment(0); });
BENCHMARK_CAPTURE(Change, strategic_merge_pod, "/api/v1/namespaces/default/pods/p",
                  "application/strategic-merge-patch+json", [](int i) {
                    return R"({"metadata":{"labels":{"n":")" + std::to_string(i) +
                           R"("},"annotations":{"gone":null}}})";
                  });

}  // namespace
}  // namespace keelson::endpoints

BENCHMARK_MAIN();
