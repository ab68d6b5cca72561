#include "admission/plugins/resource_quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kMap = R"({"metadata":{"name":"m"}})";

class ResourceQuotaTest : public ::testing::Test {
 protected:
  std::string Create(std::string_view plural, std::string_view json, bool dry_run = false) {
    Write write("", plural, json);
    Attributes request = write.request();
    request.ns = "n";
    request.dry_run = dry_run;
    return Refusal(base::SyncWait(plugin_.Validate(request)));
  }
  void PutMapQuota(const std::string& name, const std::string& hard, const std::string& used) {
    quotas_.Put(R"({"metadata":{"name":")" + name + R"("},"status":{"hard":{"configmaps":")" + hard +
                R"("},"used":{"configmaps":")" + used + R"("}}})");
  }

  std::string Used(const std::string& quota, std::string_view name) const {
    const api::Value* const amount =
        api::core_v1::ResourceQuotaView(*quotas_.Find("", quota)).status().used().Find(name);
    return amount ? std::string(amount->string()) : "";
  }
  // Another server charges something at the same time.
  void ChargeElsewhere(const std::string& quota, std::string_view name, std::string_view amount) {
    api::Doc doc = quotas_.Find("", quota)->Clone();
    api::core_v1::ResourceQuotaEditor(doc).mutable_status().put_used(name, amount);
    quotas_.Put("", std::move(doc));
  }

  FakeObjects objects_;
  client::FakeResource& quotas_ = objects_.At("", "resourcequotas");
  const ResourceQuota plugin_{objects_};
};

TEST_F(ResourceQuotaTest, AWriteIsChargedToEachQuotaThatLimitsIt) {
  EXPECT_EQ(Create("configmaps", kMap), "");
  PutMapQuota("a", "2", "0");
  PutMapQuota("b", "1", "0");
  EXPECT_EQ(Create("secrets", R"({"metadata":{"name":"s"}})"), "");
  EXPECT_EQ(quotas_.writes, 0);
  EXPECT_EQ(Create("configmaps", kMap), "");
  EXPECT_EQ(Used("a", "configmaps"), "1");
  EXPECT_EQ(Used("b", "configmaps"), "1");
  EXPECT_EQ(Create("configmaps", kMap),
            "configmaps \"m\" is forbidden: exceeded quota: b, requested: configmaps=1, used: configmaps=1, "
            "limited: configmaps=1");
  EXPECT_EQ(Used("a", "configmaps"), "1") << "nothing is charged for what is refused";
}

TEST_F(ResourceQuotaTest, ADryRunIsCheckedButNotCharged) {
  PutMapQuota("a", "1", "0");
  EXPECT_EQ(Create("configmaps", kMap, /*dry_run=*/true), "");
  EXPECT_EQ(quotas_.writes, 0);
  EXPECT_EQ(Create("configmaps", kMap), "");
  EXPECT_THAT(Create("configmaps", kMap, /*dry_run=*/true), HasSubstr("exceeded quota"));
}

TEST_F(ResourceQuotaTest, AnUpdateIsChargedForWhatItUsesMore) {
  quotas_.Put(
      R"({"metadata":{"name":"a"},"status":{"hard":{"requests.storage":"3Gi"},"used":{"requests.storage":"1Gi"}}})");
  const auto update = [&](std::string_view size) {
    const auto claim = [](std::string_view storage) {
      return R"({"metadata":{"name":"c","resourceVersion":"1"},"spec":{"resources":{"requests":{"storage":")" +
             std::string(storage) + R"("}}}})";
    };
    Write write("", "persistentvolumeclaims", claim(size), claim("1Gi"));
    Attributes request = write.request();
    request.ns = "n";
    return Refusal(base::SyncWait(plugin_.Validate(request)));
  };
  EXPECT_THAT(update("4Gi"), HasSubstr("requested: requests.storage=3Gi, used: requests.storage=1Gi"));
  EXPECT_EQ(update("1Gi"), "");
  EXPECT_EQ(quotas_.writes, 0);
  EXPECT_EQ(update("2Gi"), "");
  EXPECT_EQ(Used("a", "requests.storage"), "2Gi");
}

TEST_F(ResourceQuotaTest, WhatOthersChargeMeanwhileCounts) {
  PutMapQuota("a", "2", "0");
  PutMapQuota("b", "9", "0");
  quotas_.before_write = [&, left = 1]() mutable {
    if (left-- > 0) ChargeElsewhere("a", "configmaps", "1");
  };
  EXPECT_EQ(Create("configmaps", kMap), "");
  EXPECT_EQ(Used("a", "configmaps"), "2");
  EXPECT_EQ(Used("b", "configmaps"), "1") << "written at the first try, and not charged twice";

  PutMapQuota("a", "2", "1");
  quotas_.before_write = [&, left = 1]() mutable {
    if (left-- > 0) ChargeElsewhere("a", "configmaps", "2");
  };
  EXPECT_THAT(Create("configmaps", kMap), HasSubstr("exceeded quota: a"));
}

TEST_F(ResourceQuotaTest, ManyWritersAtOnceGetNoMoreThanThereIs) {
  PutMapQuota("a", "100", "0");
  std::atomic<int> admitted = 0, refused = 0;
  std::vector<std::jthread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&] {
      for (int j = 0; j < 50; ++j) (Create("configmaps", kMap).empty() ? admitted : refused)++;
    });
  writers.clear();
  EXPECT_EQ(admitted, 100);
  EXPECT_EQ(refused, 300);
  EXPECT_EQ(Used("a", "configmaps"), "100");
}

TEST_F(ResourceQuotaTest, ConcernsWhatCanBeCounted) {
  EXPECT_TRUE(plugin_.ConcernWith(Resource("", "configmaps"), "").validates);
  EXPECT_TRUE(plugin_.ConcernWith(Resource("", "pods"), "resize").validates);
  EXPECT_TRUE(plugin_.ConcernWith(Resource("", "persistentvolumeclaims"), "status").validates);
  EXPECT_FALSE(plugin_.ConcernWith(Resource("", "pods"), "status").validates);
  EXPECT_FALSE(plugin_.ConcernWith(Resource("", "events"), "").validates);
  EXPECT_FALSE(plugin_.ConcernWith(Resource("", "nodes"), "").validates);
}

class LimitedResourcesTest : public ::testing::Test {
 protected:
  std::string CreatePod(const std::string& limited, std::string_view spec) {
    auto parsed = LimitedResources::Parse(
        R"({"apiVersion": "apiserver.config.k8s.io/v1", "kind": "ResourceQuotaConfiguration", "limitedResources": [)" +
        limited + "]}");
    EXPECT_TRUE(parsed) << parsed.error();
    const ResourceQuota plugin(objects_, *std::move(parsed));
    Write write("", "pods", R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}");
    Attributes request = write.request();
    request.ns = "n";
    const Verdict verdict = base::SyncWait(plugin.Validate(request));
    return verdict ? "" : std::to_string(verdict.error().code) + " " + verdict.error().message;
  }

  FakeObjects objects_;
  client::FakeResource& quotas_ = objects_.At("", "resourcequotas");
};

constexpr std::string_view kAskingPod =
    R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]})";

TEST_F(LimitedResourcesTest, AResourceMayBeUsedOnlyWhereAQuotaLimitsIt) {
  const std::string cpu = R"({"resource":"pods","matchContains":["requests.cpu"]})";
  EXPECT_EQ(CreatePod(cpu, kAskingPod),
            "403 pods \"p\" is forbidden: insufficient quota to consume: requests.cpu");
  EXPECT_EQ(CreatePod(cpu, R"({"containers":[{"name":"c"}]})"), "");
  EXPECT_EQ(CreatePod(R"({"apiGroup":"apps","resource":"pods","matchContains":["cpu"]})", kAskingPod), "");
  quotas_.Put(
      R"({"metadata":{"name":"q"},"status":{"hard":{"requests.cpu":"4"},"used":{"requests.cpu":"0"}}})");
  EXPECT_EQ(CreatePod(cpu, kAskingPod), "");
  EXPECT_EQ(CreatePod(R"({"resource":"pods","matchContains":["cpu"]})", kAskingPod),
            "403 pods \"p\" is forbidden: insufficient quota to consume: cpu");
}

TEST_F(LimitedResourcesTest, AScopeMayBeUsedOnlyWhereAQuotaHasIt) {
  const std::string scope =
      R"({"resource":"pods","matchScopes":[{"scopeName":"PriorityClass","operator":"In","values":["a","b"]}]})";
  constexpr std::string_view kUrgent = R"({"priorityClassName":"b","containers":[{"name":"c"}]})";
  EXPECT_EQ(CreatePod(scope, kUrgent),
            "500 insufficient quota to match these scopes: [{PriorityClass In [a b]}]");
  EXPECT_EQ(CreatePod(scope, R"({"priorityClassName":"c","containers":[{"name":"c"}]})"), "");
  quotas_.Put(
      R"({"metadata":{"name":"q"},"spec":{"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",
      "operator":"In","values":["b"]}]}},"status":{"hard":{"pods":"4"},"used":{"pods":"0"}}})");
  EXPECT_EQ(CreatePod(scope, kUrgent), "");
}

TEST(LimitedResourcesConfigTest, WhatIsWrongIsToldInUpstreamsWords) {
  const auto error = [](const std::string& limited) {
    const auto parsed = LimitedResources::Parse(
        "apiVersion: resourcequota.admission.k8s.io/v1beta1\nkind: Configuration\nlimitedResources: " +
        limited);
    return parsed ? "" : parsed.error();
  };
  EXPECT_EQ(error("[{resource: pods}]"), "");
  EXPECT_EQ(error("[{apiGroup: ''}]"),
            "couldn't init admission plugin \"ResourceQuota\": limitedResources[0].resource: Required value");
  EXPECT_EQ(error("[{resource: pods, foo: 1}]"),
            "couldn't init admission plugin \"ResourceQuota\": strict decoding error: unknown field "
            "\"limitedResources[0].foo\"");
}

}  // namespace
}  // namespace keelson::admission
