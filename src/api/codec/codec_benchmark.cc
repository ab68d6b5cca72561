// How fast a typical pod goes from one form to another. Bytes per second are of JSON,
// except where the name says protobuf.
#include <benchmark/benchmark.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/testing/sample_pod.h"
#include "api/codec/transcode.h"
#include "api/types/resource_desc.h"

namespace keelson::api {
namespace {

const TypeDesc& PodType() { return *FindType("core_v1.Pod"); }

const std::string& PodProtobuf() {
  static const std::string bytes = [] {
    Arena arena;
    base::BufferBuilder out;
    protobuf::Encode(*json::Decode(SamplePodJson(), PodType(), arena, nullptr).value(), out);
    return std::string(out.view());
  }();
  return bytes;
}

// Without managedFields, as a load generator's pods are.
const std::string& SmallPodProtobuf() {
  static const std::string bytes = [] {
    Arena arena;
    StructNode* pod = json::Decode(SamplePodJson(), PodType(), arena, nullptr).value();
    StructNode* metadata = pod->slot(2).node();
    metadata->slot(metadata->type->FindMember("managedFields").field->ordinal) = {};
    base::BufferBuilder out;
    protobuf::Encode(*pod, out);
    return std::string(out.view());
  }();
  return bytes;
}

void Transcode(benchmark::State& state, const std::string& bytes) {
  size_t size = 0;
  base::BufferBuilder out(1 << 20);
  for (auto _ : state) {
    if (out.size() > 900'000) out.Truncate(0);
    const size_t before = out.size();
    transcode::ProtobufToJson(bytes, PodType(), R"("kind":"Pod","apiVersion":"v1")", out);
    size = out.size() - before;
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(size) * state.iterations());
}
void BM_TranscodePod(benchmark::State& state) { Transcode(state, PodProtobuf()); }
void BM_TranscodePodWithoutManagedFields(benchmark::State& state) { Transcode(state, SmallPodProtobuf()); }
BENCHMARK(BM_TranscodePod);
BENCHMARK(BM_TranscodePodWithoutManagedFields);

void BM_JsonDecode(benchmark::State& state) {
  for (auto _ : state) {
    Arena arena;
    json::StrictErrors strict;
    benchmark::DoNotOptimize(json::Decode(SamplePodJson(), PodType(), arena, &strict));
  }
  state.SetBytesProcessed(static_cast<int64_t>(SamplePodJson().size()) * state.iterations());
}
BENCHMARK(BM_JsonDecode);

void BM_JsonEncode(benchmark::State& state) {
  Arena arena;
  const StructNode* pod = json::Decode(SamplePodJson(), PodType(), arena, nullptr).value();
  base::BufferBuilder out(1 << 16);
  for (auto _ : state) {
    out.Truncate(0);
    json::Encode(*pod, out);
  }
  state.SetBytesProcessed(static_cast<int64_t>(out.size()) * state.iterations());
}
BENCHMARK(BM_JsonEncode);

void BM_ProtobufDecode(benchmark::State& state) {
  for (auto _ : state) {
    Arena arena;
    benchmark::DoNotOptimize(protobuf::Decode(PodProtobuf(), PodType(), arena));
  }
  state.SetBytesProcessed(static_cast<int64_t>(PodProtobuf().size()) * state.iterations());
}
BENCHMARK(BM_ProtobufDecode);

void BM_ProtobufEncode(benchmark::State& state) {
  Arena arena;
  const StructNode* pod = json::Decode(SamplePodJson(), PodType(), arena, nullptr).value();
  base::BufferBuilder out(1 << 16);
  for (auto _ : state) {
    out.Truncate(0);
    protobuf::Encode(*pod, out);
  }
  state.SetBytesProcessed(static_cast<int64_t>(out.size()) * state.iterations());
}
BENCHMARK(BM_ProtobufEncode);

}  // namespace
}  // namespace keelson::api

BENCHMARK_MAIN();
