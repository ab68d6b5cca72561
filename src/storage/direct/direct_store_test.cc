// The DirectStore is an Interface: it passes the suite over every embedded engine. And what it does beyond
// it.
#include "storage/direct/direct_store.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "storage/testing/forwarding_backend.h"
#include "storage/testing/interface_backends.h"
#include "storage/testing/interface_suite.h"
#include "storage/testing/test_loop.h"

namespace keelson::storage {
namespace {

using base::SyncWait;
using testing::ElementsAre;

std::shared_ptr<const ObjectFactory> PodFactory() {
  return std::make_shared<const ObjectFactory>(ResourceNamed("pods"), "/registry/pods");
}

std::unique_ptr<Interface> OpenDirect(const api::ResourceDesc& resource, Backend& backend,
                                      const LimitsForTest& limits) {
  // A small page: lists are read in several.
  return std::make_unique<DirectStore>(
      std::make_shared<const ObjectFactory>(resource, "/registry" + std::string(resource.storage_prefix)),
      backend,
      DirectStoreOptions{
          .max_object_bytes = limits.max_object_bytes, .quota_bytes = limits.quota_bytes, .page = 3});
}

INSTANTIATE_TEST_SUITE_P(DirectOverMemory, InterfaceSuite,
                         testing::Values(InterfaceFactory{MemoryForTest, OpenDirect}));
INSTANTIATE_TEST_SUITE_P(DirectOverRocksDb, InterfaceSuite,
                         testing::Values(InterfaceFactory{RocksDbForTest, OpenDirect}));

// Says on which thread it was read, and how often.
class WatchedBackend final : public ForwardingBackend {
 public:
  explicit WatchedBackend(Backend& inner) : inner_(inner) {}
  Result<std::optional<KeyValue>> Get(std::string_view key, Revision revision) override {
    ++gets;
    reader = std::this_thread::get_id();
    return ForwardingBackend::Get(key, revision);
  }

  std::atomic<int> gets{0};
  std::atomic<std::thread::id> reader;

 private:
  Backend& inner() const override { return inner_; }
  Backend& inner_;
};

class DirectStoreTest : public testing::Test {
 protected:
  std::unique_ptr<Backend> memory_ = OpenMemoryBackend();
  WatchedBackend backend_{*memory_};
  DirectStore store_{PodFactory(), backend_};
};

TEST_F(DirectStoreTest, ALoopIsNotKeptWaitingForTheBackend) {
  MustCreate(store_, {.name = "a"});
  TestLoop loop;
  std::promise<std::thread::id> resumed;
  const auto read = [](Interface& storage, std::promise<std::thread::id>& done) -> base::Task<void> {
    auto object = co_await storage.Get("default/a", {});
    EXPECT_TRUE(object);
    done.set_value(std::this_thread::get_id());
  };
  std::thread::id loop_thread;
  loop.Do([&] {
    loop_thread = std::this_thread::get_id();
    base::Spawn(read(store_, resumed));
  });
  EXPECT_EQ(resumed.get_future().get(), loop_thread);
  EXPECT_NE(backend_.reader.load(), loop_thread);
}

// The place of a cache, with one object in it.
class OneCachedObject final : public CurrentObjects {
 public:
  explicit OneCachedObject(ObjectPtr object) : object_(std::move(object)) {}
  ObjectPtr Find(std::string_view) const override { return object_; }
  bool Fresh() const override { return true; }
  base::Task<Result<void>> Refresh() override { co_return Result<void>(); }
  base::Task<Result<void>> WaitUntil(Revision) override { co_return Result<void>(); }
  base::Task<Result<int64_t>> StoredBytes() override { co_return 0; }

 private:
  const ObjectPtr object_;
};

TEST_F(DirectStoreTest, AWriteOverACacheReadsNothingFromTheBackend) {
  OneCachedObject cache(MustCreate(store_, {.name = "a"}));
  DirectStore cached(PodFactory(), backend_, {}, &cache);
  backend_.gets = 0;
  MustUpdate(cached, {.name = "a", .node = "n1"});
  EXPECT_EQ(backend_.gets, 0);
  MustUpdate(store_, {.name = "a", .node = "n2"});
  EXPECT_EQ(backend_.gets, 1);
}

// Otherwise a write of what a cache cannot show would be tried for ever.
TEST_F(DirectStoreTest, AWriteThatTheSameRevisionRefusesAgainEnds) {
  OneCachedObject cache(MustCreate(store_, {.name = "a"}));
  MustUpdate(store_, {.name = "a", .node = "n1"});
  DirectStore cached(PodFactory(), backend_, {}, &cache);
  EXPECT_EQ(SyncWait(cached.Delete("default/a", {}, nullptr)).error().code, Code::kCorrupt);
}

TEST_F(DirectStoreTest, WhatDoesNotDecodeIsAnErrorOfItsReaders) {
  MustCreate(store_, {.name = "good"});
  Txn spoil;
  spoil.writes.push_back({.key = "/registry/pods/default/bad", .value = base::Slice::Static("garbage")});
  ASSERT_TRUE(SyncWait(backend_.Commit(std::move(spoil))));
  EXPECT_EQ(SyncWait(store_.Get("default/bad", {})).error().code, Code::kCorrupt);
  EXPECT_EQ(SyncWait(store_.List({})).error().code, Code::kCorrupt);
  EXPECT_TRUE(SyncWait(store_.Get("default/good", {})));
}

TEST_F(DirectStoreTest, AWatchOnALoopIsWokenThere) {
  TestLoop loop;
  std::unique_ptr<WatchStream> watch;
  std::promise<void> opened;
  std::promise<std::thread::id> woken;
  const auto open = [](Interface& storage, std::unique_ptr<WatchStream>& watch,
                       std::promise<void>& done) -> base::Task<void> {
    watch = std::move(*co_await storage.Watch({}));
    done.set_value();
  };
  std::thread::id loop_thread;
  loop.Do([&] {
    loop_thread = std::this_thread::get_id();
    base::Spawn(open(store_, watch, opened));
  });
  opened.get_future().get();
  loop.Do([&] {
    watch->SetWaker([&] { woken.set_value(std::this_thread::get_id()); });
    EXPECT_THAT(Drain(*watch), testing::IsEmpty());
  });
  MustCreate(store_, {.name = "a"});
  EXPECT_EQ(woken.get_future().get(), loop_thread);
  loop.Do([&] {
    EXPECT_THAT(Drain(*watch), ElementsAre("ADDED default/a"));
    watch.reset();
  });
}

TEST_F(DirectStoreTest, WatchesComeAndGoWhileOthersWrite) {
  MustCreate(store_, {.name = "a"});
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) MustUpdate(store_, {.name = "a", .image = std::to_string(i)});
  });
  MustCreate(store_, {.ns = "other", .name = "a"});
  for (int i = 0; i < 100; ++i) {
    auto watch = MustWatch(store_, {.ns = "other"});
    std::vector<WatchEvent> events;
    watch->Poll(10, events);
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace keelson::storage
