// Small plug-ins that are off unless somebody wants them.
#include <gtest/gtest.h>

#include "admission/plugins/always_admit.h"
#include "admission/plugins/always_deny.h"
#include "admission/plugins/deny_service_external_ips.h"
#include "admission/plugins/extended_resource_toleration.h"
#include "admission/plugins/limit_pod_hard_anti_affinity_topology.h"
#include "admission/plugins/namespace_auto_provision.h"
#include "admission/plugins/namespace_exists.h"
#include "admission/plugins/stored_namespaces.h"
#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodView;

std::string PodWith(std::string_view spec) {
  return R"({"metadata":{"name":"p"},"spec":{)" + std::string(spec) + "}}";
}

// ---- ExtendedResourceToleration

std::string TolerationsWith(std::string_view spec) {
  Write write("", "pods", PodWith(spec));
  EXPECT_TRUE(write.Mutate(ExtendedResourceToleration()));
  std::string text;
  for (const auto t : PodView(write.object()).spec().tolerations()) {
    text.append(t.key()).append(":").append(t.operator_()).append(":").append(t.effect());
    text.append(t.has_toleration_seconds() ? "! " : " ");
  }
  return text;
}

TEST(ExtendedResourceTolerationTest, EveryExtendedResourceIsToleratedOnceInOrder) {
  EXPECT_EQ(
      TolerationsWith(R"("containers":[{"name":"a","resources":{"requests":{"example.com/b":"1","cpu":"1"}}}],
                               "initContainers":[{"name":"b","resources":{"requests":{"example.com/a":"1","example.com/b":"1"}}}])"),
      "example.com/a:Exists:NoSchedule example.com/b:Exists:NoSchedule ");
}

TEST(ExtendedResourceTolerationTest, OtherResourcesNeedNothing) {
  EXPECT_EQ(TolerationsWith(R"("containers":[{"name":"a","resources":{
                "limits":{"example.com/b":"1"},
                "requests":{"cpu":"1","hugepages-2Mi":"2Mi","kubernetes.io/x":"1","requests.example.com/x":"1"}}}])"),
            "");
}

TEST(ExtendedResourceTolerationTest, ATolerationOfTheSameTaintIsReplaced) {
  constexpr std::string_view kContainers =
      R"("containers":[{"name":"a","resources":{"requests":{"x.io/a":"1"}}}],"tolerations":)";
  const auto after = [&](std::string_view tolerations) {
    return TolerationsWith(std::string(kContainers) + std::string(tolerations));
  };
  EXPECT_EQ(
      after(
          R"([{"key":"x.io/a","operator":"Exists","effect":"NoSchedule","tolerationSeconds":5},{"key":"z"}])"),
      "x.io/a:Exists:NoSchedule z:: ");
  EXPECT_EQ(after(R"([{"key":"x.io/a","operator":"Equal","effect":"NoSchedule"}])"),
            "x.io/a:Equal:NoSchedule x.io/a:Exists:NoSchedule ");
  EXPECT_EQ(after(R"([{"operator":"Exists"}])"), ":Exists: x.io/a:Exists:NoSchedule ");
}

// ---- DenyServiceExternalIPs

TEST(DenyServiceExternalIpsTest, OnlyIpsThatAServiceHadAreAllowed) {
  const auto judge = [](std::string_view now, std::string_view was) {
    const auto service = [](std::string_view ips) {
      return R"({"metadata":{"name":"s"},"spec":{"externalIPs":[)" + std::string(ips) + "]}}";
    };
    Write write("", "services", service(now), was == "none" ? "" : service(was));
    return Refusal(write.Validate(DenyServiceExternalIps()));
  };
  const std::string refused =
      "services \"s\" is forbidden: Use of external IPs is denied by admission control";
  EXPECT_EQ(judge("", "none"), "");
  EXPECT_EQ(judge(R"("1.1.1.1")", "none"), refused);
  EXPECT_EQ(judge(R"("1.1.1.1")", ""), refused);
  EXPECT_EQ(judge(R"("1.1.1.1")", R"("1.1.1.1")"), "");
  EXPECT_EQ(judge(R"("1.1.1.1")", R"("2.2.2.2","1.1.1.1")"), "");
  EXPECT_EQ(judge(R"("1.1.1.1","2.2.2.2")", R"("1.1.1.1")"), refused);
  EXPECT_EQ(judge("", R"("1.1.1.1")"), "");
  EXPECT_FALSE(DenyServiceExternalIps().ConcernWith(Resource("", "services"), "status").validates);
}

// ---- LimitPodHardAntiAffinityTopology

TEST(LimitPodHardAntiAffinityTopologyTest, ARequiredTermMustBeAboutTheHost) {
  const auto judge = [](std::string_view anti_affinity) {
    Write write("", "pods",
                PodWith(R"("affinity":{"podAntiAffinity":{)" + std::string(anti_affinity) + "}}"));
    return Refusal(write.Validate(LimitPodHardAntiAffinityTopology()));
  };
  constexpr std::string_view kRequired = R"("requiredDuringSchedulingIgnoredDuringExecution":)";
  const auto required = [&](std::string_view terms) {
    return judge(std::string(kRequired) + std::string(terms));
  };
  EXPECT_EQ(required("[]"), "");
  EXPECT_EQ(required(R"([{"topologyKey":"kubernetes.io/hostname"}])"), "");
  EXPECT_EQ(
      required(R"([{"topologyKey":"kubernetes.io/hostname"},{"topologyKey":"zone"}])"),
      "pods \"p\" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but "
      "only key kubernetes.io/hostname is allowed");
  EXPECT_EQ(
      judge(
          R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"topologyKey":"zone"}}])"),
      "");
}

// ---- namespaces

class NamespacePluginsTest : public testing::Test {
 protected:
  NamespacePluginsTest() { objects_.Add("", "namespaces", R"({"metadata":{"name":"here"}})"); }

  Attributes In(std::string_view ns) {
    Attributes request = write_.request();
    request.ns = ns;
    return request;
  }
  std::vector<std::string> Namespaces() { return objects_.At("", "namespaces").Names(); }

  FakeObjects objects_;
  StoredNamespaces states_{objects_};
  Write write_{"", "configmaps", R"({"metadata":{"name":"c"}})"};
  const NamespaceAutoProvision provision_{states_, objects_};
  const NamespaceExists exists_{states_};
};

TEST_F(NamespacePluginsTest, ANamespaceIsMadeWhenSomethingIsCreatedInIt) {
  EXPECT_TRUE(base::SyncWait(provision_.Mutate(In("here"))));
  EXPECT_EQ(Namespaces(), std::vector<std::string>{"here"});
  EXPECT_TRUE(base::SyncWait(provision_.Mutate(In("new"))));
  EXPECT_EQ(Namespaces(), (std::vector<std::string>{"here", "new"}));
}

TEST_F(NamespacePluginsTest, NoNamespaceIsMadeForADryRunAnUpdateOrADeletion) {
  Attributes request = In("new");
  request.dry_run = true;
  EXPECT_TRUE(base::SyncWait(provision_.Mutate(request)));
  request = In("new");
  request.operation = Operation::kUpdate;
  EXPECT_TRUE(base::SyncWait(provision_.Mutate(request)));
  EXPECT_EQ(Namespaces(), std::vector<std::string>{"here"});
  EXPECT_FALSE(provision_.ConcernWith(Resource("", "namespaces"), "").mutates);
  EXPECT_FALSE(provision_.ConcernWith(Resource("", "nodes"), "").mutates);
}

TEST_F(NamespacePluginsTest, SomebodyElseMayMakeItMeanwhile) {
  objects_.At("", "namespaces").before_write = [&] {
    objects_.Add("", "namespaces", R"({"metadata":{"name":"new"}})");
  };
  EXPECT_TRUE(base::SyncWait(provision_.Mutate(In("new"))));
}

TEST_F(NamespacePluginsTest, ANamespaceThatCannotBeReadIsNotMade) {
  objects_.At("", "namespaces").fails = true;
  EXPECT_EQ(Refusal(base::SyncWait(provision_.Mutate(In("new")))),
            "configmaps \"c\" is forbidden: Internal error occurred: out of reach");
}

TEST_F(NamespacePluginsTest, NothingIsWrittenWhereThereIsNoNamespace) {
  EXPECT_TRUE(base::SyncWait(exists_.Validate(In("here"))));
  for (const Operation operation : {Operation::kCreate, Operation::kUpdate, Operation::kDelete}) {
    Attributes request = In("new");
    request.operation = operation;
    const Verdict refused = base::SyncWait(exists_.Validate(request));
    EXPECT_EQ(Refusal(refused), "namespaces \"new\" not found");
    EXPECT_EQ(refused.error().code, 404);
  }
  Attributes request = In("new");
  request.operation = Operation::kConnect;
  EXPECT_TRUE(base::SyncWait(exists_.Validate(request)));
  EXPECT_FALSE(exists_.ConcernWith(Resource("", "namespaces"), "").validates);
}

// ---- AlwaysAdmit, AlwaysDeny

TEST(AlwaysTest, AlwaysDenyRefusesInBothPhasesAndAlwaysAdmitInNone) {
  Write write("", "configmaps", R"({"metadata":{"generateName":"c-"}})");
  constexpr std::string_view kRefused =
      "configmaps \"c-\" is forbidden: admission control is denying all modifications";
  const AlwaysDeny deny;
  EXPECT_EQ(Refusal(write.Mutate(deny)), kRefused);
  EXPECT_EQ(Refusal(write.Validate(deny)), kRefused);
  const Concern concern = AlwaysAdmit().ConcernWith(Resource("", "configmaps"), "");
  EXPECT_FALSE(concern.mutates || concern.validates);
}

}  // namespace
}  // namespace keelson::admission
