// Expected texts are what kube-apiserver v1.36 answers.
#include <gtest/gtest.h>

#include "admission/plugins/pod_node_selector.h"
#include "admission/plugins/pod_toleration_restriction.h"
#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

std::string PodWithSpec(std::string_view spec) {
  return R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}";
}

class PlacementTest : public ::testing::Test {
 protected:
  void Annotate(const std::string& key, const std::string& json_text) {
    objects_.Add("", "namespaces",
                 R"({"metadata":{"name":"n","annotations":{"scheduler.alpha.kubernetes.io/)" + key + R"(":)" +
                     json_text + "}}}");
  }
  static std::string Create(const Plugin& plugin, Write& write) {
    Attributes request = write.request();
    request.ns = "n";
    auto verdict = base::SyncWait(plugin.Mutate(request));
    if (verdict) verdict = base::SyncWait(plugin.Validate(request));
    return verdict ? "" : std::to_string(verdict.error().code) + " " + verdict.error().message;
  }
  std::string Select(const NodeSelectors& selectors, std::string_view spec, std::string_view wanted = "") {
    const PodNodeSelector plugin(objects_, selectors);
    Write write("", "pods", PodWithSpec(spec));
    std::string refusal = Create(plugin, write);
    if (refusal.empty()) {
      std::string got;
      for (const auto& [key, value] : api::core_v1::PodView(write.object()).spec().node_selector())
        got.append(got.empty() ? "" : ",").append(key).append("=").append(value.string());
      EXPECT_EQ(got, wanted);
    }
    return refusal;
  }
  std::string Tolerate(std::string_view config, std::string_view spec, std::string_view wanted = "") {
    const auto parsed = ParseTolerationRestrictions(
        R"({"apiVersion":"podtolerationrestriction.admission.k8s.io/v1alpha1","kind":"Configuration")" +
        std::string(config) + "}");
    EXPECT_TRUE(parsed) << parsed.error();
    const PodTolerationRestriction plugin(objects_, *parsed);
    Write write("", "pods", PodWithSpec(spec));
    std::string refusal = Create(plugin, write);
    if (refusal.empty()) {
      std::string got;
      for (const auto one : api::core_v1::PodView(write.object()).spec().tolerations())
        got.append(got.empty() ? "" : ",").append(one.key());
      EXPECT_EQ(got, wanted);
    }
    return refusal;
  }

  FakeObjects objects_;
};

TEST_F(PlacementTest, PodsGetTheNodeSelectorOfTheirNamespace) {
  Annotate("node-selector", R"("env=test, zone=a")");
  EXPECT_EQ(Select({{"clusterDefaultNodeSelector", "other=x"}}, R"({"nodeSelector":{"k":"v"}})",
                   "env=test,k=v,zone=a"),
            "");
  EXPECT_EQ(Select({}, R"({"nodeSelector":{"env":"prod"}})"),
            "403 pods \"p\" is forbidden: pod node label selector conflicts with its namespace node label "
            "selector");
}

TEST_F(PlacementTest, ANamespaceWithoutASelectorGetsThatOfTheCluster) {
  objects_.Add("", "namespaces", R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(Select({{"clusterDefaultNodeSelector", "env=test"}}, "{}", "env=test"), "");
  EXPECT_EQ(Select({}, "{}", ""), "");
  EXPECT_EQ(Select({{"n", "a=b"}}, R"({"nodeSelector":{"a":"b"}})", "a=b"), "");
  EXPECT_EQ(
      Select({{"n", "a=b"}}, R"({"nodeSelector":{"c":"d"}})"),
      "403 pods \"p\" is forbidden: pod node label selector labels conflict with its namespace whitelist");
}

TEST_F(PlacementTest, ASelectorThatIsNoneFailsThePods) {
  Annotate("node-selector", R"("a=b=c")");
  EXPECT_EQ(Select({}, "{}"), "500 invalid selector: [a b c]");
}

TEST_F(PlacementTest, ThereMustBeANamespace) {
  EXPECT_EQ(Select({}, "{}"), "500 Internal error occurred: namespace n does not exist");
  EXPECT_EQ(Tolerate("", "{}"), "404 namespaces \"n\" not found");
}

TEST_F(PlacementTest, PodsGetTheTolerationsOfTheirNamespaceOrOfTheCluster) {
  const std::string cluster = R"(,"default":[{"key":"cluster","operator":"Exists"}])";
  objects_.Add("", "namespaces", R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(Tolerate(cluster, R"({"tolerations":[{"key":"own","operator":"Exists"}]})", "own,cluster"), "");
  EXPECT_EQ(Tolerate("", R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]})",
                     "node.kubernetes.io/memory-pressure"),
            "");
}

TEST_F(PlacementTest, AnAnnotationReplacesTheDefaultsOfTheCluster) {
  Annotate("defaultTolerations", R"("[{\"key\":\"ns\",\"operator\":\"Exists\"}]")");
  EXPECT_EQ(Tolerate(R"(,"default":[{"key":"cluster","operator":"Exists"}])", "{}", "ns"), "");
}

TEST_F(PlacementTest, AnEmptyAnnotationReplacesThemToo) {
  Annotate("defaultTolerations", R"("")");
  EXPECT_EQ(Tolerate(R"(,"default":[{"key":"cluster","operator":"Exists"}])", "{}", ""), "");
}

TEST_F(PlacementTest, TolerationsMustBeOnTheWhitelist) {
  const std::string conflict =
      "500 pod tolerations (possibly merged with namespace default tolerations) conflict with its ";
  constexpr std::string_view kForeign = R"({"tolerations":[{"key":"b","operator":"Equal","value":"x"}]})";
  const std::string list = R"(,"whitelist":[{"key":"a","operator":"Exists"}])";
  objects_.Add("", "namespaces", R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(Tolerate(list, kForeign), conflict + "cluster whitelist");
  EXPECT_EQ(Tolerate(list, R"({"tolerations":[{"key":"a","operator":"Equal","value":"x"}]})", "a"), "");
  EXPECT_EQ(Tolerate(R"(,"whitelist":[{"operator":"Exists"}])", kForeign, "b"), "");
}

TEST_F(PlacementTest, TheWhitelistOfTheNamespaceComesFirst) {
  Annotate("tolerationsWhitelist", R"("[{\"key\":\"a\",\"operator\":\"Exists\"}]")");
  EXPECT_EQ(
      Tolerate(R"(,"whitelist":[{"operator":"Exists"}])",
               R"({"tolerations":[{"key":"b","operator":"Exists"}]})"),
      "500 pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace "
      "whitelist");
}

TEST(TolerationRestrictionsTest, WhatIsWrongIsToldInUpstreamsWords) {
  EXPECT_EQ(
      ParseTolerationRestrictions(
          "apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1\nkind: Configuration\n"
          "default: [{key: a, operator: Foo}]\nwhitelist: [{key: '', operator: Equal}]\n")
          .error(),
      "couldn't init admission plugin \"PodTolerationRestriction\": invalid config: "
      "[podtolerationrestriction.default[0].operator: Unsupported value: \"Foo\": supported values: "
      "\"Equal\", "
      "\"Exists\" podtolerationrestriction.whitelist[0].operator: Invalid value: \"Equal\": operator must be "
      "Exists when `key` is empty, which means \"match all values and all keys\"]");
}

TEST(NodeSelectorsTest, TheConfigurationHasAMapOfSelectors) {
  const auto parsed =
      ParseNodeSelectors("podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: a=b\n  ns: c=d\n");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, (NodeSelectors{{"clusterDefaultNodeSelector", "a=b"}, {"ns", "c=d"}}));
  EXPECT_TRUE(ParseNodeSelectors(std::nullopt)->empty());
  EXPECT_FALSE(ParseNodeSelectors("podNodeSelectorPluginConfig: 3"));
}

}  // namespace
}  // namespace keelson::admission
