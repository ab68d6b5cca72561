#include "bootstrap/kubernetes_service.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "api/generated/core_v1.h"
#include "api/generated/discovery_v1.h"
#include "base/clock.h"
#include "client/testing/fake_client.h"
#include "registry/testing/test_loop.h"
#include "storage/memory/memory_backend.h"

namespace keelson::bootstrap {
namespace {

using api::core_v1::EndpointsView;
using api::discovery_v1::EndpointSliceView;
using Addresses = std::vector<std::string>;

class KubernetesServiceTest : public ::testing::Test {
 protected:
  KubernetesServiceTest() {
    client_.At("", "services");
    auto leases = registry::core::ServerLeases::Open(*backend_, "/registry",
                                                     registry::core::ServerLeases::For::kClients);
    EXPECT_TRUE(leases);
    leases_ = *std::move(leases);
    a_ = Server("192.0.2.1");
    b_ = Server("192.0.2.2");
  }
  std::unique_ptr<KubernetesService> Server(const std::string& address) {
    return std::make_unique<KubernetesService>(
        client_, *leases_,
        KubernetesService::Options{
            .range = *api::ParseCidr("10.0.0.0/24"), .address = address, .port = 6443});
  }
  void Run(base::Task<Done> task) {
    const auto done = loop_.Run(std::move(task));
    EXPECT_TRUE(done) << done.error();
  }
  // What both forms say; the slice must agree.
  Addresses Endpoints() {
    Addresses addresses, in_slice;
    if (const api::Doc* const doc = endpoints_.Find("default", "kubernetes"))
      for (const auto subset : EndpointsView(*doc).subsets())
        for (const auto address : subset.addresses()) addresses.emplace_back(address.ip());
    if (const api::Doc* const doc = slices_.Find("default", "kubernetes"))
      for (const auto endpoint : EndpointSliceView(*doc).endpoints())
        in_slice.emplace_back(endpoint.addresses()[0].string());
    EXPECT_EQ(addresses, in_slice);
    return addresses;
  }

  base::FakeClock clock_;
  registry::TestLoop loop_{clock_};
  const std::unique_ptr<storage::Backend> backend_ = storage::OpenMemoryBackend();
  std::unique_ptr<registry::core::ServerLeases> leases_;
  client::FakeClient client_;
  client::FakeResource& endpoints_ = client_.At("", "endpoints");
  client::FakeResource& slices_ = client_.At("discovery.k8s.io", "endpointslices");
  std::unique_ptr<KubernetesService> a_, b_;
};

TEST_F(KubernetesServiceTest, TheEndpointsAreTheServersThatAnnouncedThemselves) {
  Run(a_->Begin());
  EXPECT_EQ(Endpoints(), Addresses());
  Run(a_->Announce());
  Run(b_->Announce());
  EXPECT_EQ(Endpoints(), (Addresses{"192.0.2.1", "192.0.2.2"}));
  Run(a_->Withdraw());
  EXPECT_EQ(Endpoints(), (Addresses{"192.0.2.2"}));
  Run(a_->Announce());
  EXPECT_EQ(Endpoints(), (Addresses{"192.0.2.2"})) << "it has withdrawn";
  Run(b_->Withdraw());
  EXPECT_EQ(Endpoints(), Addresses());
}

TEST_F(KubernetesServiceTest, AServerThatStartsAgainIsNoEndpointBeforeItIsReady) {
  Run(a_->Announce());
  Run(b_->Announce());
  auto again = Server("192.0.2.1");  // it was killed: its lease is still there
  Run(again->Begin());
  EXPECT_EQ(Endpoints(), (Addresses{"192.0.2.2"}));
  Run(again->Announce());
  EXPECT_EQ(Endpoints(), (Addresses{"192.0.2.1", "192.0.2.2"}));
}

TEST_F(KubernetesServiceTest, TheOnlyServerDoesNotTakeOutItself) {
  Run(a_->Announce());
  auto again = Server("192.0.2.1");
  Run(again->Begin());
  EXPECT_EQ(Endpoints(), (Addresses{"192.0.2.1"}));
}

TEST_F(KubernetesServiceTest, WhoReadTheServersBeforeAnotherLeftDoesNotBringItBack) {
  for (client::FakeResource* const form : {&endpoints_, &slices_}) {
    b_ = Server("192.0.2.2");
    Run(a_->Announce());
    Run(b_->Announce());
    // The third has asked who is there, and is about to write it.
    const auto c = Server("192.0.2.3");
    form->before_write = [this, writing = false]() mutable {
      if (!std::exchange(writing, true)) Run(b_->Withdraw());
    };
    Run(c->Announce());
    form->before_write = nullptr;
    EXPECT_EQ(Endpoints(), (Addresses{"192.0.2.1", "192.0.2.3"}));
    Run(c->Withdraw());
  }
}

TEST_F(KubernetesServiceTest, AnAnnouncementUnderWayDoesNotBringBackWhoWithdraws) {
  Run(a_->Announce());
  bool withdrawn = false;
  constexpr auto note = [](base::Task<Done> task, bool& done) -> base::Task<void> {
    EXPECT_TRUE(co_await std::move(task));
    done = true;
  };
  endpoints_.before_write = [&, writing = false]() mutable {
    if (std::exchange(writing, true)) return;
    base::Spawn(note(b_->Withdraw(), withdrawn));
    EXPECT_FALSE(withdrawn) << "it waits for the announcement";
  };
  Run(b_->Announce());
  loop_.RunUntil([&] { return withdrawn; });
  EXPECT_EQ(Endpoints(), (Addresses{"192.0.2.1"}));
}

}  // namespace
}  // namespace keelson::bootstrap
