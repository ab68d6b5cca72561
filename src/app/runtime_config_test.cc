#include "app/runtime_config.h"

#include <gtest/gtest.h>

#include "app/feature_gates.h"

namespace keelson::app {
namespace {

std::string Error(std::vector<std::string> pairs) {
  auto parsed = RuntimeConfig::Parse(pairs, FeatureGates());
  return parsed ? "" : parsed.error();
}
RuntimeConfig Parsed(std::vector<std::string> pairs) {
  auto parsed = RuntimeConfig::Parse(pairs, FeatureGates());
  EXPECT_TRUE(parsed) << parsed.error();
  return parsed ? *parsed : RuntimeConfig();
}

TEST(RuntimeConfigTest, EverythingIsServedUnlessItIsSaid) {
  EXPECT_TRUE(RuntimeConfig().Serves("", "v1", "pods"));
  EXPECT_TRUE(Parsed({}).Serves("apps", "v1", "deployments"));
  EXPECT_TRUE(
      Parsed({"api/all=true", "api/beta=true", "api/alpha=false"}).Serves("apps", "v1", "deployments"));
}

TEST(RuntimeConfigTest, TheMoreSpecificWins) {
  const RuntimeConfig config =
      Parsed({"api/all=false", "/v1=true", "apps/v1", "apps/v1/daemonsets=false", "batch/v1/jobs=true"});
  EXPECT_TRUE(config.Serves("", "v1", "pods"));
  EXPECT_TRUE(config.Serves("apps", "v1", "deployments"));
  EXPECT_FALSE(config.Serves("apps", "v1", "daemonsets"));
  EXPECT_TRUE(config.Serves("batch", "v1", "jobs"));
  EXPECT_FALSE(config.Serves("batch", "v1", "cronjobs"));
  EXPECT_FALSE(Parsed({"api/ga=false"}).Serves("apps", "v1", "deployments"));
}

TEST(RuntimeConfigTest, ErrorsAreThoseOfUpstream) {
  EXPECT_EQ(Error({"foo=true"}), "runtime-config invalid key foo");
  EXPECT_EQ(Error({"api/all=false"}), "invalid runtime-config with only api/all=false");
  EXPECT_EQ(Error({"foo/v1=true", "bar/v1=true"}), "unknown api groups bar/v1,foo/v1");
  EXPECT_EQ(Error({"apps/v9=true"}), "group version apps/v9 that has not been registered");
  EXPECT_EQ(
      Error({"apps/v1/Deployments=true"}),
      "invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, "
      "not \"Deployments\"");
  EXPECT_EQ(Error({"apps/v1=maybe"}),
            "invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax");
  EXPECT_EQ(Error({"api/all=maybe"}), "invalid value api/all=maybe");
}

TEST(RuntimeConfigTest, PreviewsAreServedWhereTheyAreAskedFor) {
  EXPECT_FALSE(RuntimeConfig().Serves("storage.k8s.io", "v1beta1", "volumeattributesclasses"));
  EXPECT_TRUE(
      Parsed({"storage.k8s.io/v1beta1=true"}).Serves("storage.k8s.io", "v1beta1", "volumeattributesclasses"));
  const RuntimeConfig one = Parsed({"networking.k8s.io/v1beta1/servicecidrs=true"});
  EXPECT_TRUE(one.Serves("networking.k8s.io", "v1beta1", "servicecidrs"));
  EXPECT_FALSE(one.Serves("networking.k8s.io", "v1beta1", "ipaddresses"));
}

TEST(RuntimeConfigTest, SwitchesAreForTheirStability) {
  const std::string group = "admissionregistration.k8s.io", plural = "mutatingadmissionpolicies";
  const RuntimeConfig beta = Parsed({"api/beta=true"});
  EXPECT_TRUE(beta.Serves(group, "v1", plural));
  EXPECT_TRUE(beta.Serves(group, "v1beta1", plural));
  EXPECT_FALSE(beta.Serves(group, "v1alpha1", plural));
  EXPECT_TRUE(Parsed({"api/all=true"}).Serves(group, "v1alpha1", plural));
  EXPECT_FALSE(Parsed({"api/alpha=false", "api/all=true"}).Serves(group, "v1alpha1", plural));
  EXPECT_FALSE(Parsed({"api/all=true", group + "/v1alpha1=false"}).Serves(group, "v1alpha1", plural));
}

TEST(RuntimeConfigTest, WhatWouldServeNothingIsRefusedByName) {
  EXPECT_EQ(Error({"flowcontrol.apiserver.k8s.io/v1beta3=false"}), "");
  EXPECT_EQ(
      Error({"flowcontrol.apiserver.k8s.io/v1beta3=true"}),
      "runtime-config: flowcontrol.apiserver.k8s.io/v1beta3 is removed, and nothing is served in it; use "
      "flowcontrol.apiserver.k8s.io/v1");
  EXPECT_EQ(
      Error({"storage.k8s.io/v1beta1/storageclasses=true"}),
      "runtime-config: storage.k8s.io/v1beta1/storageclasses serves nothing: there is no resource of that "
      "name");
}

TEST(RuntimeConfigTest, WhatIsBehindAGateNeedsTheGate) {
  const auto gates = *FeatureGates::Parse({"ClusterTrustBundle=true"});
  const std::string group = "certificates.k8s.io", plural = "clustertrustbundles";
  EXPECT_TRUE(RuntimeConfig::Parse({"api/beta=true"}, gates)->Serves(group, "v1beta1", plural));
  EXPECT_FALSE(RuntimeConfig::Parse({}, gates)->Serves(group, "v1beta1", plural));
  EXPECT_FALSE(Parsed({"api/beta=true"}).Serves(group, "v1beta1", plural));
  EXPECT_EQ(Error({group + "/v1beta1=true"}),
            "runtime-config: certificates.k8s.io/v1beta1 serves nothing without "
            "--feature-gates=ClusterTrustBundle=true");
}

TEST(RuntimeConfigTest, PreviewsAreStoredWhereOneOfTheirVersionsIsServed) {
  const auto& candidates = *api::FindResource("coordination.k8s.io", "v1beta1", "leasecandidates");
  EXPECT_FALSE(RuntimeConfig().Stores(candidates));
  EXPECT_TRUE(Parsed({"coordination.k8s.io/v1alpha2=true"}).Stores(candidates));
  EXPECT_TRUE(Parsed({"api/all=false", "/v1=true"}).Stores(*api::FindResource("apps", "v1", "deployments")));
}

TEST(FeatureGatesTest, OnlyWhatIsThereCanBeChanged) {
  EXPECT_FALSE(FeatureGates::Parse({})->Enabled("CBORServingAndStorage"));
  EXPECT_TRUE(FeatureGates::Parse({"kube:CBORServingAndStorage=true", "AllBeta=false", "AllAlpha=false"})
                  .error()
                  .starts_with("feature gate AllBeta=false is not possible in keelson, which cannot change "
                               "APIResponseCompression, "));
  EXPECT_TRUE(FeatureGates::Parse({"kube:CBORServingAndStorage=true", "AllAlpha=false"})
                  ->Enabled("CBORServingAndStorage"));
  EXPECT_EQ(FeatureGates::Parse({"Foo=true"}).error(), "unrecognized feature gate: Foo");
  EXPECT_EQ(FeatureGates::Parse({"AllAlpha"}).error(), "missing bool value for AllAlpha");
  EXPECT_EQ(FeatureGates::Parse({"AllAlpha=maybe"}).error(),
            "invalid value of AllAlpha=maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax");
  const std::string all = FeatureGates::Parse({"AllAlpha=true"}).error();
  EXPECT_TRUE(all.starts_with("feature gate AllAlpha=true is not possible in keelson, which cannot change "))
      << all;
  EXPECT_EQ(all.find("CBORServingAndStorage"), all.npos) << all;
  EXPECT_EQ(
      FeatureGates::Parse({"WatchList=false"}).error(),
      "feature gate WatchList is known to kube-apiserver but cannot be changed in keelson; leave it out, "
      "or say WatchList=true");
}

TEST(FeatureGatesTest, AGateMayNeedAnother) {
  EXPECT_EQ(FeatureGates::Parse({"GangScheduling=true"}).error(),
            "GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]");
  const auto gates =
      FeatureGates::Parse({"GangScheduling=true", "GenericWorkload=true", "WorkloadAwarePreemption=true"});
  ASSERT_TRUE(gates.has_value());
  EXPECT_TRUE(FeaturesOf(*gates).generic_workload);
  EXPECT_TRUE(FeaturesOf(*gates).workload_aware_preemption);
  EXPECT_FALSE(FeaturesOf(*gates).topology_aware_workload_scheduling);
  EXPECT_FALSE(FeaturesOf(*gates).pod_certificate_request);
}

TEST(FeatureGatesTest, GatesThatNeedNotBeGivenAnyMoreAreLockedOrWarnedOf) {
  EXPECT_EQ(FeatureGates::Parse({"JobPodReplacementPolicy=false"}).error(),
            "cannot set feature gate JobPodReplacementPolicy to false, feature is locked to true");
  EXPECT_EQ(FeatureGates::Parse({"JobPodReplacementPolicy=true"})->warnings().at(0),
            "setting GA feature gate JobPodReplacementPolicy=true. It will be removed in a future release.");
  EXPECT_EQ(FeatureGates::Parse({"KMSv1=false"})->warnings().at(0),
            "setting deprecated feature gate KMSv1=false. It will be removed in a future release.");
  EXPECT_TRUE(FeatureGates::Parse({"WatchList=true"})->warnings().empty());
}

}  // namespace
}  // namespace keelson::app
