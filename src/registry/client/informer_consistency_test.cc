// An index that follows two resources, read by other threads than the one that keeps it: what was
// acknowledged is in it after CatchUp.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api/meta/object_meta.h"
#include "base/mutex.h"
#include "base/published.h"
#include "base/sync_wait.h"
#include "client/informer.h"
#include "registry/client/store_client.h"
#include "registry/core/strategies.h"
#include "registry/testing/store_fixture.h"

namespace keelson::registry {
namespace {

// A loop with a thread of its own.
class ThreadLoop final : public base::Executor {
 public:
  ~ThreadLoop() override {
    Post([this] { stopped_ = true; });
    thread_.join();
  }
  void Post(Work work) override {
    base::MutexLock lock(mu_);
    queue_.push_back(std::move(work));
    ready_.NotifyOne();
  }
  void PostAfter(std::chrono::nanoseconds, Work) override { FAIL() << "nothing is to be missed"; }

 private:
  void Run() {
    SetCurrent(this);
    while (!stopped_) {
      Work work;
      {
        base::MutexLock lock(mu_);
        while (queue_.empty()) ready_.Wait(mu_);
        work = std::move(queue_.front());
        queue_.pop_front();
      }
      work();
    }
    SetCurrent(nullptr);
  }

  base::Mutex mu_;
  base::CondVar ready_;
  std::deque<Work> queue_ GUARDED_BY(mu_);
  bool stopped_ = false;  // the thread's own
  std::thread thread_{[this] { Run(); }};
};

// The names of all objects of two resources.
class NameIndex {
 public:
  NameIndex(const client::Client& client, base::Executor& loop)
      : maps_(client, {"", "configmaps"}, loop), secrets_(client, {"", "secrets"}, loop) {}

  void Start() {
    for (client::Informer* const informer : {&maps_, &secrets_})
      informer->Start({.changed =
                           [this](const client::Change& change) {
                             if (change.gone)
                               names_.erase(std::string(change.object.name()));
                             else
                               names_.emplace(change.object.name());
                           },
                       .told_all = [this] { published_.Replace(new Names(names_)); }});
  }
  void Stop() {
    maps_.Stop();
    secrets_.Stop();
  }
  // Any thread.
  base::Task<bool> Has(std::string name) {
    for (client::Informer* const informer : {&maps_, &secrets_})
      if (!informer->IsCurrent()) co_await informer->CatchUp();
    co_return published_.Read()->all.contains(name);
  }

 private:
  struct Names final : base::Publishable<Names> {
    explicit Names(std::set<std::string> names) : all(std::move(names)) {}
    const std::set<std::string> all;
  };
  client::Informer maps_, secrets_;
  std::set<std::string> names_;
  base::Published<Names> published_{new Names({})};
};

class InformerConsistencyTest : public StoreFixture {
 protected:
  InformerConsistencyTest() {
    stores_.Add(StoreCatalog::MakeEntry(Add("configmaps", core::ConfigMaps())));
    stores_.Add(StoreCatalog::MakeEntry(Add("secrets", core::Secrets())));
    stores_.Open();
  }

  StoreCatalog stores_;
  const StoreClient store_client_{stores_};
  const client::Client& client_ = store_client_;
};

TEST_F(InformerConsistencyTest, WhatWasAcknowledgedIsInAnIndexThatHasCaughtUp) {
  constexpr int kThreads = 4, kRounds = 50;
  ThreadLoop loop;
  NameIndex index(client_, loop);
  loop.Post([&] { index.Start(); });
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t)
    writers.emplace_back([&, t] {
      const std::string plural = t % 2 == 0 ? "configmaps" : "secrets";
      const client::Resource resource("", plural);
      for (int i = 0; i < kRounds; ++i) {
        const std::string name = "o-" + std::to_string(t) + "-" + std::to_string(i);
        api::Doc doc = Document(plural, R"({"metadata":{"name":")" + name + R"("}})");
        ASSERT_TRUE(base::SyncWait(client_.Create(resource, "default", std::move(doc))));
        EXPECT_TRUE(base::SyncWait(index.Has(name))) << name;
        ASSERT_TRUE(base::SyncWait(client_.Delete(resource, "default", name)));
        EXPECT_FALSE(base::SyncWait(index.Has(name))) << name;
      }
    });
  for (std::thread& writer : writers) writer.join();
  std::atomic<bool> stopped = false;
  loop.Post([&] {
    index.Stop();
    stopped = true;
    stopped.notify_one();
  });
  stopped.wait(false);
}

}  // namespace
}  // namespace keelson::registry
