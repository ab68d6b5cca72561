#include "storage/cacher/window_extender.h"

#include <gmock/gmock.h>

#include <future>
#include <vector>

#include "base/sync_wait.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/forwarding_backend.h"
#include "storage/testing/test_loop.h"
#include "storage/testing/test_objects.h"

namespace keelson::storage {
namespace {

// Counts how often history is read; it can be out of reach.
class CountedHistory final : public ForwardingBackend {
 public:
  explicit CountedHistory(Backend& inner) : inner_(inner) {}
  Result<std::unique_ptr<Subscription>> Subscribe(std::string prefix, Revision after,
                                                  Observer& observer) override {
    ++reads;
    if (unreachable) return base::Err(Error{.code = Code::kUnreachable, .detail = "no leader"});
    return ForwardingBackend::Subscribe(std::move(prefix), after, observer);
  }
  std::atomic<int> reads{0};
  std::atomic<bool> unreachable{false};

 private:
  Backend& inner() const override { return inner_; }
  Backend& inner_;
};

// A cache that was loaded after ten changes of one pod.
class WindowExtenderTest : public testing::Test {
 protected:
  WindowExtenderTest() {
    for (int i = 0; i < 10; ++i) {
      Txn txn;
      txn.writes.push_back({.key = std::string(kPodPrefix) + "default/p",
                            .value = StoredPod({.name = "p", .image = std::to_string(i)})});
      auto written = base::SyncWait(memory_->Commit(std::move(txn)));
      EXPECT_TRUE(written);
      revisions_.push_back(written->revision);
    }
    Load(*cache_);
  }
  void Load(WatchCache& cache) {
    auto loaded = memory_->ReadAll(kPodPrefix, cache, 100);
    ASSERT_TRUE(loaded);
    cache.FinishLoad(*loaded);
  }
  static std::shared_ptr<WatchCache> MakeCache(WatchCacheOptions options = {}) {
    return std::make_shared<WatchCache>(
        ResourceNamed("pods"), std::make_shared<const ObjectFactory>(ResourceNamed("pods"), "/registry/pods"),
        std::move(options));
  }
  // Requires: the store can be asked.
  static bool Reaches(WindowExtender& past, Revision revision) {
    const auto reached = base::SyncWait(past.ReachBack(revision));
    EXPECT_TRUE(reached) << reached.error().detail;
    return reached.value_or(false);
  }
  static uint64_t Events(const WatchCache& cache) {
    const CacheReading now = cache.Read();
    return now.state->log.end() - now.state->log.begin();
  }

  std::unique_ptr<Backend> memory_ = OpenMemoryBackend();
  CountedHistory backend_{*memory_};
  std::vector<Revision> revisions_;
  std::shared_ptr<WatchCache> cache_ = MakeCache();
  Worker worker_;
  WindowExtender past_{cache_, backend_, worker_};
};

TEST_F(WindowExtenderTest, TheWindowReachesBackToWhereItIsAsked) {
  EXPECT_EQ(Events(*cache_), 0u);
  EXPECT_TRUE(Reaches(past_, revisions_[3]));
  EXPECT_GE(Events(*cache_), 6u);
  EXPECT_LE(cache_->Read().state->log.floor(), revisions_[3]);
  // What is there is not read again.
  EXPECT_TRUE(Reaches(past_, revisions_[4]));
  EXPECT_EQ(backend_.reads, 1);
}

TEST_F(WindowExtenderTest, WhatIsCompactedIsNotAskedFor) {
  ASSERT_TRUE(base::SyncWait(memory_->Compact(revisions_[5])));
  EXPECT_FALSE(Reaches(past_, revisions_[3]));
  EXPECT_EQ(backend_.reads, 0);
  EXPECT_TRUE(Reaches(past_, revisions_[6]));
}

TEST_F(WindowExtenderTest, WhatHasNoRoomIsTriedOnceForEachLoad) {
  auto small = MakeCache({.log = {.max_bytes = 10}});
  Load(*small);
  WindowExtender past(small, backend_, worker_);
  EXPECT_FALSE(Reaches(past, revisions_[3]));
  EXPECT_FALSE(Reaches(past, revisions_[3]));
  EXPECT_EQ(backend_.reads, 1);
  Load(*small);
  EXPECT_FALSE(Reaches(past, revisions_[3]));
  EXPECT_EQ(backend_.reads, 2);
}

TEST_F(WindowExtenderTest, WhoWaitsWhenItStopsIsToldSo) {
  TestLoop loop;
  std::promise<void> begun, go_on;
  worker_.Run([&] {
    begun.set_value();
    go_on.get_future().get();
  });
  begun.get_future().get();
  std::promise<bool> answered;
  const auto ask = [](WindowExtender& past, Revision revision, std::promise<bool>& done) -> base::Task<void> {
    done.set_value((co_await past.ReachBack(revision)).has_value());
  };
  loop.Do([&] { base::Spawn(ask(past_, revisions_[3], answered)); });
  std::thread stopper([&] { worker_.Stop(); });
  while (!worker_.stopping()) std::this_thread::yield();
  go_on.set_value();
  EXPECT_FALSE(answered.get_future().get());
  stopper.join();
  EXPECT_EQ(base::SyncWait(past_.ReachBack(revisions_[3])).error().code, Code::kUnreachable);
}

TEST_F(WindowExtenderTest, AStoreOutOfReachIsAskedAgain) {
  backend_.unreachable = true;
  EXPECT_EQ(base::SyncWait(past_.ReachBack(revisions_[3])).error().code, Code::kUnreachable);
  backend_.unreachable = false;
  EXPECT_TRUE(Reaches(past_, revisions_[3]));
}

}  // namespace
}  // namespace keelson::storage
