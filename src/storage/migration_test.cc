#include "storage/migration.h"

#include <gmock/gmock.h>

#include "base/sync_wait.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/backend_contract.h"

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
  EXPECT_EQ(Dump(*target_, ""), Dump(*source_, "/registry/"));
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
  EXPECT_EQ(Dump(*target_, ""), Dump(*source_, ""));
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
