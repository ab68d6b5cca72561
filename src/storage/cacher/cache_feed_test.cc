// CacheFeed, as a Cacher shows it: what happens when the feed breaks, when it loads again, and when others
// come in between.
#include <gmock/gmock.h>

#include <coroutine>
#include <functional>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "storage/cacher/cacher_fixture.h"
#include "storage/testing/forwarding_backend.h"

namespace keelson::storage {
namespace {

using base::SyncWait;
using testing::ElementsAre;

// Goes on on a thread of its own: who waits for a commit must not be on the thread that commits.
struct OnAnotherThread {
  std::thread& thread;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> rest) {
    std::thread& started = thread;  // the thread may end the coroutine, and this with it
    started = std::thread([rest] { rest.resume(); });
  }
  void await_resume() const {}
};

// Lets a test cut the feed, hold up loading, and come in between.
class BreakableBackend final : public ForwardingBackend {
 public:
  explicit BreakableBackend(Backend& inner) : inner_(inner) {}
  ~BreakableBackend() override {
    if (after_commit_thread_.joinable()) after_commit_thread_.join();
  }

  base::Task<Result<TxnResult>> Commit(Txn txn) override {
    if (before_commit_) std::exchange(before_commit_, nullptr)();
    auto result = co_await inner_.Commit(std::move(txn));
    if (after_commit_) {
      co_await OnAnotherThread{after_commit_thread_};
      std::exchange(after_commit_, nullptr)();
    }
    co_return result;
  }
  Result<RangeResult> Range(std::string_view start, std::string_view end,
                            const RangeOptions& options) override {
    {
      base::MutexLock lock(hold_mu_);
      held_ = hold_;
      hold_changed_.NotifyAll();
      while (hold_) hold_changed_.Wait(hold_mu_);
    }
    if (away_ || (failures_ > 0 && failures_-- > 0))
      return base::Err(Error{.code = Code::kUnreachable, .detail = "gone"});
    return inner_.Range(start, end, options);
  }
  // Loading reads by Range, which can be held up and made to fail.
  Result<Revision> ReadAll(std::string_view prefix, Receiver& receiver, size_t page) override {
    return Backend::ReadAll(prefix, receiver, page);
  }
  Result<std::unique_ptr<Subscription>> Subscribe(std::string prefix, Revision after,
                                                  Observer& observer) override {
    base::MutexLock lock(mu_);
    observer_ = &observer;
    auto subscribed = inner_.Subscribe(std::move(prefix), after, observer);
    if (subscribed) feed_ = std::move(*subscribed);
    ++subscriptions_;
    if (std::exchange(break_at_once_, false)) {
      feed_.reset();
      Hold();
      observer.OnBroken({.code = Code::kExpired, .detail = "cut"});
    }
    return std::make_unique<Subscription>();
  }

  // No change is delivered from now on.
  void Cut(int failures) {
    base::MutexLock lock(mu_);
    feed_.reset();
    failures_ = failures;
  }
  void Tell(Code code = Code::kExpired) { observer().OnBroken({.code = code, .detail = "cut"}); }
  uint64_t History() const override { return history_; }
  // While nobody is subscribed.
  void LoseHistory() { ++history_; }
  void TellLost() {
    LoseHistory();
    observer().OnHistoryLost({.code = Code::kExpired, .detail = "another store"});
  }
  int subscriptions() const { return subscriptions_; }
  // The next subscription breaks before it is returned, and loading is held up then.
  void BreakAtOnce() {
    base::MutexLock lock(mu_);
    break_at_once_ = true;
  }

  // While it is, nothing can be read.
  void SetAway(bool away) { away_ = away; }
  Result<void> Health() const override {
    if (away_) return base::Err(Error{.code = Code::kUnreachable, .detail = "gone"});
    return {};
  }

  // Loading waits until it is let go on.
  void Hold() {
    base::MutexLock lock(hold_mu_);
    hold_ = true;
  }
  void WaitUntilHeld() {
    base::MutexLock lock(hold_mu_);
    while (!held_) hold_changed_.Wait(hold_mu_);
  }
  void Release() {
    {
      base::MutexLock lock(hold_mu_);
      hold_ = held_ = false;
    }
    hold_changed_.NotifyAll();
  }
  // What happens before and after the next transaction.
  void ComeInBetween(std::function<void()> before, std::function<void()> after) {
    before_commit_ = std::move(before);
    after_commit_ = std::move(after);
  }

 private:
  Backend& inner() const override { return inner_; }
  Observer& observer() {
    base::MutexLock lock(mu_);
    return *observer_;
  }

  Backend& inner_;
  base::Mutex mu_;
  std::unique_ptr<Subscription> feed_ GUARDED_BY(mu_);
  Observer* observer_ GUARDED_BY(mu_) = nullptr;
  bool break_at_once_ GUARDED_BY(mu_) = false;
  std::atomic<uint64_t> history_{0};
  base::Mutex hold_mu_;
  base::CondVar hold_changed_;
  bool hold_ GUARDED_BY(hold_mu_) = false, held_ GUARDED_BY(hold_mu_) = false;
  std::function<void()> before_commit_, after_commit_;
  std::thread after_commit_thread_;
  std::atomic<int> failures_{0};
  std::atomic<bool> away_{false};
  std::atomic<int> subscriptions_{0};
};

// A Cacher on a store that a test can break.
class CacherFeedTest : public CacherTest {
 protected:
  Cacher& StartBreakable(CacherOptions options = {}) {
    auto started = Cacher::Start(ResourceNamed("pods"), breakable_, std::move(options));
    EXPECT_TRUE(started) << started.error().detail;
    on_breakable_ = std::move(*started);
    return *on_breakable_;
  }
  // The Cacher loads again at once when its feed breaks, and has one pod, of which the watcher has heard.
  std::unique_ptr<WatchStream> WatchOnePod() {
    MustCreate(StartBreakable({.reload_pause = std::chrono::milliseconds(1)}), {.name = "a"});
    auto watcher = MustWatch(*on_breakable_);
    EXPECT_THAT(Drain(*watcher), ElementsAre("ADDED default/a"));
    return watcher;
  }
  // Makes one write, in a transaction of its own.
  static void CommitOne(Backend& backend, Write write) {
    Txn txn;
    txn.writes.push_back(std::move(write));
    EXPECT_TRUE(SyncWait(backend.Commit(std::move(txn))));
  }

  BreakableBackend breakable_{*backend_};
  std::unique_ptr<Cacher> on_breakable_;
};

TEST_F(CacherFeedTest, AfterABrokenFeedItLoadsAgainAndWatchersExpire) {
  auto watcher = WatchOnePod();
  Cacher& cacher = *on_breakable_;
  std::promise<void> woken;
  watcher->SetWaker([&] { woken.set_value(); });
  EXPECT_THAT(Drain(*watcher), testing::IsEmpty());

  breakable_.Cut(/*failures=*/3);
  CommitOne(breakable_, {.key = "/registry/pods/default/b", .value = StoredPod({.name = "b"})});
  breakable_.Tell();
  woken.get_future().get();
  EXPECT_THAT(Names(MustList(cacher)), ElementsAre("default/a", "default/b"));
  EXPECT_THAT(Drain(*watcher), ElementsAre("ERROR"));
  while (breakable_.subscriptions() < 2) std::this_thread::yield();
  MustCreate(cacher, {.name = "c"});
  EXPECT_EQ(cacher.Count(), 3);
}

// A read on a loop, which may have to wait.
class PendingGet {
 public:
  PendingGet(TestLoop& loop, Interface& storage, std::string key, std::string version = "") {
    loop.Do([&] { base::Spawn(Run(storage, std::move(key), std::move(version), done_)); });
  }
  bool done() const { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  Result<ObjectPtr> Wait() { return result_.get(); }

 private:
  static base::Task<void> Run(Interface& storage, std::string key, std::string version,
                              std::promise<Result<ObjectPtr>>& done) {
    done.set_value(co_await storage.Get(std::move(key), {.resource_version = std::move(version)}));
  }
  std::promise<Result<ObjectPtr>> done_;
  std::future<Result<ObjectPtr>> result_ = done_.get_future();
};

TEST_F(CacherFeedTest, OnAStoreThatMayBeAwayItStartsAndServesOnceThatIsLoaded) {
  CommitOne(breakable_, {.key = "/registry/pods/default/a", .value = StoredPod({.name = "a"})});
  breakable_.SetAway(true);
  EXPECT_FALSE(Cacher::Start(ResourceNamed("pods"), breakable_)) << "others do not start without it";
  Cacher& cacher = StartBreakable({.reload_pause = std::chrono::milliseconds(1), .store_may_be_away = true});
  EXPECT_FALSE(SyncWait(cacher.List({.resource_version = "0"}))) << "what is not loaded is not served";
  TestLoop loop;
  PendingGet get(loop, cacher, "default/a");
  breakable_.SetAway(false);
  const auto got = get.Wait();
  EXPECT_TRUE(got && *got) << "who asks on a loop waits for it";
  while (!cacher.Follows()) std::this_thread::yield();
  MustCreate(cacher, {.name = "b"});
  EXPECT_EQ(cacher.Count(), 2);
}

TEST_F(CacherFeedTest, WhileItLoadsAgainAReadWaitsForWhatWasWritten) {
  Cacher& cacher = StartBreakable();
  TestLoop loop;
  breakable_.Hold();
  cacher.Reload();
  breakable_.WaitUntilHeld();
  breakable_.Cut(/*failures=*/0);
  const ObjectPtr made = MustCreate(cacher, {.name = "a"});
  PendingGet get(loop, cacher, "default/a");
  PendingGet at(loop, cacher, "default/a", std::to_string(made->revision()));
  EXPECT_FALSE(get.done());
  EXPECT_FALSE(at.done());
  // Without a loop there is no waiting; but what is written is not said to be absent.
  EXPECT_EQ(SyncWait(cacher.Get("default/a", {})).error().code, Code::kUnreachable);
  breakable_.Release();
  EXPECT_TRUE(get.Wait());
  EXPECT_TRUE(at.Wait());
}

TEST_F(CacherFeedTest, AFeedThatBreaksBeforeItIsReturnedIsNotTakenForUp) {
  breakable_.BreakAtOnce();
  Cacher& cacher = StartBreakable();
  breakable_.WaitUntilHeld();
  MustCreate(cacher, {.name = "a"});
  TestLoop loop;
  PendingGet get(loop, cacher, "default/a");
  EXPECT_FALSE(get.done());
  breakable_.Release();
  EXPECT_TRUE(get.Wait());
}

TEST_F(CacherFeedTest, AFeedThatCanGoOnEndsNoWatch) {
  auto watcher = WatchOnePod();
  Cacher& cacher = *on_breakable_;
  breakable_.Cut(/*failures=*/0);
  breakable_.Tell(Code::kUnreachable);  // after the cut, which could hit the next subscription otherwise
  MustCreate(cacher, {.name = "b"});
  while (breakable_.subscriptions() < 2) std::this_thread::yield();
  MustCreate(cacher, {.name = "c"});
  TestLoop loop;
  EXPECT_TRUE(PendingGet(loop, cacher, "default/c").Wait());
  EXPECT_THAT(Drain(*watcher), ElementsAre("ADDED default/b", "ADDED default/c"));
}

TEST_F(CacherFeedTest, WhatAStoreHasLostIsNotServedEvenToThoseWhoTakeAnyVersion) {
  Cacher& cacher = StartBreakable();
  MustCreate(cacher, {.name = "lost"});
  breakable_.Cut(/*failures=*/0);
  CommitOne(breakable_, {.type = Write::Type::kDelete, .key = "/registry/pods/default/lost"});
  TestLoop loop;
  EXPECT_TRUE(PendingGet(loop, cacher, "default/lost", "0").Wait());
  breakable_.Hold();
  breakable_.TellLost();
  breakable_.WaitUntilHeld();
  PendingGet get(loop, cacher, "default/lost", "0");
  EXPECT_FALSE(get.done());
  breakable_.Release();
  EXPECT_EQ(get.Wait().error().code, Code::kNotFound);
}

TEST_F(CacherFeedTest, WhatAStoreLosesBetweenTwoFeedsIsLoadedAgain) {
  auto watcher = WatchOnePod();
  breakable_.LoseHistory();
  breakable_.Tell(Code::kUnreachable);
  while (Drain(*watcher) != std::vector<std::string>{"ERROR"}) std::this_thread::yield();
}

TEST_F(CacherFeedTest, CreateOrUpdateGoesOnWhenWhatWasInTheWayIsGoneAgain) {
  Cacher& cacher = StartBreakable();
  const auto commit = [&](Write write) { CommitOne(*backend_, std::move(write)); };
  const std::string key = "/registry/pods/default/p";
  breakable_.ComeInBetween([&] { commit({.key = key, .value = StoredPod({.name = "p", .uid = "theirs"})}); },
                           [&] { commit({.type = Write::Type::kDelete, .key = key}); });
  auto updated = SyncWait(cacher.GuaranteedUpdate(
      "default/p", /*create_if_absent=*/true, {},
      [](ObjectPtr) -> base::Task<base::Result<Update, std::shared_ptr<const api::Status>>> {
        co_return Update{.stored = StoredPod({.name = "p", .uid = "ours"})};
      }));
  ASSERT_TRUE(updated) << updated.error().detail;
  EXPECT_EQ((*updated)->uid(), "ours");
}

// Holds up the commit thread between being told of a change and the next one.
class HoldingObserver final : public Observer {
 public:
  void OnChanges(std::span<const Change> changes, Revision revision) override {
    if (changes.empty()) return;
    told_.set_value(revision);
    go_on_.get_future().wait();
  }
  void OnBroken(const Error& error) override { ADD_FAILURE() << error.detail; }
  Revision WaitUntilTold() { return told_.get_future().get(); }
  void GoOn() { go_on_.set_value(); }

 private:
  std::promise<Revision> told_;
  std::promise<void> go_on_;
};

TEST_F(CacherFeedTest, AReadAtTheRevisionOfAnEventJustSeenElsewhereIsWokenWhenItHasCome) {
  Cacher& pods = Start();
  MustCreate(pods, {.name = "a"});
  HoldingObserver nodes;
  auto feed = backend_->Subscribe("/registry/nodes/", pods.CurrentRevision(), nodes);
  ASSERT_TRUE(feed);
  std::thread writer(
      [&] { CommitOne(*backend_, {.key = "/registry/nodes/n", .value = base::Slice::Static("x")}); });
  const Revision seen = nodes.WaitUntilTold();
  TestLoop loop;  // no timer of it ever goes off
  PendingGet get(loop, pods, "default/a", std::to_string(seen));
  EXPECT_FALSE(get.done());
  nodes.GoOn();
  writer.join();
  EXPECT_TRUE(get.Wait());
}

TEST_F(CacherFeedTest, WhatDoesNotDecodeIsNoReasonToLoadAgain) {
  Cacher& cacher = Start({.load_page = 2});
  for (const char* name : {"a", "c", "e"}) MustCreate(cacher, {.name = name});
  const auto put = [&](std::string name, base::Slice value) {
    CommitOne(*backend_, {.key = "/registry/pods/default/" + name, .value = std::move(value)});
  };
  put("b", base::Slice::Static("garbage"));
  put("c", base::Slice::Static("garbage"));
  put("z", base::Slice::Static("garbage"));
  EXPECT_TRUE(cacher.CompareWithStore());
  Cacher& again = Start();
  EXPECT_EQ(again.Count(), 2);
  EXPECT_TRUE(again.CompareWithStore());
  // What is mended or removed counts again.
  put("b", StoredPod({.name = "b"}));
  MustDelete(again, "default/b");
  CommitOne(*backend_, {.type = Write::Type::kDelete, .key = "/registry/pods/default/z"});
  put("c", StoredPod({.name = "c"}));
  EXPECT_EQ(again.Count(), 3);
  EXPECT_TRUE(again.CompareWithStore());
}

TEST_F(CacherFeedTest, ALeaseThatTheStoreHasForgottenIsReplaced) {
  ManualClock theirs;
  auto store = OpenMemoryBackend({.clock = &theirs});
  auto started = Cacher::Start(ResourceNamed("pods"), *store, {.clock = &clock_});
  ASSERT_TRUE(started);
  const auto create = [&](const std::string& name) {
    return SyncWait((*started)->Create("default/" + name, StoredPod({.name = name}),
                                       {.ttl = std::chrono::seconds(3600)}));
  };
  ASSERT_TRUE(create("a"));
  theirs.Advance(std::chrono::hours(2));
  auto later = create("b");
  EXPECT_TRUE(later) << later.error().detail;
}

TEST_F(CacherFeedTest, AReloadMendsACacheThatIsNotWhatIsStored) {
  Cacher& cacher = StartBreakable({.load_page = 3});
  for (char c = 'a'; c < 'e'; ++c) MustCreate(cacher, {.name = std::string(1, c)});
  EXPECT_TRUE(cacher.CompareWithStore());
  // Behind the cache's back, at a revision that it takes for its own.
  breakable_.Cut(/*failures=*/0);
  CommitOne(breakable_, {.key = "/registry/pods/default/x", .value = StoredPod({.name = "x"})});
  EXPECT_EQ(cacher.CompareWithStore().error().code, Code::kCorrupt);
  cacher.Reload();
  while (cacher.Count() != 5) std::this_thread::yield();
  EXPECT_TRUE(cacher.CompareWithStore());
}

}  // namespace
}  // namespace keelson::storage
