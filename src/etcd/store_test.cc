#include "etcd/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sync_wait.h"
#include "etcd/testing.h"
#include "storage/memory/memory_backend.h"

namespace keelson::etcd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

base::Task<bool> Ended(Store& store) {
  co_await store.EndLeases();
  co_return true;
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() { Reopen(); }

  // As after a restart.
  void Reopen() { store_ = std::move(*Store::Open(*backend_, loop_, {.max_txn_ops = 4, .clock = &clock_})); }

  Result<Store::Committed> Run(TxnRequest request) {
    return base::SyncWait(store_->Commit(base::Slice(), std::move(request)));
  }
  Revision Put(std::string_view key, std::string_view value, LeaseId lease = 0) {
    const auto done = Run(OnlyDo(PutOf(key, value, lease)));
    EXPECT_TRUE(done) << done.error().message;
    return done ? done->revision : 0;
  }
  std::string Refused(TxnRequest request) {
    const auto done = Run(std::move(request));
    return done ? "done" : done.error().message;
  }
  RangeAnswer Range(const RangeRequest& request) {
    const auto read = store_->Range(request);
    EXPECT_TRUE(read) << read.error().message;
    return read ? read->answer : RangeAnswer{};
  }
  std::vector<std::string> Keys(const RangeRequest& request) {
    std::vector<std::string> keys;
    for (const Entry& e : Range(request).entries) keys.push_back(e.key);
    return keys;
  }
  static RangeRequest All() {
    return {.key = std::string_view("\0", 1), .range_end = std::string_view("\0", 1)};
  }

  base::FakeClock clock_;
  ManualLoop loop_;
  std::unique_ptr<storage::Backend> backend_ = storage::OpenMemoryBackend();
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, AKeyHasAVersionThatBeginsAnewWithTheKey) {
  const Revision made = Put("a", "1");
  Put("a", "2");
  const Entry twice = Range({.key = "a"}).entries.at(0);
  EXPECT_EQ(twice.version, 2);
  EXPECT_EQ(twice.create_revision, made);
  EXPECT_EQ(twice.mod_revision, made + 1);
  EXPECT_EQ(twice.value.view(), "2");
  ASSERT_TRUE(Run(OnlyDo(DeleteRangeRequest{.key = "a"})));
  Put("a", "3");
  EXPECT_EQ(Range({.key = "a"}).entries.at(0).version, 1);
}

TEST_F(StoreTest, ARangeIsAKeyAPrefixOrEverythingFromAKeyOn) {
  for (const char* key : {"a", "aa", "ab", "b"}) Put(key, "x");
  EXPECT_THAT(Keys({.key = "a"}), ElementsAre("a"));
  EXPECT_THAT(Keys({.key = "a", .range_end = "b"}), ElementsAre("a", "aa", "ab"));
  EXPECT_THAT(Keys({.key = "ab", .range_end = std::string_view("\0", 1)}), ElementsAre("ab", "b"));
  EXPECT_THAT(Keys({.key = "b", .range_end = "a"}), IsEmpty());
  const RangeAnswer two = Range({.key = "a", .range_end = "b", .limit = 2});
  EXPECT_EQ(two.entries.size(), 2U);
  EXPECT_TRUE(two.more);
  EXPECT_EQ(two.count, 3);
  EXPECT_EQ(Range({.key = "a", .range_end = "b", .count_only = true}).count, 3);
  const RangeAnswer keys = Range({.key = "a", .keys_only = true});
  EXPECT_TRUE(keys.entries.at(0).value.empty());
  EXPECT_EQ(keys.entries.at(0).version, 1);
}

TEST_F(StoreTest, RangesAreSortedAndFilteredBeforeTheyAreLimited) {
  Put("a", "3");
  const Revision b = Put("b", "1");
  Put("c", "2");
  RangeRequest by_value = All();
  by_value.target = 4;
  EXPECT_THAT(Keys(by_value), ElementsAre("b", "c", "a"));
  by_value.order = 2;
  by_value.limit = 1;
  EXPECT_THAT(Keys(by_value), ElementsAre("a"));
  EXPECT_TRUE(Range(by_value).more);
  RangeRequest newer = All();
  newer.min_mod = b;
  EXPECT_THAT(Keys(newer), ElementsAre("b", "c"));
  newer.max_mod = b;
  EXPECT_THAT(Keys(newer), ElementsAre("b"));
  newer.order = 3;
  EXPECT_EQ(store_->Range(newer).error().message, "etcdserver: invalid sort option");
}

TEST_F(StoreTest, ThePastIsReadUntilItIsCompacted) {
  const Revision first = Put("a", "1");
  const Revision second = Put("a", "2");
  EXPECT_EQ(Range({.key = "a", .revision = first}).entries.at(0).value.view(), "1");
  ASSERT_TRUE(base::SyncWait(store_->Compact(second)));
  EXPECT_EQ(store_->Range({.key = "a", .revision = first}).error().message,
            "etcdserver: mvcc: required revision has been compacted");
  EXPECT_EQ(store_->Range({.key = "a", .revision = second + 1}).error().message,
            "etcdserver: mvcc: required revision is a future revision");
  EXPECT_EQ(base::SyncWait(store_->Compact(second)).error().message, Compacted().message);
  EXPECT_EQ(base::SyncWait(store_->Compact(second + 1)).error().message, FutureRevision().message);
}

TEST_F(StoreTest, ATransactionTakesTheBranchThatItsComparesChoose) {
  const Revision made = Put("a", "1");
  const auto branch = [&](Compare compare) {
    TxnRequest request;
    request.compares.push_back(compare);
    return Run(std::move(request))->answer.succeeded;
  };
  using Target = Compare::Target;
  using Order = Compare::Result;
  const auto number = [](Target target, Order order, std::string_view key, int64_t value) {
    return Compare{.result = static_cast<int64_t>(order),
                   .target = static_cast<int64_t>(target),
                   .key = key,
                   .number = value};
  };
  EXPECT_TRUE(branch(number(Target::kMod, Order::kEqual, "a", made)));
  EXPECT_FALSE(branch(number(Target::kMod, Order::kGreater, "a", made)));
  EXPECT_TRUE(branch(number(Target::kCreate, Order::kLess, "a", made + 1)));
  EXPECT_TRUE(branch(number(Target::kVersion, Order::kNotEqual, "a", 7)));
  EXPECT_TRUE(branch(number(Target::kLease, Order::kEqual, "a", 0)));
  EXPECT_TRUE(branch(number(Target::kMod, Order::kEqual, "absent", 0)));
  const auto value = [](std::string_view key, std::string_view text) {
    return Compare{.target = static_cast<int64_t>(Target::kValue), .key = key, .value = text};
  };
  EXPECT_TRUE(branch(value("a", "1")));
  EXPECT_FALSE(branch(value("a", "2")));
  EXPECT_FALSE(branch(value("absent", "")));
}

TEST_F(StoreTest, LaterOperationsSeeWhatEarlierOnesWrote) {
  Put("a", "1");
  Put("b", "1");
  const Revision before = store_->revision();
  TxnRequest request;
  request.success.emplace_back(PutOf("c", "new"));
  request.success.emplace_back(DeleteRangeRequest{.key = "a"});
  request.success.emplace_back(RangeRequest{.key = "a", .range_end = "z"});
  const auto done = Run(std::move(request));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->revision, before + 1);
  const auto& seen = std::get<RangeAnswer>(done->answer.answers.at(2)).entries;
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].key, "b");
  EXPECT_EQ(seen[1].key, "c");
  EXPECT_EQ(seen[1].mod_revision, before + 1);
  EXPECT_THAT(Keys(All()), ElementsAre("b", "c"));
}

TEST_F(StoreTest, TransactionsMayHoldTransactions) {
  TxnRequest inner = OnlyDo(PutOf("a", "inner"));
  const auto done = Run(OnlyDo(std::move(inner)));
  ASSERT_TRUE(done);
  EXPECT_TRUE(std::get<TxnAnswer>(done->answer.answers.at(0)).succeeded);
  EXPECT_EQ(Range({.key = "a"}).entries.at(0).value.view(), "inner");
}

TEST_F(StoreTest, WhatIsRefusedChangesNothing) {
  const Revision before = store_->revision();
  TxnRequest twice = OnlyDo(PutOf("a", "1"));
  twice.success.emplace_back(PutOf("a", "2"));
  EXPECT_EQ(Refused(std::move(twice)), "etcdserver: duplicate key given in txn request");
  EXPECT_EQ(Refused(OnlyDo(PutOf("", "1"))), "etcdserver: key is not provided");
  EXPECT_EQ(Refused(OnlyDo(PutOf("a", "1", 99))), "etcdserver: requested lease not found");
  PutRequest keep = PutOf("a", "");
  keep.ignore_value = true;
  EXPECT_EQ(Refused(OnlyDo(keep)), "etcdserver: key not found");
  keep.value = base::Slice::Static("x");
  EXPECT_EQ(Refused(OnlyDo(keep)), "etcdserver: value is provided");
  TxnRequest many;
  for (int i = 0; i < 5; ++i) many.success.emplace_back(RangeRequest{.key = "a"});
  EXPECT_EQ(Refused(std::move(many)), "etcdserver: too many operations in txn request");
  EXPECT_EQ(store_->revision(), before);
}

TEST_F(StoreTest, PreviousStatesAreToldToThoseWhoAsk) {
  Put("a", "1");
  PutRequest put = PutOf("a", "2");
  put.prev_kv = true;
  const auto done = Run(OnlyDo(put));
  EXPECT_EQ(std::get<PutAnswer>(done->answer.answers.at(0)).previous->value.view(), "1");
  const auto gone = Run(OnlyDo(DeleteRangeRequest{.key = "a", .prev_kv = true}));
  const auto& answer = std::get<DeleteRangeAnswer>(gone->answer.answers.at(0));
  EXPECT_EQ(answer.deleted, 1);
  EXPECT_EQ(answer.previous.at(0).value.view(), "2");
}

TEST_F(StoreTest, TheKeysOfALeaseGoWithIt) {
  const LeaseId lease = base::SyncWait(store_->Grant(0, 10))->id;
  Put("a", "1", lease);
  Put("b", "1", lease);
  Put("b", "2");  // without the lease
  ASSERT_TRUE(base::SyncWait(store_->Revoke(lease)));
  EXPECT_THAT(Keys(All()), ElementsAre("b"));
  EXPECT_EQ(base::SyncWait(store_->Revoke(lease)).error().message, LeaseNotFound().message);
}

TEST_F(StoreTest, ALeaseOutlivesARestartWithItsKeys) {
  const LeaseId lease = base::SyncWait(store_->Grant(0, 10))->id;
  Put("a", "1", lease);
  clock_.Advance(std::chrono::seconds(9));
  Reopen();
  EXPECT_EQ(store_->leases().StateOf(lease).ttl, 10);
  EXPECT_EQ(Range({.key = "a"}).entries.at(0).lease, lease);
  clock_.Advance(std::chrono::seconds(10));
  base::SyncWait(Ended(*store_));
  EXPECT_THAT(Keys(All()), IsEmpty());
}

}  // namespace
}  // namespace keelson::etcd
