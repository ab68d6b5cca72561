#include "bootstrap/server_identity.h"

#include <gtest/gtest.h>

#include <utility>

#include "api/generated/coordination_v1.h"
#include "base/sync_wait.h"
#include "client/testing/fake_client.h"

namespace keelson::bootstrap {
namespace {

// What kube-apiserver on a host of this name calls itself.
TEST(ServerIdentityTest, TheNameIsMadeOfTheHosts) {
  EXPECT_EQ(ServerIdOf("node-1"), "apiserver-lgabes5ywnaqeagh5dny4zlzs4");
}

class ServerLeaseTest : public ::testing::Test {
 protected:
  ServerIdentity Process(std::string holder) {
    return {client_, {.host_name = "node-1", .holder = std::move(holder), .address = "192.0.2.1:6443"}};
  }
  static void Run(base::Task<Done> task) { EXPECT_TRUE(base::SyncWait(std::move(task))); }
  std::string Holder() {
    const api::Doc* const lease = leases_.Find("kube-system", ServerIdOf("node-1"));
    return lease ? std::string(api::coordination_v1::LeaseView(*lease).spec().holder_identity()) : "nobody";
  }

  client::FakeClient client_;
  client::FakeResource& leases_ = client_.At("coordination.k8s.io", "leases");
};

TEST_F(ServerLeaseTest, AProcessThatStartsTakesThePlaceOfTheOneBefore) {
  auto first = Process("first"), second = Process("second");
  Run(first.Begin());
  Run(first.Renew());
  EXPECT_EQ(Holder(), "first");
  Run(second.Begin());
  EXPECT_EQ(Holder(), "second");
  Run(second.Renew());
  EXPECT_EQ(Holder(), "second");
}

TEST_F(ServerLeaseTest, ARenewalUnderWayDoesNotBringTheLeaseBack) {
  auto server = Process("a");
  Run(server.Begin());
  bool withdrawn = false;
  constexpr auto note = [](base::Task<Done> task, bool& done) -> base::Task<void> {
    EXPECT_TRUE(co_await std::move(task));
    done = true;
  };
  leases_.before_write = [&, writing = false]() mutable {
    if (std::exchange(writing, true)) return;
    base::Spawn(note(server.Withdraw(), withdrawn));
    EXPECT_FALSE(withdrawn) << "it waits for the renewal";
  };
  Run(server.Renew());
  EXPECT_TRUE(withdrawn);
  EXPECT_EQ(Holder(), "nobody");
}

}  // namespace
}  // namespace keelson::bootstrap
