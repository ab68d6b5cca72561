#include "storage/history_compactor.h"

#include <gtest/gtest.h>

#include "base/sync_wait.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/backend_contract.h"

namespace keelson::storage {
namespace {

using std::chrono::minutes;

class HistoryCompactorTest : public testing::Test {
 protected:
  Revision Tick() {
    auto result = base::SyncWait(compactor_.Tick());
    EXPECT_TRUE(result);
    return result ? *result : -1;
  }
  base::FakeClock clock_;
  std::unique_ptr<Backend> backend_ = OpenMemoryBackend();
  HistoryCompactor compactor_{*backend_, clock_};
};

TEST_F(HistoryCompactorTest, KeepsWhatIsYoungerThanTheRetention) {
  Put(*backend_, "a", "1");  // 2
  EXPECT_EQ(Tick(), 0);
  clock_.Advance(minutes(2));
  Put(*backend_, "a", "2");  // 3
  EXPECT_EQ(Tick(), 0);
  clock_.Advance(minutes(3));
  Put(*backend_, "a", "3");  // 4
  EXPECT_EQ(Tick(), 2);
  clock_.Advance(minutes(2));
  EXPECT_EQ(Tick(), 3);
  clock_.Advance(minutes(60));
  EXPECT_EQ(Tick(), 4);
  EXPECT_EQ(Tick(), 4);
}

TEST_F(HistoryCompactorTest, AnIdleStoreIsCompactedOnce) {
  Put(*backend_, "a", "1");
  Put(*backend_, "a", "2");
  for (int i = 0; i < 10; ++i) {
    Tick();
    clock_.Advance(minutes(1));
  }
  EXPECT_EQ(backend_->CompactedRevision(), 3);
  EXPECT_EQ(Dump(*backend_, ""), std::vector<std::string>{"a=2"});
}

TEST_F(HistoryCompactorTest, AnotherCompactorDoesNotDisturbIt) {
  Put(*backend_, "a", "1");
  Put(*backend_, "a", "2");
  Tick();
  ASSERT_TRUE(base::SyncWait(backend_->Compact(3)));
  clock_.Advance(minutes(6));
  EXPECT_EQ(Tick(), 3);
}

}  // namespace
}  // namespace keelson::storage
