#include "storage/cacher/consistency_check.h"

#include <gmock/gmock.h>

#include "base/sync_wait.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/test_objects.h"

namespace keelson::storage {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

// A cache that takes the backend's revision for its own, and is told of nothing after it was loaded.
class ConsistencyCheckTest : public testing::Test {
 protected:
  ConsistencyCheckTest() {
    for (char c = 'a'; c < 'k'; ++c) Put(std::string(1, c), StoredPod({.name = std::string(1, c)}));
    Load();
  }
  void Load() {
    auto revision = backend_->ReadAll(kPodPrefix, cache_, 3);
    ASSERT_TRUE(revision);
    cache_.FinishLoad(*revision);
  }
  void Commit(Write write) {
    Txn txn;
    txn.writes.push_back(std::move(write));
    EXPECT_TRUE(base::SyncWait(backend_->Commit(std::move(txn))));
  }
  void Put(const std::string& name, base::Slice value) {
    Commit({.key = std::string(kPodPrefix) + "default/" + name, .value = std::move(value)});
  }
  void Delete(const std::string& name) {
    Commit({.type = Write::Type::kDelete, .key = std::string(kPodPrefix) + "default/" + name});
  }
  // Empty: they are the same.
  std::string Difference() {
    auto same = ConsistencyCheck(cache_, *backend_, /*page=*/3).Run();
    return same ? "" : same.error().detail + " " + same.error().key;
  }

  std::unique_ptr<Backend> backend_ = OpenMemoryBackend();
  WatchCache cache_{ResourceNamed("pods"),
                    std::make_shared<const ObjectFactory>(ResourceNamed("pods"), "/registry/pods"),
                    {.delivered = [this] { return backend_->CurrentRevision(); }}};
};

TEST_F(ConsistencyCheckTest, WhatWasLoadedIsTheSame) { EXPECT_EQ(Difference(), ""); }

TEST_F(ConsistencyCheckTest, TheFirstDifferenceIsNamed) {
  Put("x", StoredPod({.name = "x"}));
  EXPECT_THAT(Difference(), AllOf(HasSubstr("stored and not cached"), EndsWith("default/x")));
  Put("c", StoredPod({.name = "c"}));
  EXPECT_THAT(Difference(), AllOf(HasSubstr("another revision"), EndsWith("default/c")));
  Delete("b");
  EXPECT_THAT(Difference(), AllOf(HasSubstr("cached and not stored"), EndsWith("default/b")));
  Load();
  EXPECT_EQ(Difference(), "");
  Delete("x");
  EXPECT_THAT(Difference(), AllOf(HasSubstr("cached and not stored"), EndsWith("default/x")));
}

TEST_F(ConsistencyCheckTest, WhatDoesNotDecodeIsNoDifference) {
  Put("bb", base::Slice::Static("garbage"));
  Put("c", base::Slice::Static("garbage"));
  Load();
  EXPECT_EQ(Difference(), "");
  // But only as it was then.
  Put("bb", base::Slice::Static("other garbage"));
  EXPECT_THAT(Difference(), EndsWith("default/bb"));
}

TEST_F(ConsistencyCheckTest, AStoreThatCannotBeReadIsNoDifference) {
  const Revision loaded = backend_->CurrentRevision();
  WatchCache behind(ResourceNamed("pods"),
                    std::make_shared<const ObjectFactory>(ResourceNamed("pods"), "/registry/pods"));
  behind.FinishLoad(loaded - 1);
  ASSERT_TRUE(base::SyncWait(backend_->Compact(loaded)));
  EXPECT_EQ(ConsistencyCheck(behind, *backend_, 3).Run().error().code, Code::kExpired);
}

}  // namespace
}  // namespace keelson::storage
