// What the Cacher does beyond the suite of interfaces: expiry, loading, wake-ups.
#include "storage/cacher/cacher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "storage/cacher/cache_watch_stream.h"
#include "storage/cacher/cacher_fixture.h"
#include "storage/messages.h"

namespace keelson::storage {
namespace {

using base::SyncWait;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(CacherTest, LoadsWhatIsStored) {
  {
    Cacher& first = Start();
    for (int i = 0; i < 25; ++i)
      MustCreate(first, {.name = "p" + std::to_string(i), .uid = std::to_string(i)});
  }
  const Revision before = cacher_->CurrentRevision();
  cacher_.reset();
  Cacher& again = Start({.load_page = 10});
  EXPECT_EQ(again.Count(), 25);
  EXPECT_EQ(again.CurrentRevision(), before);
  auto list = MustList(again);
  EXPECT_EQ(list.revision, before);
  for (const Object* pod : list.items) EXPECT_EQ(pod->name().substr(1), pod->uid());
}

TEST_F(CacherTest, WhatIsLoadedIsIndexed) {
  Cacher& first = Start();
  for (int i = 0; i < 30; ++i)
    MustCreate(first, {.name = "p" + std::to_string(100 + i),
                       .node = i % 5 == 0 ? "" : "n" + std::to_string(i % 3)});
  const auto on = [&](Cacher& cacher, const std::string& node) {
    return Names(MustList(cacher, {.selection = SelectPods("", "spec.nodeName=" + node)}));
  };
  std::vector<std::vector<std::string>> expected;
  for (const char* node : {"", "n0", "n1", "n2"}) expected.push_back(on(first, node));
  EXPECT_THAT(expected, testing::Each(testing::SizeIs(testing::Ge(6u))));
  cacher_.reset();
  Cacher& again = Start();
  std::vector<std::vector<std::string>> loaded;
  for (const char* node : {"", "n0", "n1", "n2"}) loaded.push_back(on(again, node));
  EXPECT_EQ(loaded, expected);
}

TEST_F(CacherTest, MissesNothingThatIsWrittenWhileItLoads) {
  Cacher& writing = Start();
  std::unique_ptr<Cacher> writer = std::move(cacher_);
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    for (int i = 0; !stop; ++i) MustCreate(writing, {.name = "p" + std::to_string(i)});
  });
  while (writing.Count() < 50) std::this_thread::yield();
  for (int round = 0; round < 10; ++round) {
    Cacher& reader = Start({.load_page = 7});
    const Revision seen = reader.CurrentRevision();
    auto list = MustList(reader);
    EXPECT_GE(list.revision, seen);
    // The writer's own cache knows what there was at that revision.
    auto then =
        MustList(writing, {.resource_version = std::to_string(list.revision), .match = VersionMatch::kExact});
    EXPECT_EQ(then.items.size(), list.items.size());
    cacher_.reset();
  }
  stop = true;
  thread.join();
}

// The cache, the writer's answer, the event and every list share one object.
TEST_F(CacherTest, AWrittenObjectIsMadeOnce) {
  Cacher& cacher = Start();
  auto watch = MustWatch(cacher);
  std::vector<WatchEvent> events;
  const ObjectPtr made = MustCreate(cacher, {.name = "a"});
  const ObjectPtr last = MustUpdate(cacher, {.name = "a", .node = "n2"});
  Drain(*watch, &events);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].object, made);
  EXPECT_EQ(events[1].object, last);
  EXPECT_EQ(*SyncWait(cacher.Get("default/a", {})), last);
  EXPECT_EQ(MustList(cacher).items, std::vector<const Object*>{last.get()});
  const ObjectPtr gone = MustDelete(cacher, "default/a");
  Drain(*watch, &events);
  EXPECT_EQ(events[0].object, gone);
}

TEST_F(CacherTest, RevisionsOfOtherResourcesCount) {
  Cacher& pods = Start();
  MustCreate(pods, {.name = "a"});
  auto nodes = Cacher::Start(ResourceNamed("nodes"), *backend_);
  ASSERT_TRUE(nodes);
  auto node = SyncWait((*nodes)->Create("n1", Stored("Node", R"({"metadata":{"name":"n1"}})"), {}));
  ASSERT_TRUE(node);
  EXPECT_EQ(pods.CurrentRevision(), (*node)->revision());
  EXPECT_EQ(MustList(pods).revision, (*node)->revision());
  // A version that only the other resource made is one of this resource too.
  GetOptions at{.resource_version = std::to_string((*node)->revision())};
  EXPECT_TRUE(SyncWait(pods.Get("default/a", at)));
  EXPECT_EQ(
      MustList(pods, {.resource_version = at.resource_version, .match = VersionMatch::kExact}).items.size(),
      1u);
}

TEST_F(CacherTest, AnOldVersionExpires) {
  Cacher& cacher = Start(SmallLog());
  auto pod = MustCreate(cacher, {.name = "churn"});
  Churn(cacher);
  const std::string then = std::to_string(pod->revision());
  auto list = SyncWait(cacher.List({.resource_version = then, .match = VersionMatch::kExact}));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, Code::kExpired);
  EXPECT_EQ(list.error().detail, "The resourceVersion for the provided list is too old.");
  std::vector<WatchEvent> events;
  auto watcher = MustWatch(cacher, {.resource_version = then});
  EXPECT_THAT(Drain(*watcher, &events), ElementsAre("ERROR"));
  EXPECT_EQ(events[0].error->code, Code::kExpired);
  EXPECT_THAT(events[0].error->detail, testing::StartsWith("too old resource version: " + then + " ("));
}

TEST_F(CacherTest, AnExpiredListCanGoOnFromNow) {
  Cacher& cacher = Start(SmallLog());
  for (const char* name : {"a", "b", "churn", "d"}) MustCreate(cacher, {.name = name});
  auto first = MustList(cacher, {.limit = 2});
  Churn(cacher);
  auto expired = SyncWait(cacher.List({.limit = 2, .continue_token = first.continue_token}));
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().code, Code::kExpired);
  EXPECT_EQ(expired.error().detail, kContinueExpired);
  MustCreate(cacher, {.name = "c"});
  auto rest = MustList(cacher, {.limit = 5, .continue_token = expired.error().continue_token});
  EXPECT_THAT(Names(rest), ElementsAre("default/c", "default/churn", "default/d"));
  EXPECT_EQ(rest.revision, cacher.CurrentRevision());
}

TEST_F(CacherTest, AWatcherThatTheLogHasPassedExpires) {
  Cacher& cacher = Start(SmallLog());
  MustCreate(cacher, {.name = "churn"});
  auto watcher = MustWatch(cacher);
  EXPECT_THAT(Drain(*watcher), ElementsAre("ADDED default/churn"));
  Churn(cacher);
  std::vector<WatchEvent> events;
  EXPECT_THAT(Drain(*watcher, &events), ElementsAre("ERROR"));
  EXPECT_EQ(events[0].error->code, Code::kExpired);
  EXPECT_EQ(watcher->Poll(10, events), WatchStream::State::kEnd);
}

TEST_F(CacherTest, ANarrowWatcherSurvivesAFloodOfOthers) {
  Cacher& cacher = Start(SmallLog());
  MustCreate(cacher, {.name = "churn"});
  auto watcher = MustWatch(cacher, {.selection = SelectPods("", "spec.nodeName=n1")});
  EXPECT_THAT(Drain(*watcher), IsEmpty());
  Churn(cacher);
  // It sleeps behind the window, but nothing that it missed was for it.
  EXPECT_EQ(watcher->position(), cacher.CurrentRevision());
  Churn(cacher);
  EXPECT_THAT(Drain(*watcher), IsEmpty());
  Churn(cacher);
  MustCreate(cacher, {.name = "mine", .node = "n1"});
  EXPECT_THAT(Drain(*watcher), ElementsAre("ADDED default/mine"));
}

// An event that comes while a watcher lies down must not count as one that it slept through.
TEST_F(CacherTest, ANarrowWatcherMissesNothingWhileItLiesDown) {
  constexpr int kEvents = 30'000;
  Cacher& cacher = Start({.log = {.max_bytes = size_t{1} << 30}});
  MustCreate(cacher, {.name = "p"});
  auto watcher = MustWatch(cacher, {.ns = "default"});
  ASSERT_THAT(Drain(*watcher), ElementsAre("ADDED default/p"));
  std::atomic<bool> stop{false};
  Revision last = 0;
  int seen = 0;
  std::thread follower([&] {
    for (;;) {
      std::vector<WatchEvent> events;
      const bool stopping = stop;
      const auto state = watcher->Poll(1, events);
      for (const WatchEvent& event : events) {
        EXPECT_GT(event.revision, last);
        last = event.revision;
        ++seen;
      }
      if (stopping && state != WatchStream::State::kMore) return;
    }
  });
  for (int i = 0; i < kEvents; ++i) MustUpdate(cacher, {.name = "p", .image = std::to_string(i)});
  stop = true;
  follower.join();
  EXPECT_EQ(seen, kEvents);
}

// ---- The past

// What a client that watched before a restart is told after it.
TEST_F(CacherTest, AWatchGoesOnFromBeforeTheCacheWasLoaded) {
  Cacher& before = Start();
  MustCreate(before, {.name = "old", .node = "n1"});
  const auto then = MustCreate(before, {.name = "a", .node = "n1"});
  MustUpdate(before, {.name = "a", .node = "n1", .phase = "Running"});
  MustDelete(before, "default/old");
  MustUpdate(before, {.name = "a", .node = "n2"});
  MustCreate(before, {.name = "b", .node = "n1"});
  for (int i = 0; i < 600; ++i) MustUpdate(before, {.name = "b", .node = "n1", .image = std::to_string(i)});

  Cacher& after = Start();
  const std::string version = std::to_string(then->revision());
  std::vector<WatchEvent> events;
  auto watcher = MustWatch(after, {.resource_version = version});
  const auto told = Drain(*watcher, &events);
  ASSERT_EQ(told.size(), 604U);
  EXPECT_EQ(told[0], "MODIFIED default/a");
  EXPECT_EQ(told[1], "DELETED default/old");
  EXPECT_EQ(told[3], "ADDED default/b");
  EXPECT_EQ(told[603], "MODIFIED default/b");
  for (size_t i = 0; i < events.size(); ++i)
    EXPECT_EQ(events[i].revision, then->revision() + 1 + static_cast<Revision>(i));
  // Selections see what was before, too.
  auto narrow =
      MustWatch(after, {.resource_version = version, .selection = SelectPods("", "spec.nodeName=n1")});
  const auto of_node = Drain(*narrow);
  ASSERT_EQ(of_node.size(), 604U);
  EXPECT_EQ(of_node[2], "DELETED default/a");
  // It goes on with what comes.
  MustDelete(after, "default/b");
  EXPECT_THAT(Drain(*watcher), ElementsAre("DELETED default/b"));
  EXPECT_THAT(Drain(*narrow), ElementsAre("DELETED default/b"));
  const auto list = SyncWait(after.List({.resource_version = version, .match = VersionMatch::kExact}));
  ASSERT_TRUE(list);
  EXPECT_THAT(Names(*list), ElementsAre("default/a", "default/old"));
}

TEST_F(CacherTest, APageGoesOnAfterTheCacheWasLoadedAgain) {
  Cacher& before = Start();
  for (const char* name : {"a", "b", "c"}) MustCreate(before, {.name = name});
  const auto page = MustList(before, {.limit = 1});
  MustDelete(before, "default/b");
  const auto rest = MustList(Start(), {.continue_token = page.continue_token});
  EXPECT_THAT(Names(rest), ElementsAre("default/b", "default/c"));
  EXPECT_EQ(rest.revision, page.revision);
}

TEST_F(CacherTest, WhatTheStoreHasForgottenIsExpired) {
  Cacher& before = Start();
  const auto then = MustCreate(before, {.name = "a"});
  const auto later = MustCreate(before, {.name = "b"});
  MustCreate(before, {.name = "c"});
  ASSERT_TRUE(SyncWait(backend_->Compact(later->revision())));
  Cacher& after = Start();
  auto expired = MustWatch(after, {.resource_version = std::to_string(then->revision() - 1)});
  EXPECT_THAT(Drain(*expired), ElementsAre("ERROR"));
  auto resumed = MustWatch(after, {.resource_version = std::to_string(later->revision())});
  EXPECT_THAT(Drain(*resumed), ElementsAre("ADDED default/c"));
}

TEST_F(CacherTest, APositionOfBeforeALoadIsNeverOneOfThePast) {
  Cacher& cacher = Start({.reload_pause = std::chrono::milliseconds(1)});
  MustCreate(cacher, {.name = "a"});
  auto watcher = MustWatch(cacher);
  EXPECT_THAT(Drain(*watcher), ElementsAre("ADDED default/a"));
  const auto then = MustCreate(cacher, {.name = "b"});
  cacher.Reload();
  auto again = MustWatch(cacher, {.resource_version = std::to_string(then->revision() - 1)});
  while (Drain(*watcher) != std::vector<std::string>{"ERROR"}) std::this_thread::yield();
}

TEST_F(CacherTest, TheBytesOfObjectsAreCounted) {
  Cacher& cacher = Start();
  MustCreate(cacher, {.name = "a", .padding = 2000});
  MustCreate(cacher, {.name = "b", .padding = 2000});
  MustUpdate(cacher, {.name = "a", .phase = "Running", .padding = 100});
  MustDelete(cacher, "default/b");
  MustCreate(cacher, {.name = "d", .padding = 1000});
  EXPECT_EQ(cacher.ReadStats().objects, 2);
  const int64_t bytes = cacher.ReadStats().object_bytes;
  EXPECT_EQ(Start().ReadStats().object_bytes, bytes);
}

TEST_F(CacherTest, BytesThatDoNotDecodeAreNotServed) {
  Cacher& cacher = Start();
  auto bad = SyncWait(cacher.Create("default/bad", base::Slice::Static("garbage"), {}));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::kCorrupt);
  MustCreate(cacher, {.name = "good"});
  EXPECT_EQ(cacher.Count(), 1);
  cacher_.reset();
  EXPECT_EQ(Start().Count(), 1);
}

TEST_F(CacherTest, WritingOverBytesThatDoNotDecodeEnds) {
  Cacher& cacher = Start();
  MustCreate(cacher, {.name = "spoilt"});
  Txn spoil;
  spoil.writes.push_back({.key = "/registry/pods/default/spoilt", .value = base::Slice::Static("garbage")});
  ASSERT_TRUE(SyncWait(backend_->Commit(std::move(spoil))));
  auto deleted = SyncWait(cacher.Delete("default/spoilt", {}, nullptr));
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, Code::kCorrupt);
}

TEST_F(CacherTest, ObjectsThatExpireTogetherShareALease) {
  Cacher& cacher = Start();
  const auto create = [&](const std::string& name) {
    auto made = SyncWait(
        cacher.Create("default/" + name, StoredPod({.name = name}), {.ttl = std::chrono::seconds(3600)}));
    EXPECT_TRUE(made);
    return (*backend_->Get("/registry/pods/default/" + name, 0))->lease;
  };
  const LeaseId first = create("a");
  EXPECT_NE(first, 0);
  clock_.Advance(std::chrono::seconds(30));
  EXPECT_EQ(create("b"), first);
  clock_.Advance(std::chrono::seconds(60));
  EXPECT_NE(create("c"), first);
  auto watcher = MustWatch(cacher, {.resource_version = std::to_string(cacher.CurrentRevision())});
  clock_.Advance(std::chrono::seconds(3600));
  std::vector<std::string> seen;
  // A write makes the store look at the clock.
  for (int i = 0; seen.size() < 2 && i < 100; ++i) {
    MustCreate(cacher, {.ns = "tick", .name = "t" + std::to_string(i)});
    for (auto& event : Drain(*watcher))
      if (event.starts_with("DELETED")) seen.push_back(event);
  }
  EXPECT_THAT(seen, ElementsAre("DELETED default/a", "DELETED default/b"));
}

TEST_F(CacherTest, ALeaseIsSharedForNoLongerThanWanted) {
  Cacher& cacher = Start({.lease_reuse = std::chrono::seconds(10)});
  const auto create = [&](const std::string& name) {
    EXPECT_TRUE(SyncWait(
        cacher.Create("default/" + name, StoredPod({.name = name}), {.ttl = std::chrono::seconds(3600)})));
    return (*backend_->Get("/registry/pods/default/" + name, 0))->lease;
  };
  const LeaseId first = create("a");
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(create("b"), first);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_NE(create("c"), first);
}

TEST_F(CacherTest, AnEventWakesOnlyThoseItConcernsWithOneMessage) {
  Cacher& cacher = Start();
  constexpr int kNodes = 50;
  MustCreate(cacher, {.name = "a"});
  TestLoop loop;
  std::vector<std::unique_ptr<WatchStream>> watchers;
  std::vector<int> wakes(2 * kNodes);
  loop.Do([&] {
    for (int i = 0; i < 2 * kNodes; ++i) {
      watchers.push_back(
          MustWatch(cacher, {.selection = SelectPods("", "spec.nodeName=n" + std::to_string(i % kNodes))}));
      watchers.back()->SetWaker([&wakes, i] { ++wakes[static_cast<size_t>(i)]; });
      EXPECT_THAT(Drain(*watchers.back()), IsEmpty());
    }
  });
  const int before = loop.posts();
  MustUpdate(cacher, {.name = "a", .node = "n7"});
  MustUpdate(cacher, {.name = "a", .node = "none"});
  EXPECT_LE(loop.posts() - before, 1);
  loop.Do([&] {
    for (int i = 0; i < 2 * kNodes; ++i) EXPECT_EQ(wakes[static_cast<size_t>(i)], i % kNodes == 7 ? 1 : 0);
    EXPECT_THAT(Drain(*watchers[7]), ElementsAre("ADDED default/a", "DELETED default/a"));
    watchers.clear();
  });
}

// Follows a watch on its own loop and writes down what it was told.
class Follower {
 public:
  Follower(TestLoop& loop, Interface& storage, WatchOptions options) : loop_(loop) {
    loop_.Do([&] {
      watcher_ = MustWatch(storage, std::move(options));
      watcher_->SetWaker([this] { Read(); });
      Read();
    });
  }
  ~Follower() {
    loop_.Do([&] { watcher_.reset(); });
  }
  // On its loop.
  const std::vector<Revision>& revisions() const { return revisions_; }
  TestLoop& loop() { return loop_; }

 private:
  void Read() {
    std::vector<WatchEvent> events;
    while (watcher_->Poll(3, events) == WatchStream::State::kMore) {
    }
    for (const auto& event : events) revisions_.push_back(event.revision);
  }
  TestLoop& loop_;
  std::unique_ptr<WatchStream> watcher_;
  std::vector<Revision> revisions_;
};

TEST_F(CacherTest, FollowersSeeEveryEventOnceAndInOrder) {
  Cacher& cacher = Start();
  const Revision empty = cacher.CurrentRevision();
  TestLoop loops[2];
  std::vector<std::unique_ptr<Follower>> all, narrow;
  for (TestLoop& loop : loops) {
    for (int i = 0; i < 5; ++i) all.push_back(std::make_unique<Follower>(loop, cacher, WatchOptions{}));
    narrow.push_back(std::make_unique<Follower>(loop, cacher, WatchOptions{.ns = "ns1"}));
  }
  constexpr int kThreads = 3;
  constexpr int kEach = 200;
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t)
    writers.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i)
        MustCreate(cacher, {.ns = "ns" + std::to_string(t), .name = "p" + std::to_string(i)});
    });
  // Readers of all kinds meanwhile.
  std::thread reader([&] {
    for (size_t last = 0; last < size_t{kThreads} * kEach;) {
      auto list = MustList(cacher);
      EXPECT_GE(list.items.size(), last);
      EXPECT_EQ(static_cast<Revision>(list.items.size()), list.revision - empty);
      last = list.items.size();
    }
  });
  for (auto& w : writers) w.join();
  reader.join();
  const auto check = [](Follower& follower, size_t count) {
    follower.loop().Do([&] {
      EXPECT_EQ(follower.revisions().size(), count);
      EXPECT_TRUE(std::ranges::is_sorted(follower.revisions(), std::ranges::less_equal()));
    });
  };
  for (auto& f : all) check(*f, kThreads * kEach);
  for (auto& f : narrow) check(*f, kEach);
}

// Another server may have told the client of what this one is yet to hear.
TEST_F(CacherTest, AWatchFromTheNearFutureWaitsForIt) {
  Cacher& cacher = Start();
  auto a = MustCreate(cacher, {.name = "a"});
  TestLoop loop;
  std::promise<std::unique_ptr<WatchStream>> started;
  const auto watch = [](Interface& storage, std::string version,
                        std::promise<std::unique_ptr<WatchStream>>& done) -> base::Task<void> {
    auto watcher = co_await storage.Watch({.resource_version = std::move(version)});
    done.set_value(std::move(*watcher));
  };
  loop.Do([&] { base::Spawn(watch(cacher, std::to_string(a->revision() + 1), started)); });
  MustCreate(cacher, {.name = "b"});
  MustCreate(cacher, {.name = "c"});
  auto watcher = started.get_future().get();
  loop.Do([&] {
    EXPECT_THAT(Drain(*watcher), ElementsAre("ADDED default/c"));
    watcher.reset();
  });
}

TEST_F(CacherTest, AVersionThatTheStoreHasCompactedCannotBeListed) {
  Cacher& cacher = Start();
  for (const char* name : {"a", "b", "c"}) MustCreate(cacher, {.name = name});
  const auto page = MustList(cacher, {.limit = 1});
  MustCreate(cacher, {.name = "d"});
  ASSERT_EQ(MustList(cacher, {.limit = 1, .continue_token = page.continue_token}).revision, page.revision);

  ASSERT_TRUE(SyncWait(backend_->Compact(page.revision)));
  EXPECT_TRUE(SyncWait(cacher.List({.limit = 1, .continue_token = page.continue_token})));
  ASSERT_TRUE(SyncWait(backend_->Compact(page.revision + 1)));
  auto expired = SyncWait(cacher.List({.limit = 1, .continue_token = page.continue_token}));
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().code, Code::kExpired);
  EXPECT_EQ(expired.error().detail, kContinueExpired);
  // The token in the error goes on from the same place, with what is there now.
  const auto rest = MustList(cacher, {.limit = 2, .continue_token = expired.error().continue_token});
  EXPECT_THAT(Names(rest), ElementsAre("default/b", "default/c"));
  EXPECT_GT(rest.revision, page.revision);
  EXPECT_EQ(rest.remaining, 1);
  const auto exact = SyncWait(
      cacher.List({.resource_version = std::to_string(page.revision), .match = VersionMatch::kExact}));
  ASSERT_FALSE(exact);
  EXPECT_EQ(exact.error().detail, kListExpired);
}

TEST_F(CacherTest, StatsTellOfTheWindowAndOfWhoWatches) {
  Cacher& cacher = Start(SmallLog());
  MustCreate(cacher, {.name = "churn"});
  const auto before = cacher.ReadStats();
  EXPECT_EQ(before.objects, 1);
  EXPECT_GT(before.window_bytes, 0u);
  auto watcher = MustWatch(cacher);
  Drain(*watcher);
  EXPECT_EQ(cacher.ReadStats().watchers, 1);
  cacher.TakeWorstLag();
  for (int i = 0; i < 7; ++i) MustUpdate(cacher, {.name = "churn", .image = std::to_string(i)});
  clock_.Advance(std::chrono::seconds(20));
  EXPECT_EQ(cacher.ReadStats().window_age, std::chrono::seconds(20));
  Drain(*watcher);
  EXPECT_EQ(cacher.TakeWorstLag(), 7u);
  EXPECT_EQ(cacher.TakeWorstLag(), 0u);
  Churn(cacher);
  EXPECT_LE(cacher.ReadStats().window_bytes, 60'000u);
  EXPECT_THAT(Drain(*watcher), ElementsAre("ERROR"));
  EXPECT_EQ(cacher.ReadStats().expired_watchers, 1u);
  watcher.reset();
  EXPECT_EQ(cacher.ReadStats().watchers, 0);
}

TEST_F(CacherTest, ASleepingWatcherIsSmall) { EXPECT_LT(sizeof(CacheWatchStream), 400u); }

TEST_F(CacherTest, TenThousandPodsFitInFortyMegabytes) {
  const auto stored = StoredPod({.name = "p", .node = "n", .labels = {{"app", "web"}}, .padding = 2500});
  std::vector<KeyValue> page;
  for (int i = 0; i < 10'000; ++i)
    page.push_back({.key = "/registry/pods/default/pod-with-a-usual-name-" + std::to_string(i),
                    .value = stored,
                    .create_revision = 1,
                    .mod_revision = 1});
  std::ranges::sort(page, {}, &KeyValue::key);
  WatchCache cache(ResourceNamed("pods"),
                   std::make_shared<const ObjectFactory>(ResourceNamed("pods"), "/registry/pods"));
  TellAll(page, 0, cache);
  cache.FinishLoad(1);
  size_t bytes = 0;
  const CacheReading reading = cache.Read();
  for (SnapshotMap::Cursor c(reading.state->objects, {}); c.get(); c.Advance())
    bytes += c.get()->memory_bytes();
  EXPECT_LT(bytes, size_t{32} << 20);
}

TEST_F(CacherTest, WhatIsReadAndWrittenIsCountedByResource) {
  Cacher& cacher = Start({.metrics = &metrics_});
  MustCreate(cacher, {.name = "a", .image = "1"});
  MustUpdate(cacher, {.name = "a", .image = "2"});
  MustCreate(cacher, {.name = "b", .image = "1"});
  MustList(cacher, {.limit = 1});
  const std::string text = metrics_.Render();
  const auto has = [&](std::string_view line) {
    return text.find(std::string(line) + "\n") != std::string::npos;
  };
  constexpr std::string_view kCounted[] = {
      R"(etcd_requests_total{group="",operation="list",resource="pods"} 1)",
      R"(etcd_requests_total{group="",operation="create",resource="pods"} 2)",
      R"(etcd_requests_total{group="",operation="update",resource="pods"} 1)",
      R"(etcd_request_errors_total{group="",operation="update",resource="pods"} 0)",
      R"(apiserver_watch_cache_initializations_total{group="",resource="pods"} 1)",
      R"(apiserver_watch_cache_events_received_total{group="",resource="pods"} 3)",
      R"(apiserver_watch_cache_events_dispatched_total{group="",resource="pods"} 3)",
      R"(apiserver_cache_list_total{group="",index="",resource="pods"} 1)",
      R"(apiserver_cache_list_fetched_objects_total{group="",index="",resource="pods"} 1)",
      R"(apiserver_cache_list_returned_objects_total{group="",resource="pods"} 1)",
      R"(apiserver_watch_cache_consistent_read_total{fallback="false",group="",resource="pods",success="true"} 1)",
  };
  for (const std::string_view line : kCounted) EXPECT_TRUE(has(line)) << line << "\n" << text;
  cacher_ = nullptr;
  EXPECT_EQ(metrics_.Render().find("pods"), std::string::npos);
}

}  // namespace
}  // namespace keelson::storage
