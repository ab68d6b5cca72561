// What a write costs besides storage: a typical pod is read from JSON, gets its defaults, is
// validated and encoded for the store.
#include <benchmark/benchmark.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/testing/sample_pod.h"
#include "api/defaulting/defaulting.h"
#include "api/meta/object_meta.h"
#include "api/validation/core/pod.h"
#include "api/validation/object_meta.h"

namespace keelson::api {
namespace {

Doc DecodedPod() {
  Arena arena;
  const std::string_view text = arena.Hold(base::Slice::Copy(SamplePodJson()));
  StructNode* const root = json::Decode(text, core_v1::kPodType, arena, nullptr).value();
  return Doc(std::move(arena), root);
}

field::ErrorList Validated(const Doc& doc) {
  auto errors = ValidateObjectMeta(MetadataOf(doc), true, NameIsDnsSubdomain, field::Path("metadata"));
  errors.Append(core::ValidatePod(core_v1::PodView(doc)));
  return errors;
}

void BM_WritePod(benchmark::State& state) {
  for (auto _ : state) {
    Doc doc = DecodedPod();
    SetDefaults(doc);
    if (!Validated(doc).empty()) state.SkipWithError("the pod is not valid");
    base::BufferBuilder out;
    protobuf::EncodeObject(doc, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_WritePod)->Unit(benchmark::kMicrosecond);

void BM_ValidatePod(benchmark::State& state) {
  Doc doc = DecodedPod();
  SetDefaults(doc);
  for (auto _ : state) {
    const auto errors = Validated(doc);
    benchmark::DoNotOptimize(errors.empty());
  }
}
BENCHMARK(BM_ValidatePod)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace keelson::api

BENCHMARK_MAIN();
