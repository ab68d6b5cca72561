#include "storage/migration.h"

#include <gmock/gmock.h>

#include "base/sync_wait.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/backend_contract.h"
#include "storage/testing/forwarding_backend.h"

namespace keelson::storage {
namespace {

using testing::ElementsAre;

class MigrationTest : public testing::Test {
 protected:
  void Fill(int keys) {
    for (int i = 0; i < keys; ++i)
      Put(*source_, "/registry/pods/ns/p" + std::to_string(i), "v" + std::to_string(i));
  }
  std::unique_ptr<Backend> source_ = OpenMemoryBackend(), target_ = OpenMemoryBackend();
};

TEST_F(MigrationTest, EverythingBelowThePrefixIsCopied) {
  Fill(1234);
  Put(*source_, "compact_rev_key", "7");
  Put(*source_, "/registry/big", std::string(600 << 10, 'x'));
  int64_t last = 0;
  auto done = Migrate(*source_, *target_, {.progress = [&](const MigrationProgress& p) { last = p.total; }});
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(done->written, 1235);
  EXPECT_EQ(last, 1235);
  EXPECT_EQ(Dump(*target_, "/"), Dump(*source_, "/registry/"));
}

TEST_F(MigrationTest, ATargetThatHoldsSomethingIsRefused) {
  Fill(1);
  Put(*target_, "/registry/pods/ns/other", "mine");
  auto refused = Migrate(*source_, *target_, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kExists);
  EXPECT_THAT(Dump(*target_, ""), ElementsAre("/registry/pods/ns/other=mine"));
}

TEST_F(MigrationTest, AnInterruptedOneGoesOnAndWritesOnlyWhatIsMissing) {
  Fill(700);
  ASSERT_TRUE(Migrate(*source_, *target_, {}));
  Delete(*target_, "/registry/pods/ns/p7");
  Put(*target_, "/registry/pods/ns/p600", "half");
  auto resumed = Migrate(*source_, *target_, {.resume = true});
  ASSERT_TRUE(resumed) << resumed.error().detail;
  EXPECT_EQ(resumed->written, 2);
  EXPECT_EQ(Dump(*target_, "/"), Dump(*source_, "/"));
}

TEST_F(MigrationTest, WhatOnlyTheTargetHasIsNamedAndKept) {
  Fill(3);
  ASSERT_TRUE(Migrate(*source_, *target_, {}));
  for (const char* key : {"/registry/a", "/registry/pods/ns/p1a", "/registry/z"}) {
    Put(*target_, key, "mine");
    auto refused = Migrate(*source_, *target_, {.resume = true});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().key, key);
    EXPECT_TRUE(*target_->Get(key, 0));
    Delete(*target_, key);
  }
}

// Counts by itself, as etcd does.
class CountingBackend final : public ForwardingBackend {
 public:
  base::Task<Result<void>> Jump(Revision revision) override { return Backend::Jump(revision); }

 private:
  Backend& inner() const override { return *real_; }

  std::unique_ptr<Backend> real_ = OpenMemoryBackend();
};

TEST_F(MigrationTest, TheTargetBeginsBeyondTheSourceAndKnowsNothingOfBefore) {
  Fill(10);
  for (int i = 0; i < 5000; ++i) Put(*source_, "/registry/pods/ns/p0", "v" + std::to_string(i));
  const Revision seen = source_->CurrentRevision();
  auto done = Migrate(*source_, *target_, {});
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(done->source_revision, seen);
  EXPECT_GT(done->target_revision, seen);
  for (const KeyValue& kv : MustRange(*target_, "/registry/").items) EXPECT_GT(kv.create_revision, seen);
  // Whoever follows the source is told that its version is gone, whichever it is.
  EXPECT_EQ(target_->CompactedRevision(), target_->CurrentRevision());
  RecordingObserver observer;
  EXPECT_EQ(target_->Subscribe("/registry/", seen, observer).error().code, Code::kExpired);
  EXPECT_EQ(target_->Subscribe("/registry/", 2, observer).error().code, Code::kExpired);
}

TEST_F(MigrationTest, ATargetThatCannotJumpIsRaisedByWriting) {
  target_ = std::make_unique<CountingBackend>();
  Fill(10);
  for (int i = 0; i < 5000; ++i) Put(*source_, "/registry/pods/ns/p0", "v" + std::to_string(i));
  const Revision seen = source_->CurrentRevision();
  Revision to_raise = 0;
  const auto progress = [&](const MigrationProgress& p) { to_raise = std::max(to_raise, p.to_raise); };
  auto done = Migrate(*source_, *target_, {.progress = progress});
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(to_raise, seen);  // from 1 to beyond it
  EXPECT_GT(done->target_revision, seen);
  for (const KeyValue& kv : MustRange(*target_, "").items) EXPECT_GT(kv.create_revision, seen) << kv.key;
  EXPECT_EQ(target_->CompactedRevision(), target_->CurrentRevision());
}

TEST_F(MigrationTest, ATargetThatIsTooFarBehindIsLeftThereAndThatIsSaid) {
  target_ = std::make_unique<CountingBackend>();
  Fill(10);
  ASSERT_TRUE(base::SyncWait(source_->Jump(1'000'000'000)));
  auto done = Migrate(*source_, *target_, {});
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(done->source_revision, 1'000'000'000);
  EXPECT_LT(done->target_revision, 100);
}

class ExpiringMigrationTest : public testing::Test {
 protected:
  // Two leases, of which the first ends after 10 s.
  void SetUp() override {
    auto soon = base::SyncWait(source_->GrantLease(std::chrono::seconds(10)));
    auto later = base::SyncWait(source_->GrantLease(std::chrono::hours(10)));
    ASSERT_TRUE(soon && later);
    Put(*source_, "/registry/events/ns/a", "1", *soon);
    Put(*source_, "/registry/events/ns/b", "1", *later);
    Put(*source_, "/registry/events/ns/c", "1", *soon);
    Put(*source_, "/registry/pods/ns/p", "1");
  }
  void PassTime(std::chrono::seconds by) {
    clock_.Advance(by);
    Put(*source_, "other", "");  // leases end before the next commit
    Put(*target_, "other", "");
  }

  base::FakeClock clock_;
  std::unique_ptr<Backend> source_ = OpenMemoryBackend({.clock = &clock_});
  std::unique_ptr<Backend> target_ = OpenMemoryBackend({.clock = &clock_});
};

TEST_F(ExpiringMigrationTest, ALeaseOfTheSourceMayEndWhileItIsCopied) {
  auto done = Migrate(*source_, *target_, {.progress = [&](const MigrationProgress& p) {
    if (!p.verifying) PassTime(std::chrono::seconds(11));
  }});
  ASSERT_TRUE(done) << done.error().detail << done.error().key;
  EXPECT_THAT(Dump(*target_, "/"), ElementsAre("/registry/events/ns/b=1", "/registry/pods/ns/p=1"));
}

TEST_F(ExpiringMigrationTest, ALeaseOfTheTargetMayEndWhileItIsVerified) {
  bool once = false;
  auto done = Migrate(
      *source_, *target_,
      {.lease_ttl = std::chrono::seconds(5), .clock = &clock_, .progress = [&](const MigrationProgress& p) {
         if (!p.verifying && !std::exchange(once, true)) PassTime(std::chrono::seconds(6));
       }});
  ASSERT_TRUE(done) << done.error().detail << done.error().key;
  EXPECT_EQ(Dump(*target_, "/"), Dump(*source_, "/"));
}

TEST_F(ExpiringMigrationTest, AnInterruptedOneGoesOnAfterALeaseHasEnded) {
  ASSERT_TRUE(Migrate(*source_, *target_, {}));
  PassTime(std::chrono::seconds(11));
  auto resumed = Migrate(*source_, *target_, {.resume = true});
  ASSERT_TRUE(resumed) << resumed.error().detail << resumed.error().key;
  EXPECT_EQ(Dump(*target_, "/"), Dump(*source_, "/"));
  Put(*target_, "/registry/events/ns/mine", "1");
  EXPECT_EQ(Migrate(*source_, *target_, {.resume = true}).error().code, Code::kExists);
}

TEST_F(MigrationTest, KeysWithALeaseGetOneInTheTarget) {
  auto lease = base::SyncWait(source_->GrantLease(std::chrono::hours(1)));
  Put(*source_, "/registry/events/ns/e", "1", *lease);
  Put(*source_, "/registry/pods/ns/p", "1");
  ASSERT_TRUE(Migrate(*source_, *target_, {}));
  EXPECT_NE((*target_->Get("/registry/events/ns/e", 0))->lease, 0);
  EXPECT_EQ((*target_->Get("/registry/pods/ns/p", 0))->lease, 0);
}

}  // namespace
}  // namespace keelson::storage
