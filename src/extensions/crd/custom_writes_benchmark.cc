// What a write of a custom object costs in the handler, without the network: over a real cache.
#include <benchmark/benchmark.h>

#include "extensions/crd/testing/custom_fixture.h"

namespace keelson::extensions {
namespace {

class WidgetBench final : public CustomFixture {
 public:
  void TestBody() override {}
};

WidgetBench& SharedWidgets() {
  static WidgetBench bench;
  return bench;
}

void Apply(benchmark::State& state, bool changes) {
  WidgetBench& bench = SharedWidgets();
  const std::string target = std::string(kWidgets) + "/web";
  int i = 0;
  for (auto _ : state) {
    const std::string image = "registry.example/web:" + std::to_string(changes ? ++i : 0);
    const auto reply = bench.Apply(target, WidgetBench::Widget("web", image));
    if (reply.status != 200 && reply.status != 201) state.SkipWithError(reply.body.c_str());
  }
}
BENCHMARK_CAPTURE(Apply, change, true);
BENCHMARK_CAPTURE(Apply, same, false);

void Create(benchmark::State& state) {
  WidgetBench& bench = SharedWidgets();
  int i = 0;
  for (auto _ : state) {
    const auto reply = bench.Send("POST", kWidgets, WidgetBench::Widget("w" + std::to_string(++i), "web:1"));
    if (reply.status != 201 && reply.status != 409) state.SkipWithError(reply.body.c_str());
  }
}
BENCHMARK(Create);

}  // namespace
}  // namespace keelson::extensions

BENCHMARK_MAIN();
