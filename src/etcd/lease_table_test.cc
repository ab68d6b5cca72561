#include "etcd/lease_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::etcd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LeaseTableTest : public testing::Test {
 protected:
  base::FakeClock clock_;
  LeaseTable leases_{clock_};
};

TEST_F(LeaseTableTest, ALeaseEndsWhenItsTimeIsOverUnlessItIsKeptAlive) {
  const LeaseId id = leases_.Grant(0, 10)->id;
  EXPECT_EQ(leases_.Ended(), std::nullopt);
  clock_.Advance(std::chrono::seconds(6));
  EXPECT_EQ(leases_.StateOf(id).ttl, 4);
  EXPECT_EQ(leases_.KeepAlive(id).ttl, 10);
  clock_.Advance(std::chrono::seconds(6));
  EXPECT_EQ(leases_.Ended(), std::nullopt);
  clock_.Advance(std::chrono::seconds(4));
  EXPECT_EQ(leases_.Ended(), id);
  leases_.Remove(id);
  EXPECT_EQ(leases_.KeepAlive(id).ttl, 0);
  EXPECT_EQ(leases_.StateOf(id).ttl, -1);
}

TEST_F(LeaseTableTest, AnIdIsTheClientsOrAny) {
  EXPECT_EQ(leases_.Grant(7, 10)->id, 7);
  EXPECT_EQ(leases_.Grant(7, 10).error().message, "etcdserver: lease already exists");
  EXPECT_NE(leases_.Grant(0, 10)->id, 0);
  EXPECT_EQ(leases_.Grant(0, 9'000'000'001).error().message, "etcdserver: too large lease TTL");
  EXPECT_EQ(leases_.Grant(0, 0)->ttl, 1);
  EXPECT_EQ(leases_.All().size(), 3U);
}

TEST_F(LeaseTableTest, KeysComeAndGo) {
  ASSERT_TRUE(leases_.Grant(7, 10));
  leases_.Attach(7, "b");
  leases_.Attach(7, "a");
  leases_.Attach(8, "nobody's");
  EXPECT_THAT(leases_.KeysOf(7), ElementsAre("a", "b"));
  leases_.Detach(7, "a");
  EXPECT_THAT(leases_.StateOf(7).keys, ElementsAre("b"));
  EXPECT_THAT(leases_.KeysOf(8), IsEmpty());
}

TEST_F(LeaseTableTest, ALeaseThatIsFoundAgainHasItsWholeTime) {
  leases_.Restore(7, 30, "a");
  clock_.Advance(std::chrono::seconds(20));
  leases_.Restore(7, 30, "b");
  EXPECT_EQ(leases_.StateOf(7).ttl, 10);
  EXPECT_THAT(leases_.KeysOf(7), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace keelson::etcd
