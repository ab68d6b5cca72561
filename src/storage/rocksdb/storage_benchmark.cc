// Commits per second and their CPU cost, by engine and number of writers; opening and
// reading. Not a test: run it on a quiet machine.
//
// Writers are coroutines on one loop, as in the server, so what is measured is the commit
// path and not the waking of threads. cpu_us is CPU time of the whole process per commit,
// the waiting for the disk left out.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <deque>
#include <fstream>
#include <thread>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/sync_wait.h"
#include "base/testing/temp_dir.h"
#include "storage/memory/memory_backend.h"
#include "storage/rocksdb/rocksdb_backend.h"

namespace keelson::storage {
namespace {

constexpr size_t kValueBytes = 2700;  // a pod

class Loop final : public base::Executor {
 public:
  void Post(Work work) override {
    base::MutexLock lock(mu_);
    work_.push_back(std::move(work));
    if (work_.size() == 1) some_.NotifyOne();
  }
  void PostAfter(std::chrono::nanoseconds, Work) override { std::abort(); }
  // Runs what is posted until `done`.
  void RunUntil(const bool& done) {
    SetCurrent(this);
    std::deque<Work> batch;
    while (!done) {
      {
        base::MutexLock lock(mu_);
        while (work_.empty()) some_.Wait(mu_);
        batch.swap(work_);
      }
      for (Work& work : batch) work();
      batch.clear();
    }
    SetCurrent(nullptr);
  }

 private:
  base::Mutex mu_;
  base::CondVar some_;
  std::deque<Work> work_ GUARDED_BY(mu_);
};

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ResidentMegabytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, resident = 0;
  statm >> total >> resident;
  return resident * 4096 / 1e6;
}

std::unique_ptr<Backend> Open(const base::testing::TempDir& dir) {
  auto opened = OpenRocksDbBackend({.path = (dir.path() / "db").string()});
  if (!opened) std::abort();
  return std::move(*opened);
}

base::Task<void> WriteMany(Backend& backend, int writer, int64_t& left, int& running, bool& done) {
  const base::Slice value = base::Slice::Copy(std::string(kValueBytes, 'v'));
  for (int64_t i = 0; left > 0; ++i) {
    --left;
    Txn txn;
    std::string key = "/registry/pods/default/pod-" + std::to_string(writer) + "-" + std::to_string(i);
    txn.compares.push_back({key, 0});
    txn.writes.push_back({.key = std::move(key), .value = value});
    Result<TxnResult> result = co_await backend.Commit(std::move(txn));
    if (!result || !result->succeeded) std::abort();
  }
  if (--running == 0) done = true;
}

void CommitWith(Backend& backend, benchmark::State& state) {
  Loop loop;
  int64_t left = 0;
  const double before = CpuSeconds();
  int64_t commits = 0;
  for (auto _ : state) {
    constexpr int64_t kCommits = 4000;
    left = kCommits;
    commits += kCommits;
    int running = static_cast<int>(state.range(0));
    bool done = false;
    for (int w = 0; w < state.range(0); ++w) {
      const int writer = static_cast<int>(commits) * 100 + w;
      loop.Post([&, writer] { base::Spawn(WriteMany(backend, writer, left, running, done)); });
    }
    loop.RunUntil(done);
  }
  state.SetItemsProcessed(commits);
  state.counters["cpu_us"] = (CpuSeconds() - before) * 1e6 / static_cast<double>(commits);
  state.counters["rss_mb"] = ResidentMegabytes();
}

void BM_CommitRocksDb(benchmark::State& state) {
  base::testing::TempDir dir;
  auto backend = Open(dir);
  CommitWith(*backend, state);
}
BENCHMARK(BM_CommitRocksDb)->Arg(1)->Arg(16)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_CommitMemory(benchmark::State& state) {
  auto backend = OpenMemoryBackend();
  CommitWith(*backend, state);
}
BENCHMARK(BM_CommitMemory)->Arg(1)->Arg(16)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);

void Fill(Backend& backend, int64_t objects) {
  Loop loop;
  int64_t left = objects;
  int running = 64;
  bool done = false;
  for (int w = 0; w < 64; ++w) loop.Post([&, w] { base::Spawn(WriteMany(backend, w, left, running, done)); });
  if (objects > 0) loop.RunUntil(done);
}

// Argument: how many objects the store holds.
void BM_Open(benchmark::State& state) {
  base::testing::TempDir dir;
  auto backend = Open(dir);
  Fill(*backend, state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    backend.reset();
    state.ResumeTiming();
    backend = Open(dir);
  }
  state.counters["rss_mb"] = ResidentMegabytes();
}
BENCHMARK(BM_Open)->Arg(0)->Arg(10000)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_CreateStore(benchmark::State& state) {
  for (auto _ : state) {
    base::testing::TempDir dir;
    auto backend = Open(dir);
    benchmark::DoNotOptimize(backend);
    state.PauseTiming();
    backend.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(BM_CreateStore)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_RangeAll(benchmark::State& state) {
  base::testing::TempDir dir;
  auto backend = Open(dir);
  Fill(*backend, 10000);
  for (auto _ : state) {
    auto range = backend->Range("", "", {.keys_only = state.range(0) != 0});
    if (!range || range->count != 10000) std::abort();
  }
}
BENCHMARK(BM_RangeAll)->ArgName("keys_only")->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace keelson::storage

BENCHMARK_MAIN();
