#include "app/runtime_config.h"

#include <gtest/gtest.h>

#include "app/feature_gates.h"

namespace keelson::app {
namespace {

std::string Error(std::vector<std::string> pairs) {
  auto parsed = RuntimeConfig::Parse(pairs);
  return parsed ? "" : parsed.error();
}
RuntimeConfig Parsed(std::vector<std::string> pairs) {
  auto parsed = RuntimeConfig::Parse(pairs);
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

TEST(RuntimeConfigTest, VersionsThatOnlyUpstreamHasCanBeOffButNotOn) {
  EXPECT_EQ(Error({"storage.k8s.io/v1beta1=false"}), "");
  EXPECT_EQ(Error({"storage.k8s.io/v1beta1=true"}),
            "runtime-config: storage.k8s.io/v1beta1 is known to kube-apiserver but not served by keelson");
}

TEST(FeatureGatesTest, OnlyWhatIsThereCanBeChanged) {
  EXPECT_FALSE(ParseFeatureGates({})->cbor);
  EXPECT_TRUE(ParseFeatureGates({"kube:CBORServingAndStorage=true", "AllBeta=false"})->cbor);
  EXPECT_EQ(ParseFeatureGates({"Foo=true"}).error(), "unrecognized feature gate: Foo");
  EXPECT_EQ(ParseFeatureGates({"AllAlpha"}).error(), "missing bool value for AllAlpha");
  EXPECT_EQ(ParseFeatureGates({"AllAlpha=maybe"}).error(),
            "invalid value of AllAlpha=maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax");
  EXPECT_EQ(ParseFeatureGates({"AllAlpha=true"}).error(),
            "feature gate AllAlpha is known to kube-apiserver but cannot be changed in keelson");
}

}  // namespace
}  // namespace keelson::app
