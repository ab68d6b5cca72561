#include "storage/testing/backend_contract.h"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <thread>

#include "base/sync_wait.h"

namespace keelson::storage {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BackendContract);

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

void RecordingObserver::OnChanges(std::span<const Change> changes, Revision revision) {
  base::MutexLock lock(mu_);
  for (const Change& c : changes)
    changes_.push_back({c.type, std::string(c.key), std::string(c.value.view()), c.create_revision,
                        c.revision, c.lease, c.tag});
  EXPECT_GE(revision, revision_);
  revision_ = revision;
}

void RecordingObserver::OnBroken(const Error& error) { ADD_FAILURE() << "feed broke: " << error.detail; }

std::vector<SeenChange> RecordingObserver::changes() const {
  base::MutexLock lock(mu_);
  return changes_;
}

Revision RecordingObserver::revision() const {
  base::MutexLock lock(mu_);
  return revision_;
}

Txn PutTxn(std::string key, std::string_view value, LeaseId lease) {
  Txn txn;
  txn.writes.push_back({.key = std::move(key), .value = base::Slice::Copy(value), .lease = lease});
  return txn;
}

Txn DeleteTxn(std::string key) {
  Txn txn;
  txn.writes.push_back({.type = Write::Type::kDelete, .key = std::move(key)});
  return txn;
}

TxnResult MustCommit(Backend& backend, Txn txn) {
  auto result = base::SyncWait(backend.Commit(std::move(txn)));
  if (result) return std::move(*result);
  ADD_FAILURE() << "commit failed: " << result.error().detail;
  return {};
}

Revision Put(Backend& backend, std::string key, std::string_view value, LeaseId lease) {
  TxnResult result = MustCommit(backend, PutTxn(std::move(key), value, lease));
  EXPECT_TRUE(result.succeeded);
  return result.revision;
}

Revision Delete(Backend& backend, std::string key) {
  TxnResult result = MustCommit(backend, DeleteTxn(std::move(key)));
  EXPECT_TRUE(result.succeeded);
  return result.revision;
}

RangeResult MustRange(Backend& backend, std::string_view prefix, const RangeOptions& options) {
  auto result = backend.Range(prefix, PrefixEnd(prefix), options);
  if (result) return std::move(*result);
  ADD_FAILURE() << "range failed: " << result.error().detail;
  return {};
}

std::vector<std::string> Dump(Backend& backend, std::string_view prefix, Revision revision) {
  std::vector<std::string> out;
  for (const KeyValue& kv : MustRange(backend, prefix, {.revision = revision}).items)
    out.push_back(kv.key + "=" + std::string(kv.value.view()));
  return out;
}

namespace {

Result<void> MustCompact(Backend& backend, Revision revision) {
  return base::SyncWait(backend.Compact(revision));
}

LeaseId MustGrant(Backend& backend, std::chrono::seconds ttl) {
  auto lease = base::SyncWait(backend.GrantLease(ttl));
  EXPECT_TRUE(lease);
  return lease ? *lease : 0;
}

std::unique_ptr<Backend::Subscription> MustSubscribe(Backend& backend, std::string prefix, Revision after,
                                                     Observer& observer) {
  auto subscription = backend.Subscribe(std::move(prefix), after, observer);
  EXPECT_TRUE(subscription) << subscription.error().detail;
  return subscription ? std::move(*subscription) : nullptr;
}

std::vector<std::string> Summary(const std::vector<SeenChange>& changes) {
  std::vector<std::string> out;
  for (const SeenChange& c : changes) {
    out.push_back(std::to_string(c.revision) + (c.type == Write::Type::kDelete ? " -" : " +") + c.key +
                  (c.type == Write::Type::kDelete ? "" : "=" + c.value));
  }
  return out;
}

class IgnoringTag final : public WriteTag {
  void OnObject(const Object&) override {}
};

// What it is told of, as Dump shows it, with revisions.
class RecordingReceiver final : public Receiver {
 public:
  void StartOver() override { taken_.clear(); }
  void Expect(size_t count) override {
    EXPECT_GE(count, taken_.size());
    taken_.resize(count);
  }
  void Take(size_t position, const StoredView& stored) override {
    ASSERT_LT(position, taken_.size());
    EXPECT_THAT(taken_[position], IsEmpty());
    taken_[position] = std::string(stored.key) + "=" + std::string(stored.value) + " " +
                       std::to_string(stored.create_revision) + " " + std::to_string(stored.mod_revision);
  }
  const std::vector<std::string>& taken() const { return taken_; }

 private:
  std::vector<std::string> taken_;
};

std::vector<std::string> DumpWithRevisions(Backend& backend, std::string_view prefix, Revision revision) {
  std::vector<std::string> out;
  for (const KeyValue& kv : MustRange(backend, prefix, {.revision = revision}).items)
    out.push_back(kv.key + "=" + std::string(kv.value.view()) + " " + std::to_string(kv.create_revision) +
                  " " + std::to_string(kv.mod_revision));
  return out;
}

}  // namespace

// ---- Transactions

TEST_P(BackendContract, AnEmptyStoreIsAtRevisionOneAndHoldsNothing) {
  EXPECT_EQ(backend_->CurrentRevision(), 1);
  RangeResult all = MustRange(*backend_, "");
  EXPECT_EQ(all.revision, 1);
  EXPECT_THAT(all.items, IsEmpty());
  EXPECT_EQ(all.count, 0);
  EXPECT_FALSE(all.more);
  EXPECT_TRUE(backend_->Health());
}

TEST_P(BackendContract, EveryWritingTransactionGetsTheNextRevision) {
  EXPECT_EQ(Put(*backend_, "a", "1"), 2);
  EXPECT_EQ(Put(*backend_, "a", "2"), 3);
  EXPECT_EQ(Delete(*backend_, "a"), 4);
  EXPECT_EQ(backend_->CurrentRevision(), 4);
}

TEST_P(BackendContract, WritesOfOneTransactionShareARevision) {
  Txn txn;
  for (const char* key : {"c", "a", "b"})
    txn.writes.push_back({.key = key, .value = base::Slice::Static("v")});
  const Revision revision = MustCommit(*backend_, std::move(txn)).revision;
  RangeResult all = MustRange(*backend_, "");
  ASSERT_THAT(all.items, SizeIs(3));
  for (const KeyValue& kv : all.items) {
    EXPECT_EQ(kv.mod_revision, revision);
    EXPECT_EQ(kv.create_revision, revision);
  }
}

TEST_P(BackendContract, ComparingWithZeroHoldsOnlyWhenTheKeyIsAbsent) {
  Txn create = PutTxn("a", "first");
  create.compares.push_back({"a", 0});
  EXPECT_TRUE(MustCommit(*backend_, create).succeeded);

  const TxnResult again = MustCommit(*backend_, create);
  EXPECT_FALSE(again.succeeded);
  EXPECT_EQ(again.revision, 2);
  ASSERT_TRUE(again.current);
  EXPECT_EQ(again.current->key, "a");
  EXPECT_EQ(again.current->value.view(), "first");
  EXPECT_EQ(again.current->mod_revision, 2);
  EXPECT_EQ(again.current->create_revision, 2);

  Delete(*backend_, "a");
  EXPECT_TRUE(MustCommit(*backend_, create).succeeded);
}

TEST_P(BackendContract, ComparingWithARevisionHoldsOnlyForTheNewest) {
  const Revision first = Put(*backend_, "a", "1");
  const Revision second = Put(*backend_, "a", "2");
  Txn stale = PutTxn("a", "x");
  stale.compares.push_back({"a", first});
  const TxnResult refused = MustCommit(*backend_, stale);
  EXPECT_FALSE(refused.succeeded);
  EXPECT_EQ(refused.current->mod_revision, second);

  Txn fresh = PutTxn("a", "3");
  fresh.compares.push_back({"a", second});
  EXPECT_TRUE(MustCommit(*backend_, fresh).succeeded);

  Txn absent = PutTxn("b", "x");
  absent.compares.push_back({"b", 7});
  const TxnResult missing = MustCommit(*backend_, absent);
  EXPECT_FALSE(missing.succeeded);
  EXPECT_FALSE(missing.current);
}

TEST_P(BackendContract, ARefusedTransactionWritesNothing) {
  Put(*backend_, "a", "1");
  Txn txn = PutTxn("b", "x");
  txn.writes.push_back({.type = Write::Type::kDelete, .key = "a"});
  txn.compares = {{"b", 0}, {"a", 99}};
  const TxnResult refused = MustCommit(*backend_, std::move(txn));
  EXPECT_FALSE(refused.succeeded);
  ASSERT_TRUE(refused.current);
  EXPECT_EQ(refused.current->key, "a");
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1"));
  EXPECT_EQ(backend_->CurrentRevision(), 2);
}

TEST_P(BackendContract, DeletingWhatIsAbsentTakesNoRevision) {
  EXPECT_EQ(Delete(*backend_, "a"), 1);
  Put(*backend_, "a", "1");
  Delete(*backend_, "a");
  EXPECT_EQ(Delete(*backend_, "a"), 3);
  EXPECT_EQ(backend_->CurrentRevision(), 3);
}

TEST_P(BackendContract, WritingAKeyTwiceInOneTransactionIsRefused) {
  Txn txn = PutTxn("a", "1");
  txn.writes.push_back({.key = "a", .value = base::Slice::Static("2")});
  auto result = base::SyncWait(backend_->Commit(std::move(txn)));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kInvalidOption);
  EXPECT_EQ(backend_->CurrentRevision(), 1);
}

TEST_P(BackendContract, AnUpdateKeepsTheCreateRevisionAndARecreationDoesNot) {
  Put(*backend_, "a", "1");
  Put(*backend_, "a", "2");
  auto updated = backend_->Get("a", 0);
  ASSERT_TRUE(updated && *updated);
  EXPECT_EQ((*updated)->create_revision, 2);
  EXPECT_EQ((*updated)->mod_revision, 3);

  Delete(*backend_, "a");
  Put(*backend_, "a", "3");
  auto recreated = backend_->Get("a", 0);
  ASSERT_TRUE(recreated && *recreated);
  EXPECT_EQ((*recreated)->create_revision, 5);
}

TEST_P(BackendContract, KeysAndValuesMayHoldAnyByte) {
  const std::string key("k\0\xff/\0", 5);
  const std::string value("\0\xff\0v", 4);
  Put(*backend_, key, value);
  Put(*backend_, "k", "");
  auto got = backend_->Get(key, 0);
  ASSERT_TRUE(got && *got);
  EXPECT_EQ((*got)->value.view(), value);
  EXPECT_THAT(MustRange(*backend_, "k").items, SizeIs(2));
}

// ---- Reading

TEST_P(BackendContract, ARangeIsOrderedAndEndsBeforeItsEnd) {
  for (const char* key : {"b", "a/2", "a", "a/1", "a0", "c"}) Put(*backend_, key, "v");
  EXPECT_THAT(Dump(*backend_, "a/"), ElementsAre("a/1=v", "a/2=v"));
  auto range = backend_->Range("a/2", "b", {});
  ASSERT_TRUE(range);
  ASSERT_THAT(range->items, SizeIs(2));
  EXPECT_EQ(range->items[0].key, "a/2");
  EXPECT_EQ(range->items[1].key, "a0");
  auto backwards = backend_->Range("c", "a", {});
  ASSERT_TRUE(backwards);
  EXPECT_THAT(backwards->items, IsEmpty());
  auto to_the_end = backend_->Range("a0", "", {});
  ASSERT_TRUE(to_the_end);
  EXPECT_EQ(to_the_end->count, 3);
}

TEST_P(BackendContract, ALimitedRangeSaysThatThereIsMoreAndCountsAll) {
  for (int i = 0; i < 10; ++i) Put(*backend_, "k/" + std::to_string(i), "v");
  Put(*backend_, "l", "outside");
  RangeResult page = MustRange(*backend_, "k/", {.limit = 4});
  EXPECT_THAT(page.items, SizeIs(4));
  EXPECT_TRUE(page.more);
  EXPECT_EQ(page.count, 10);
  EXPECT_EQ(page.revision, 12);

  RangeResult uncounted = MustRange(*backend_, "k/", {.limit = 4, .counted = false});
  EXPECT_THAT(uncounted.items, SizeIs(4));
  EXPECT_TRUE(uncounted.more);

  RangeResult exact = MustRange(*backend_, "k/", {.limit = 10});
  EXPECT_THAT(exact.items, SizeIs(10));
  EXPECT_FALSE(exact.more);
}

TEST_P(BackendContract, ARangeOfKeysOnlyLeavesValuesOut) {
  Put(*backend_, "a", "value");
  RangeResult keys = MustRange(*backend_, "a", {.keys_only = true});
  ASSERT_THAT(keys.items, SizeIs(1));
  EXPECT_TRUE(keys.items[0].value.empty());
  EXPECT_EQ(keys.items[0].mod_revision, 2);
}

TEST_P(BackendContract, ARangeAtAnOldRevisionShowsThatTime) {
  Put(*backend_, "a", "1");  // 2
  Put(*backend_, "b", "1");  // 3
  Put(*backend_, "a", "2");  // 4
  Delete(*backend_, "b");    // 5
  Put(*backend_, "c", "1");  // 6
  Put(*backend_, "b", "2");  // 7
  EXPECT_THAT(Dump(*backend_, "", 1), IsEmpty());
  EXPECT_THAT(Dump(*backend_, "", 2), ElementsAre("a=1"));
  EXPECT_THAT(Dump(*backend_, "", 3), ElementsAre("a=1", "b=1"));
  EXPECT_THAT(Dump(*backend_, "", 4), ElementsAre("a=2", "b=1"));
  EXPECT_THAT(Dump(*backend_, "", 5), ElementsAre("a=2"));
  EXPECT_THAT(Dump(*backend_, "", 6), ElementsAre("a=2", "c=1"));
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=2", "b=2", "c=1"));
  RangeResult old = MustRange(*backend_, "", {.revision = 3, .limit = 1});
  EXPECT_EQ(old.count, 2);
  EXPECT_EQ(old.revision, 7);

  auto then = backend_->Get("b", 4);
  ASSERT_TRUE(then && *then);
  EXPECT_EQ((*then)->mod_revision, 3);
  auto deleted = backend_->Get("b", 6);
  ASSERT_TRUE(deleted);
  EXPECT_FALSE(*deleted);
}

TEST_P(BackendContract, ReadingAllTellsOfEveryKeyBelowThePrefixOnce) {
  RecordingReceiver nothing;
  EXPECT_EQ(backend_->ReadAll("k/", nothing, 3), 1);
  EXPECT_THAT(nothing.taken(), IsEmpty());

  // Written in another order than that of the keys, changed, deleted, several at a time.
  for (int i = 0; i < 40; ++i) Put(*backend_, "k/" + std::to_string(i * 17 % 40), std::to_string(i));
  for (int i = 0; i < 40; i += 3) Put(*backend_, "k/" + std::to_string(i), "again");
  for (int i = 0; i < 40; i += 5) Delete(*backend_, "k/" + std::to_string(i));
  Txn several;
  for (const char* key : {"k/7", "j/7", "k/70", "l/7", "k/5"})
    several.writes.push_back({.key = key, .value = base::Slice::Static("together")});
  MustCommit(*backend_, std::move(several));
  Put(*backend_, "k/70", "");

  for (size_t page : {1, 3, 1000}) {
    RecordingReceiver all, paged;
    EXPECT_EQ(backend_->ReadAll("k/", all, page), backend_->CurrentRevision());
    EXPECT_EQ(all.taken(), DumpWithRevisions(*backend_, "k/", 0));
    EXPECT_EQ(backend_->Backend::ReadAll("k/", paged, page), backend_->CurrentRevision());
    EXPECT_EQ(paged.taken(), all.taken());
  }
}

TEST_P(BackendContract, ReadingAllWhileOthersWriteIsAsOfOneRevision) {
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      Put(*backend_, "k/" + std::to_string(i % 50), std::to_string(i));
      if (i % 7 == 0) Delete(*backend_, "k/" + std::to_string(i % 50));
    }
  });
  for (int round = 0; round < 20; ++round) {
    RecordingReceiver all;
    auto revision = backend_->ReadAll("k/", all, 1000);
    ASSERT_TRUE(revision);
    EXPECT_EQ(all.taken(), DumpWithRevisions(*backend_, "k/", *revision));
  }
  stop = true;
  writer.join();
}

TEST_P(BackendContract, AFutureRevisionIsTooLarge) {
  Put(*backend_, "a", "1");
  EXPECT_EQ(backend_->Range("", "", {.revision = 3}).error().code, Code::kTooLarge);
  EXPECT_EQ(backend_->Get("a", 3).error().code, Code::kTooLarge);
  EXPECT_EQ(MustCompact(*backend_, 3).error().code, Code::kTooLarge);
  RecordingObserver observer;
  EXPECT_EQ(backend_->Subscribe("", 3, observer).error().code, Code::kTooLarge);
}

TEST_P(BackendContract, AfterAJumpNothingOfBeforeCanBeFollowed) {
  Put(*backend_, "a", "1");
  constexpr Revision kFar = 1'700'000'000'000'000;
  if (auto jumped = base::SyncWait(backend_->Jump(kFar)); !jumped) {
    EXPECT_EQ(jumped.error().code, Code::kInvalidOption) << jumped.error().detail;
    GTEST_SKIP() << "counts by itself";
  }
  EXPECT_EQ(backend_->CurrentRevision(), kFar);
  EXPECT_EQ(backend_->CompactedRevision(), kFar);
  EXPECT_THAT(Dump(*backend_, "a"), ElementsAre("a=1"));
  RecordingObserver observer;
  EXPECT_EQ(backend_->Subscribe("", 2, observer).error().code, Code::kExpired);
  EXPECT_EQ(backend_->Subscribe("", kFar - 2, observer).error().code, Code::kExpired);
  EXPECT_EQ(Put(*backend_, "a", "2"), kFar + 1);
  EXPECT_TRUE(base::SyncWait(backend_->Jump(kFar - 1)));
  EXPECT_EQ(backend_->CurrentRevision(), kFar + 1);
}

// ---- Compaction

TEST_P(BackendContract, CompactionForgetsHistoryAndKeepsTheNewestState) {
  Put(*backend_, "a", "1");  // 2
  Put(*backend_, "b", "1");  // 3
  Delete(*backend_, "b");    // 4
  Put(*backend_, "a", "2");  // 5
  Put(*backend_, "c", "1");  // 6
  ASSERT_TRUE(MustCompact(*backend_, 5));
  EXPECT_EQ(backend_->CompactedRevision(), 5);
  EXPECT_EQ(backend_->Range("", "", {.revision = 4}).error().code, Code::kExpired);
  EXPECT_EQ(backend_->Get("a", 4).error().code, Code::kExpired);
  EXPECT_THAT(Dump(*backend_, "", 5), ElementsAre("a=2"));
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=2", "c=1"));
  EXPECT_EQ(backend_->CurrentRevision(), 6);
}

TEST_P(BackendContract, CompactingTwiceToTheSameRevisionIsExpired) {
  Put(*backend_, "a", "1");
  ASSERT_TRUE(MustCompact(*backend_, 2));
  EXPECT_EQ(MustCompact(*backend_, 2).error().code, Code::kExpired);
}

TEST_P(BackendContract, TheEventAtTheCompactedRevisionCanStillBeWatched) {
  Put(*backend_, "a", "1");  // 2
  Put(*backend_, "b", "1");  // 3
  Delete(*backend_, "a");    // 4
  Put(*backend_, "b", "2");  // 5
  ASSERT_TRUE(MustCompact(*backend_, 4));
  RecordingObserver observer;
  auto feed = MustSubscribe(*backend_, "", 3, observer);
  EXPECT_THAT(Summary(observer.changes()), ElementsAre("4 -a", "5 +b=2"));
  RecordingObserver late;
  EXPECT_EQ(backend_->Subscribe("", 2, late).error().code, Code::kExpired);
  EXPECT_THAT(late.changes(), IsEmpty());
}

// Recreating keys around several compactions is where links between versions can go wrong.
TEST_P(BackendContract, StateStaysRightThroughManyCompactions) {
  std::vector<std::vector<std::string>> expected(2);  // by revision; 0 and 1 are empty
  uint32_t random = 12345;
  std::map<std::string, std::string> model;
  while (expected.size() < 400) {
    random = random * 1664525 + 1013904223;
    const std::string key = "k" + std::to_string((random >> 8) % 7);
    if ((random >> 16) % 3 == 0 && model.contains(key)) {
      Delete(*backend_, key);
      model.erase(key);
    } else {
      model[key] = std::to_string(random);
      Put(*backend_, key, model[key]);
    }
    auto& now = expected.emplace_back();
    for (const auto& [k, v] : model) now.push_back(k + "=" + v);
    if (expected.size() % 50 == 0) {
      const Revision compacted = backend_->CurrentRevision() - 20;
      ASSERT_TRUE(MustCompact(*backend_, compacted));
      for (Revision r = compacted; r <= backend_->CurrentRevision(); ++r)
        ASSERT_EQ(Dump(*backend_, "", r), expected[r]) << "at " << r;
    }
  }
}

// ---- Subscriptions

TEST_P(BackendContract, ASubscriptionTellsHistoryThenWhatHappens) {
  Put(*backend_, "p/a", "1");  // 2
  Put(*backend_, "q/a", "1");  // 3
  Put(*backend_, "p/a", "2");  // 4
  Delete(*backend_, "p/a");    // 5
  RecordingObserver observer;
  auto feed = MustSubscribe(*backend_, "p/", 2, observer);
  EXPECT_THAT(Summary(observer.changes()), ElementsAre("4 +p/a=2", "5 -p/a"));
  EXPECT_EQ(observer.revision(), 5);
  Put(*backend_, "p/b", "1");
  Put(*backend_, "q/b", "1");
  Put(*backend_, "p", "1");
  EXPECT_THAT(Summary(observer.changes()), ElementsAre("4 +p/a=2", "5 -p/a", "6 +p/b=1"));
}

TEST_P(BackendContract, ASubscriptionKnowsItsRevisionWhenNothingConcernsIt) {
  Put(*backend_, "a", "1");
  RecordingObserver observer;
  auto feed = MustSubscribe(*backend_, "z/", 1, observer);
  EXPECT_THAT(observer.changes(), IsEmpty());
  EXPECT_EQ(observer.revision(), 2);
}

TEST_P(BackendContract, ChangesCarryRevisionsLeaseAndTag) {
  const LeaseId lease = MustGrant(*backend_, std::chrono::hours(1));
  RecordingObserver observer;
  auto feed = MustSubscribe(*backend_, "", 1, observer);
  auto tag = std::make_shared<IgnoringTag>();
  Txn txn = PutTxn("a", "1", lease);
  txn.writes[0].tag = tag;
  MustCommit(*backend_, txn);
  Put(*backend_, "a", "2");
  const SeenChange first{Write::Type::kPut, "a", "1", 2, 2, lease, tag.get()};
  const SeenChange second{Write::Type::kPut, "a", "2", 2, 3, 0, nullptr};
  EXPECT_THAT(observer.changes(), ElementsAre(first, second));

  RecordingObserver later;
  auto replay = MustSubscribe(*backend_, "", 1, later);
  SeenChange replayed = first;
  replayed.tag = nullptr;
  EXPECT_THAT(later.changes(), ElementsAre(replayed, second));
}

TEST_P(BackendContract, NestedAndEqualPrefixesAllHear) {
  RecordingObserver all, pods, pods_too, ns, other;
  std::vector<std::unique_ptr<Backend::Subscription>> feeds;
  feeds.push_back(MustSubscribe(*backend_, "/pods/ns/", 1, ns));
  feeds.push_back(MustSubscribe(*backend_, "", 1, all));
  feeds.push_back(MustSubscribe(*backend_, "/pods/", 1, pods));
  feeds.push_back(MustSubscribe(*backend_, "/pods/", 1, pods_too));
  feeds.push_back(MustSubscribe(*backend_, "/pods/nt/", 1, other));
  Put(*backend_, "/pods/ns/a", "1");
  Put(*backend_, "/pods/nz/a", "1");
  EXPECT_THAT(all.changes(), SizeIs(2));
  EXPECT_THAT(pods.changes(), SizeIs(2));
  EXPECT_THAT(pods_too.changes(), SizeIs(2));
  EXPECT_THAT(ns.changes(), SizeIs(1));
  EXPECT_THAT(other.changes(), IsEmpty());
}

TEST_P(BackendContract, ADestroyedSubscriptionHearsNothingMore) {
  RecordingObserver observer;
  auto feed = MustSubscribe(*backend_, "", 1, observer);
  Put(*backend_, "a", "1");
  feed.reset();
  Put(*backend_, "a", "2");
  EXPECT_THAT(observer.changes(), SizeIs(1));
}

TEST_P(BackendContract, ObserversHearOfAWriteBeforeItsWriter) {
  RecordingObserver observer;
  auto feed = MustSubscribe(*backend_, "", 1, observer);
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 25; ++i) {
        const Revision revision = Put(*backend_, "k" + std::to_string(w), std::to_string(i));
        EXPECT_GE(observer.revision(), revision);
        EXPECT_GE(backend_->CurrentRevision(), revision);
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_THAT(observer.changes(), SizeIs(100));
}

// The writes are bounded: each new observer is told all of them, and a history that grows faster
// than a backend tells it would make the next one take longer still, without end.
TEST_P(BackendContract, SubscribingWhileWritersRunMissesAndRepeatsNothing) {
  constexpr int kWritesEach = 250;
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < kWritesEach && !stop; ++i)
        Put(*backend_, "k/" + std::to_string(w), std::to_string(i));
    });
  }
  std::vector<std::unique_ptr<RecordingObserver>> observers;
  std::vector<std::unique_ptr<Backend::Subscription>> feeds;
  while (observers.size() < 20 || backend_->CurrentRevision() < 200) {
    observers.push_back(std::make_unique<RecordingObserver>());
    feeds.push_back(MustSubscribe(*backend_, "k/", 1, *observers.back()));
  }
  stop = true;
  for (auto& writer : writers) writer.join();
  for (const auto& observer : observers) {
    const auto changes = observer->changes();
    ASSERT_EQ(static_cast<Revision>(changes.size()) + 1, backend_->CurrentRevision());
    for (size_t i = 0; i < changes.size(); ++i) ASSERT_EQ(changes[i].revision, static_cast<Revision>(i + 2));
  }
}

TEST_P(BackendContract, AReadAtTheCurrentRevisionAndAFeedAfterItJoinWithoutAGap) {
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) Put(*backend_, "k/" + std::to_string(i % 50), std::to_string(i));
  });
  for (int round = 0; round < 20; ++round) {
    RangeResult list = MustRange(*backend_, "k/");
    std::map<std::string, std::string> state;
    for (const KeyValue& kv : list.items) {
      EXPECT_LE(kv.mod_revision, list.revision);
      state[kv.key] = kv.value.view();
    }
    RecordingObserver observer;
    auto feed = MustSubscribe(*backend_, "k/", list.revision, observer);
    feed.reset();
    for (const SeenChange& change : observer.changes()) state[change.key] = change.value;
    std::map<std::string, std::string> expected;
    for (const KeyValue& kv : MustRange(*backend_, "k/", {.revision = observer.revision()}).items)
      expected[kv.key] = kv.value.view();
    EXPECT_EQ(state, expected);
  }
  stop = true;
  writer.join();
}

// ---- Concurrency

TEST_P(BackendContract, CountersIncrementedByManyWritersLoseNothing) {
  constexpr int kWriters = 8, kIncrements = 40;
  Put(*backend_, "counter", "0");
  std::latch start(kWriters);
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&] {
      start.arrive_and_wait();
      auto now = backend_->Get("counter", 0);
      ASSERT_TRUE(now && *now);
      KeyValue current = **now;
      for (int done = 0; done < kIncrements;) {
        const int value = std::stoi(std::string(current.value.view()));
        Txn txn = PutTxn("counter", std::to_string(value + 1));
        txn.compares.push_back({"counter", current.mod_revision});
        TxnResult result = MustCommit(*backend_, txn);
        if (result.succeeded) {
          ++done;
          current.value = txn.writes[0].value;
          current.mod_revision = result.revision;
        } else {
          ASSERT_TRUE(result.current);
          EXPECT_GT(result.current->mod_revision, current.mod_revision);
          current = *result.current;
        }
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_THAT(Dump(*backend_, "counter"), ElementsAre("counter=" + std::to_string(kWriters * kIncrements)));
  EXPECT_EQ(backend_->CurrentRevision(), 2 + kWriters * kIncrements);
}

TEST_P(BackendContract, ReadersSeeWholeTransactionsWhileCompactionRuns) {
  std::atomic<bool> stop{false};
  auto pair = [](int i) {
    Txn txn = PutTxn("a", std::to_string(i));
    txn.writes.push_back({.key = "b", .value = txn.writes[0].value});
    return txn;
  };
  MustCommit(*backend_, pair(0));
  std::thread writer([&] {
    for (int i = 1; !stop; ++i) {
      const Revision revision = MustCommit(*backend_, pair(i)).revision;
      if (i % 10 == 0) {
        EXPECT_TRUE(MustCompact(*backend_, revision));
      }
    }
  });
  for (int i = 0; i < 200; ++i) {
    RangeResult both = MustRange(*backend_, "");
    ASSERT_THAT(both.items, SizeIs(2));
    EXPECT_EQ(both.items[0].value.view(), both.items[1].value.view());
    EXPECT_EQ(both.items[0].mod_revision, both.items[1].mod_revision);
  }
  stop = true;
  writer.join();
}

// ---- Leases

TEST_P(BackendContract, KeysGoWhenTheirLeaseEnds) {
  const LeaseId lease = MustGrant(*backend_, std::chrono::seconds(10));
  EXPECT_NE(lease, 0);
  Put(*backend_, "a", "1", lease);  // 2
  Put(*backend_, "b", "1", lease);  // 3
  Put(*backend_, "c", "1");         // 4
  auto kept = backend_->Get("a", 0);
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ((*kept)->lease, lease);
  RecordingObserver observer;
  auto feed = MustSubscribe(*backend_, "", 4, observer);

  clock_.Advance(std::chrono::seconds(9));
  Put(*backend_, "d", "1");  // 5: any work makes the store look at the clock
  EXPECT_THAT(Dump(*backend_, ""), SizeIs(4));

  clock_.Advance(std::chrono::seconds(1));
  Put(*backend_, "e", "1");
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("c=1", "d=1", "e=1"));
  EXPECT_THAT(Summary(observer.changes()), ElementsAre("5 +d=1", "6 -a", "6 -b", "7 +e=1"));
}

TEST_P(BackendContract, AKeyFollowsItsNewestLease) {
  const LeaseId brief = MustGrant(*backend_, std::chrono::seconds(10));
  const LeaseId lasting = MustGrant(*backend_, std::chrono::seconds(100));
  EXPECT_NE(brief, lasting);
  for (const char* key : {"detached", "moved", "deleted"}) Put(*backend_, key, "1", brief);
  Put(*backend_, "detached", "2");
  Put(*backend_, "moved", "2", lasting);
  Delete(*backend_, "deleted");
  Put(*backend_, "deleted", "2");
  clock_.Advance(std::chrono::seconds(11));
  Put(*backend_, "x", "1");
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("deleted=2", "detached=2", "moved=2", "x=1"));
  clock_.Advance(std::chrono::seconds(100));
  Put(*backend_, "x", "2");
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("deleted=2", "detached=2", "x=2"));
}

TEST_P(BackendContract, AnEndedLeaseTakesNoKeys) {
  const LeaseId lease = MustGrant(*backend_, std::chrono::seconds(10));
  clock_.Advance(std::chrono::seconds(10));
  auto refused = base::SyncWait(backend_->Commit(PutTxn("a", "1", lease)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kNotFound);
  EXPECT_THAT(Dump(*backend_, ""), IsEmpty());
}

TEST_P(BackendContract, ALeaseWithManyKeysEndsInSeveralTransactions) {
  const LeaseId lease = MustGrant(*backend_, std::chrono::seconds(10));
  Txn txn;
  for (int i = 0; i < 1000; ++i)
    txn.writes.push_back({.key = "k" + std::to_string(i), .value = base::Slice::Static("v"), .lease = lease});
  MustCommit(*backend_, std::move(txn));
  clock_.Advance(std::chrono::seconds(11));
  Put(*backend_, "x", "1");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (MustRange(*backend_, "k", {.limit = 1}).count != 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("x=1"));
}

}  // namespace keelson::storage
