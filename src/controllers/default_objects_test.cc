// What every namespace has, and what aggregated roles have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/generated/core_v1.h"
#include "api/generated/rbac_v1.h"
#include "client/testing/fake_client.h"
#include "controllers/cluster_role_aggregation.h"
#include "controllers/legacy_token_tracking.h"
#include "controllers/root_ca_publisher.h"
#include "controllers/service_accounts.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

api::Doc Namespace(std::string_view name, std::string_view phase = "Active") {
  api::Doc doc(api::core_v1::NamespaceView::Type());
  api::core_v1::NamespaceEditor ns(doc);
  ns.mutable_metadata().set_name(name);
  ns.mutable_status().set_phase(phase);
  return doc;
}

class DefaultObjectsTest : public ::testing::Test {
 protected:
  ManualLoop loop_;
  client::FakeClient client_;
  client::FakeResource& namespaces_ = client_.At("", "namespaces");
  client::FakeResource& accounts_ = client_.At("", "serviceaccounts");
  client::FakeResource& maps_ = client_.At("", "configmaps");
};

TEST_F(DefaultObjectsTest, AccountsAreMadeWhereTheyAreMissing) {
  ServiceAccounts accounts(client_, loop_);
  namespaces_.Put("", Namespace("old"));
  accounts.Start();
  namespaces_.Put("", Namespace("new"));
  namespaces_.Put("", Namespace("going", "Terminating"));
  loop_.Run();
  EXPECT_TRUE(accounts_.Find("old", "default"));
  EXPECT_TRUE(accounts_.Find("new", "default"));
  EXPECT_FALSE(accounts_.Find("going", "default"));
  accounts_.Remove("new", "default");
  loop_.Run();
  EXPECT_TRUE(accounts_.Find("new", "default"));
  EXPECT_EQ(accounts_.writes, 3);
}

TEST_F(DefaultObjectsTest, AFailureIsTriedAgainUntilItIsStopped) {
  ServiceAccounts accounts(client_, loop_);
  accounts.Start();
  accounts_.fails = true;
  namespaces_.Put("", Namespace("a"));
  loop_.Run();
  accounts.Stop();
  accounts_.fails = false;
  loop_.Advance(1s);
  EXPECT_FALSE(accounts_.Find("a", "default"));
  accounts.Start();
  accounts_.fails = true;
  loop_.Run();
  accounts_.fails = false;
  loop_.Advance(1s);
  EXPECT_TRUE(accounts_.Find("a", "default"));
}

TEST_F(DefaultObjectsTest, TheCertificateIsPublishedAndPutRight) {
  RootCaPublisher publisher(client_, "PEM", loop_);
  publisher.Start();
  namespaces_.Put("", Namespace("a"));
  loop_.Run();
  const auto data = [&] {
    const api::Value* const pem =
        api::core_v1::ConfigMapView(*maps_.Find("a", "kube-root-ca.crt")).data().Find("ca.crt");
    return pem ? std::string(pem->string()) : "";
  };
  EXPECT_EQ(data(), "PEM");
  api::Doc spoiled = maps_.Find("a", "kube-root-ca.crt")->Clone();
  api::core_v1::ConfigMapEditor(spoiled).clear_data();
  maps_.Put("a", std::move(spoiled));
  loop_.Run();
  EXPECT_EQ(data(), "PEM");
  EXPECT_EQ(maps_.writes, 2) << "its own write is no reason for another";
}

TEST_F(DefaultObjectsTest, ACertificateThatOthersKeepIsLeftAlone) {
  RootCaPublisher publisher(client_, "PEM", loop_);
  namespaces_.Put("", Namespace("a"));
  api::Doc theirs(api::core_v1::ConfigMapView::Type());
  api::core_v1::ConfigMapEditor map(theirs);
  map.mutable_metadata().set_name("kube-root-ca.crt");
  map.mutable_metadata().add_managed_fields().set_manager("kube-controller-manager");
  maps_.Put("a", std::move(theirs));
  publisher.Start();
  loop_.Run();
  EXPECT_EQ(maps_.writes, 0);
}

TEST_F(DefaultObjectsTest, TheDayFromWhichTokensAreTrackedIsWrittenOnce) {
  constexpr int64_t kDay = 86'400;
  int64_t now = 20'000 * kDay;
  LegacyTokenTracking tracking(client_, [&] { return now; }, loop_);
  tracking.Start();
  loop_.Run();
  const auto since = [&] {
    const api::Doc* const map =
        maps_.Find("kube-system", "kube-apiserver-legacy-service-account-token-tracking");
    const api::Value* const date = map ? api::core_v1::ConfigMapView(*map).data().Find("since") : nullptr;
    return date ? std::string(date->string()) : "";
  };
  EXPECT_EQ(since(), "2024-10-04");
  now += kDay;
  tracking.Stop();
  tracking.Start();
  loop_.Run();
  EXPECT_EQ(since(), "2024-10-04");
  EXPECT_EQ(maps_.writes, 1);
}

TEST_F(DefaultObjectsTest, WhatIsNoDayIsReplaced) {
  api::Doc spoiled(api::core_v1::ConfigMapView::Type());
  api::core_v1::ConfigMapEditor map(spoiled);
  map.mutable_metadata().set_name("kube-apiserver-legacy-service-account-token-tracking");
  map.put_data("since", "2024-13-01");
  maps_.Put("kube-system", std::move(spoiled));
  LegacyTokenTracking tracking(client_, [] { return 0; }, loop_);
  tracking.Start();
  loop_.Run();
  const api::Doc* const mended =
      maps_.Find("kube-system", "kube-apiserver-legacy-service-account-token-tracking");
  EXPECT_EQ(api::core_v1::ConfigMapView(*mended).data().Find("since")->string(), "1970-01-01");
}

class AggregationTest : public ::testing::Test {
 protected:
  AggregationTest() { aggregation_.Start(); }

  // One rule per verb; `selects`: the label whose roles it aggregates.
  void Put(std::string_view name, std::string_view label, std::vector<std::string_view> verbs,
           std::string_view selects = "") {
    api::Doc doc(api::rbac_v1::ClusterRoleView::Type());
    api::rbac_v1::ClusterRoleEditor role(doc);
    role.mutable_metadata().set_name(name);
    if (!label.empty()) role.mutable_metadata().put_labels(label, "yes");
    for (const std::string_view verb : verbs) role.add_rules().add_verbs(verb);
    if (!selects.empty())
      role.mutable_aggregation_rule().add_cluster_role_selectors().put_match_labels(selects, "yes");
    roles_.Put("", std::move(doc));
    loop_.Run();
  }
  std::vector<std::string> Verbs(const std::string& name) const {
    std::vector<std::string> verbs;
    for (const auto rule : api::rbac_v1::ClusterRoleView(*roles_.Find("", name)).rules())
      for (const api::Value& verb : rule.verbs()) verbs.emplace_back(verb.string());
    return verbs;
  }

  ManualLoop loop_;
  client::FakeClient client_;
  client::FakeResource& roles_ = client_.At("rbac.authorization.k8s.io", "clusterroles");
  ClusterRoleAggregation aggregation_{client_, loop_};
};

TEST_F(AggregationTest, RulesAreGatheredByNameAndOnce) {
  Put("b", "x", {"get", "list"});
  Put("all", "", {}, "x");
  Put("a", "x", {"list", "watch"});
  Put("other", "y", {"delete"});
  EXPECT_THAT(Verbs("all"), ElementsAre("list", "watch", "get"));
  const int writes = roles_.writes;
  Put("other", "y", {"create"});
  EXPECT_EQ(roles_.writes, writes);
}

TEST_F(AggregationTest, AggregatesOfAggregatesSettle) {
  Put("top", "", {}, "middle");
  Put("middle", "middle", {}, "leaf");
  Put("leaf", "leaf", {"get"});
  EXPECT_THAT(Verbs("top"), ElementsAre("get"));
  roles_.Remove("", "leaf");
  loop_.Run();
  EXPECT_THAT(Verbs("top"), IsEmpty());
}

TEST_F(AggregationTest, WithoutARuleNothingIsTouched) {
  Put("plain", "x", {"get"});
  EXPECT_EQ(roles_.writes, 0);
}

}  // namespace
}  // namespace keelson::controllers
