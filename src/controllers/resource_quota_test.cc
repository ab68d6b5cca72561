#include "controllers/resource_quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/generated/coordination_v1.h"
#include "client/testing/fake_client.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

template <class View>
api::Doc Read(std::string_view json) {
  api::Arena arena;
  const std::string_view text = arena.CopyString(json);
  auto root = api::json::Decode(text, View::Type(), arena, nullptr);
  EXPECT_TRUE(root) << root.error().message;
  return api::Doc(std::move(arena), *root);
}

class ResourceQuotasTest : public ::testing::Test {
 protected:
  void PutQuota(std::string_view spec) {
    quotas_.Put("n", Read<api::core_v1::ResourceQuotaView>(R"({"metadata":{"name":"q"},"spec":{)" +
                                                           std::string(spec) + "}}"));
  }
  void PutMap(const std::string& ns, const std::string& name) {
    maps_.Put(ns, Read<api::core_v1::ConfigMapView>(R"({"metadata":{"name":")" + name + R"("}})"));
  }
  std::map<std::string, std::string> Used() const {
    std::map<std::string, std::string> used;
    const api::core_v1::ResourceQuotaView quota(*quotas_.Find("n", "q"));
    for (const auto& [name, amount] : quota.status().used()) used.emplace(name, amount.string());
    return used;
  }

  ManualLoop loop_;
  client::FakeClient client_;
  client::FakeResource& quotas_ = client_.At("", "resourcequotas");
  client::FakeResource& maps_ = client_.At("", "configmaps");
  client::FakeResource& pods_ = client_.At("", "pods");
  ResourceQuotas controller_{client_, loop_};
};

TEST_F(ResourceQuotasTest, TheStatusFollowsWhatThereIs) {
  controller_.Start();
  PutMap("n", "a");
  PutMap("other", "b");
  PutQuota(R"("hard":{"configmaps":"5","count/configmaps":"5","cpu":"2","count/unknown.example.com":"1"})");
  loop_.Run();
  EXPECT_THAT(Used(), ElementsAre(Pair("configmaps", "1"), Pair("count/configmaps", "1"), Pair("cpu", "0")));
  const int writes = quotas_.writes;
  PutMap("n", "c");
  PutMap("n", "d");
  maps_.Remove("n", "a");
  maps_.Remove("n", "c");
  PutMap("n", "e");
  loop_.Run();
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_EQ(Used()["configmaps"], "2");
  EXPECT_EQ(quotas_.writes, writes + 1) << "changes are gathered";
  maps_.Remove("other", "b");
  loop_.Run();
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_EQ(quotas_.writes, writes + 1);
}

// Leases stand for a custom resource here: they are served from the moment the test says.
TEST_F(ResourceQuotasTest, WhatIsServedLaterIsCountedToo) {
  const api::ResourceDesc& leases = *api::FindResource("coordination.k8s.io", "v1", "leases");
  controller_.Start();
  PutQuota(R"("hard":{"count/leases.coordination.k8s.io":"5"})");
  loop_.Run();
  EXPECT_THAT(Used(), ElementsAre());
  client::FakeResource& served = client_.Serve(leases);
  const auto put = [&](const std::string& name) {
    served.Put("n", Read<api::coordination_v1::LeaseView>(R"({"metadata":{"name":")" + name + R"("}})"));
  };
  put("a");
  put("b");
  loop_.Run();
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_THAT(Used(), ElementsAre(Pair("count/leases.coordination.k8s.io", "2")));
  served.Remove("n", "a");
  loop_.Run();
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_EQ(Used()["count/leases.coordination.k8s.io"], "1");
  client_.Unserve("coordination.k8s.io", "leases");
  loop_.Run();
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_THAT(Used(), ElementsAre());
  controller_.Stop();
}

TEST_F(ResourceQuotasTest, WhatAdmissionHasChargedStandsUntilLessIsUsed) {
  controller_.Start();
  PutQuota(R"("hard":{"configmaps":"5","pods":"5"})");
  loop_.Run();
  // Charged for two that are not stored yet, and one that never will be.
  api::Doc charged = quotas_.Find("n", "q")->Clone();
  api::core_v1::ResourceQuotaEditor(charged).mutable_status().put_used("configmaps", "3");
  quotas_.Put("n", std::move(charged));
  loop_.Run();
  PutMap("n", "a");
  PutMap("n", "b");
  PutMap("n", "b");
  const auto put_pod = [this](std::string_view phase) {
    pods_.Put("n", Read<api::core_v1::PodView>(R"({"metadata":{"name":"p"},"status":{"phase":")" +
                                               std::string(phase) + R"("}})"));
  };
  put_pod("Pending");
  put_pod("Running");
  loop_.Run();
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_THAT(Used(), ElementsAre(Pair("configmaps", "3"), Pair("pods", "0")));
  put_pod("Succeeded");
  loop_.Run();
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_EQ(Used()["configmaps"], "2");
}

TEST_F(ResourceQuotasTest, WhatWasOnItsWayWhenAQuotaCameIsSeenAtASecondLook) {
  controller_.Start();
  PutQuota(R"("hard":{"configmaps":"5","secrets":"1","pods":"5"})");
  loop_.Run();
  PutMap("n", "a");
  api::Doc charged = quotas_.Find("n", "q")->Clone();
  api::core_v1::ResourceQuotaEditor(charged).mutable_status().put_used("pods", "1");
  quotas_.Put("n", std::move(charged));
  loop_.Run();
  loop_.Advance(ResourceQuotas::kSecondLook);
  EXPECT_THAT(Used(), ElementsAre(Pair("configmaps", "1"), Pair("pods", "1")));
}

TEST_F(ResourceQuotasTest, AllAreCountedAnewOnceInAWhile) {
  controller_.Start();
  PutQuota(R"("hard":{"configmaps":"5"})");
  loop_.Run();
  PutMap("n", "a");
  loop_.Run();
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_EQ(Used()["configmaps"], "0");
  loop_.Advance(ResourceQuotas::kResync);
  EXPECT_EQ(Used()["configmaps"], "1");
  controller_.Stop();
  loop_.Advance(ResourceQuotas::kResync);
}

TEST_F(ResourceQuotasTest, ALimitThatGoesIsNoLongerCounted) {
  controller_.Start();
  PutQuota(R"("hard":{"configmaps":"5","cpu":"1"})");
  loop_.Run();
  api::Doc changed = quotas_.Find("n", "q")->Clone();
  api::core_v1::ResourceQuotaEditor(changed).mutable_spec().mutable_hard().Erase("cpu");
  quotas_.Put("n", std::move(changed));
  loop_.Run();
  EXPECT_THAT(Used(), ElementsAre(Pair("configmaps", "0")));
}

}  // namespace
}  // namespace keelson::controllers
