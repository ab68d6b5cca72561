// What the cache costs: reading, listing, changing with many watchers, memory. Not a test:
// run it on a quiet machine.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/cacher/cache_watch_stream.h"
#include "storage/cacher/cacher.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/interface_suite.h"

namespace keelson::storage {
namespace {

constexpr int kPods = 10'000;
constexpr int kNodes = 200;

PodSpecForTest Pod(int i) {
  return {.name = "deployment-7d9f8c6b5-" + std::to_string(i),
          .uid = "00000000-0000-0000-0000-000000000000",
          .node = "node-" + std::to_string(i % kNodes),
          .phase = "Running",
          .labels = {{"app", "app-" + std::to_string(i % 100)}, {"pod-template-hash", "7d9f8c6b5"}},
          .padding = 2400};
}

std::vector<KeyValue> Page() {
  std::vector<KeyValue> page;
  for (int i = 0; i < kPods; ++i) {
    const auto pod = Pod(i);
    page.push_back({.key = "/registry/pods/" + pod.ns + "/" + pod.name,
                    .value = StoredPod(pod),
                    .create_revision = 1,
                    .mod_revision = 1});
  }
  std::ranges::sort(page, {}, &KeyValue::key);
  return page;
}

std::shared_ptr<const ObjectFactory> Factory() {
  return std::make_shared<const ObjectFactory>(ResourceNamed("pods"), "/registry/pods");
}

struct Loaded {
  Loaded() : cacher(*Cacher::Start(ResourceNamed("pods"), *backend)) {
    for (int i = 0; i < kPods; ++i) MustCreate(*cacher, Pod(i));
  }
  std::unique_ptr<Backend> backend = OpenMemoryBackend();
  std::unique_ptr<Cacher> cacher;
};

Loaded& Shared() {
  static Loaded loaded;
  return loaded;
}

void BM_Get(benchmark::State& state) {
  Cacher& cacher = *Shared().cacher;
  std::vector<std::string> keys;
  for (int i = 0; i < kPods; ++i) keys.push_back("default/" + Pod(i * 7919 % kPods).name);
  size_t i = 0;
  for (auto _ : state) {
    auto pod = base::SyncWait(cacher.Get(keys[i++ % keys.size()], {}));
    benchmark::DoNotOptimize(pod);
  }
}
BENCHMARK(BM_Get)->ThreadRange(1, 2);

void List(benchmark::State& state, const ListOptions& options) {
  Cacher& cacher = *Shared().cacher;
  size_t items = 0;
  for (auto _ : state) {
    auto list = base::SyncWait(cacher.List(options));
    items = list->items.size();
    benchmark::DoNotOptimize(list);
  }
  state.counters["items"] = static_cast<double>(items);
}
BENCHMARK_CAPTURE(List, All, ListOptions{});
BENCHMARK_CAPTURE(List, Page500, ListOptions{.limit = 500});
BENCHMARK_CAPTURE(List, ByLabel, ListOptions{.selection = SelectPods("app=app-7")});
BENCHMARK_CAPTURE(List, ByNode, ListOptions{.selection = SelectPods("", "spec.nodeName=node-7")});

// One change of one pod, through the cache alone, and what every watcher is told of it.
void BM_ApplyAndFanOut(benchmark::State& state) {
  auto cache = std::make_shared<WatchCache>(ResourceNamed("pods"), Factory());
  const auto page = Page();
  TellAll(page, 0, *cache);
  cache->FinishLoad(1);
  const bool narrow = state.range(1) != 0;
  std::vector<std::unique_ptr<WatchStream>> watchers;
  std::vector<WatchEvent> events;
  for (int i = 0; i < state.range(0); ++i) {
    CacheWatchStream::Start start{.from = cache->Read(), .after = 1};
    watchers.push_back(std::make_unique<CacheWatchStream>(
        cache, "", narrow ? SelectPods("", "spec.nodeName=other-" + std::to_string(i)) : Selection(), start));
    watchers.back()->Poll(10, events);
  }
  Revision revision = 1;
  size_t told = 0;
  for (auto _ : state) {
    const auto& kv = page[static_cast<size_t>(revision * 31 % kPods)];
    ++revision;
    const Change change{.type = Write::Type::kPut,
                        .key = kv.key,
                        .value = kv.value,
                        .create_revision = 1,
                        .revision = revision};
    cache->Apply({&change, 1}, revision);
    if (narrow) continue;
    for (auto& watcher : watchers) {
      while (watcher->Poll(10, events) == WatchStream::State::kMore) {
      }
      told += events.size();
      events.clear();
    }
  }
  state.counters["told"] = benchmark::Counter(static_cast<double>(told), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_ApplyAndFanOut)
    ->ArgNames({"watchers", "narrow"})
    ->Args({0, 0})
    ->Args({1'000, 0})
    ->Args({1'000, 1})
    ->Args({100'000, 1});

base::Task<base::Result<Update, std::shared_ptr<const api::Status>>> Replace(base::Slice stored) {
  co_return Update{.stored = std::move(stored)};
}

// A whole update: from the cached object to the writer's answer, over the memory engine.
void BM_Update(benchmark::State& state) {
  auto backend = OpenMemoryBackend();
  auto cacher = *Cacher::Start(ResourceNamed("pods"), *backend);
  PodSpecForTest pod = Pod(1);
  MustCreate(*cacher, pod);
  const std::string key = pod.ns + "/" + pod.name;
  base::Slice versions[2] = {StoredPod(pod), {}};
  pod.phase = "Failed";
  versions[1] = StoredPod(pod);
  size_t i = 0;
  for (auto _ : state) {
    const base::Slice& next = versions[++i % 2];
    auto updated = base::SyncWait(
        cacher->GuaranteedUpdate(key, false, {}, [&next](ObjectPtr) { return Replace(next); }));
    benchmark::DoNotOptimize(updated);
  }
}
BENCHMARK(BM_Update)->Iterations(20'000);  // fixed: instructions are counted too

// A pod that is created and deleted again.
void BM_CreateAndDelete(benchmark::State& state) {
  auto backend = OpenMemoryBackend();
  auto cacher = *Cacher::Start(ResourceNamed("pods"), *backend);
  const PodSpecForTest pod = Pod(1);
  const std::string key = pod.ns + "/" + pod.name;
  const base::Slice stored = StoredPod(pod);
  for (auto _ : state) {
    auto made = base::SyncWait(cacher->Create(key, stored, {}));
    auto gone = base::SyncWait(cacher->Delete(key, {}, nullptr));
    benchmark::DoNotOptimize(made);
    benchmark::DoNotOptimize(gone);
  }
}
BENCHMARK(BM_CreateAndDelete)->Iterations(20'000);

void BM_Load(benchmark::State& state) {
  const auto page = Page();
  for (auto _ : state) {
    const auto before = mallinfo2();
    WatchCache cache(ResourceNamed("pods"), Factory());
    TellAll(page, 0, cache);
    cache.FinishLoad(1);
    const auto after = mallinfo2();
    state.counters["MB"] =
        static_cast<double>(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / (1 << 20);
  }
  state.counters["stored_bytes"] = static_cast<double>(page.front().value.size());
}
BENCHMARK(BM_Load)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace keelson::storage

BENCHMARK_MAIN();
