#include "controllers/leader_election.h"

#include <gtest/gtest.h>

#include "api/generated/coordination_v1.h"
#include "client/testing/fake_client.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;

class LeaderElectionTest : public ::testing::Test {
 protected:
  struct Candidate {
    Candidate(LeaderElectionTest& test, std::string identity)
        : election(test.client_, test.loop_, {.name = "lease", .identity = std::move(identity)},
                   {[this] { ++gained; }, [this] { ++lost; }}, test.clock_) {}
    int gained = 0, lost = 0;
    LeaderElection election;
  };

  // In steps, as time passes.
  void Pass(std::chrono::seconds time) {
    for (auto passed = 0s; passed < time; passed += 1s) {
      clock_.Advance(1s);
      loop_.Advance(1s);
    }
  }
  std::string Holder() const {
    return std::string(
        api::coordination_v1::LeaseView(*leases_.Find("kube-system", "lease")).spec().holder_identity());
  }
  void Release(Candidate& candidate) {
    constexpr auto run = [](Candidate& c) -> base::Task<void> { co_await c.election.Release(); };
    base::Spawn(run(candidate));
    loop_.Run();
  }

  base::FakeClock clock_;
  ManualLoop loop_;
  client::FakeClient client_;
  client::FakeResource& leases_ = client_.At("coordination.k8s.io", "leases");
  Candidate a_{*this, "a"}, b_{*this, "b"};
};

TEST_F(LeaderElectionTest, TheFirstLeadsForAsLongAsItRenews) {
  a_.election.Start();
  b_.election.Start();
  EXPECT_EQ(a_.gained, 1);
  Pass(120s);
  EXPECT_EQ(a_.lost, 0);
  EXPECT_EQ(b_.gained, 0);
  EXPECT_EQ(Holder(), "a");
}

TEST_F(LeaderElectionTest, ALeaseGivenBackIsTakenAtOnce) {
  a_.election.Start();
  b_.election.Start();
  Release(a_);
  EXPECT_EQ(Holder(), "");
  Pass(2s);
  EXPECT_EQ(b_.gained, 1);
  EXPECT_EQ(Holder(), "b");
  Pass(60s);
  EXPECT_EQ(a_.gained, 1) << "who released takes it no more";
}

TEST_F(LeaderElectionTest, ALeaseThatIsNotRenewedIsTakenAfterItsDuration) {
  a_.election.Start();
  b_.election.Start();
  Release(a_);  // it is dead to the world ...
  constexpr auto hold = [](const client::Client& client) -> base::Task<void> {
    const auto held =
        co_await client.Update({"coordination.k8s.io", "leases"}, "kube-system", "lease", [](api::Doc& doc) {
          auto spec = api::coordination_v1::LeaseEditor(doc).mutable_spec();
          spec.set_holder_identity("a");  // ... without having given the lease back
          spec.set_lease_duration_seconds(15);
          return true;
        });
    EXPECT_TRUE(held);
  };
  base::Spawn(hold(client_));
  Pass(14s);
  EXPECT_EQ(b_.gained, 0);
  Pass(5s);
  EXPECT_EQ(b_.gained, 1);
}

TEST_F(LeaderElectionTest, AHolderThatCannotRenewGivesUpBeforeOthersTakeOver) {
  a_.election.Start();
  leases_.fails = true;
  Pass(9s);
  EXPECT_EQ(a_.lost, 0);
  Pass(4s);
  EXPECT_EQ(a_.lost, 1);
  EXPECT_FALSE(a_.election.leads());
  leases_.fails = false;
  Pass(2s);
  EXPECT_EQ(a_.gained, 2);
}

TEST_F(LeaderElectionTest, AHolderWhoseAttemptHasNoAnswerGivesUpAllTheSame) {
  a_.election.Start();
  ManualLoop hangs;
  leases_.takes_turns = &hangs;
  Pass(9s);
  EXPECT_EQ(a_.lost, 0);
  Pass(4s);
  EXPECT_EQ(a_.lost, 1);
  EXPECT_FALSE(a_.election.leads());
  // The answer comes late: it was asked for too long ago.
  leases_.takes_turns = nullptr;
  hangs.Run();
  EXPECT_EQ(a_.gained, 1);
  Pass(2s);
  EXPECT_EQ(a_.gained, 2);
  EXPECT_EQ(a_.lost, 1);
}

TEST_F(LeaderElectionTest, AnAttemptUnderWayDoesNotTakeBackWhatIsReleased) {
  a_.election.Start();
  ManualLoop later;
  leases_.takes_turns = &later;
  Pass(2s);  // it is renewing
  leases_.takes_turns = nullptr;
  Release(a_);
  later.Run();
  loop_.Run();
  EXPECT_EQ(Holder(), "");
  b_.election.Start();
  EXPECT_EQ(b_.gained, 1);
}

TEST_F(LeaderElectionTest, WhoTakesTheLeaseWhileItIsReleasedGivesItBack) {
  a_.election.Start();
  b_.election.Start();
  Release(a_);
  ManualLoop later;
  leases_.takes_turns = &later;
  Pass(2s);  // b is taking it
  leases_.takes_turns = nullptr;
  Release(b_);
  later.Run();
  loop_.Run();
  EXPECT_EQ(b_.gained, 0);
  EXPECT_EQ(Holder(), "");
}

}  // namespace
}  // namespace keelson::controllers
