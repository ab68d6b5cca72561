#include "admission/plugins/service_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

using ::testing::StartsWith;

constexpr std::string_view kPod = R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}})";

class ServiceAccountTest : public ::testing::Test {
 protected:
  base::Task<void> Pause() {
    if (++pauses_ == account_comes_after_)
      objects_.Add("", "serviceaccounts", R"({"metadata":{"name":"default"}})");
    co_return;
  }

  FakeObjects objects_;
  int pauses_ = 0, account_comes_after_ = -1;
  const ServiceAccount plugin_{objects_, [this](std::chrono::milliseconds) { return Pause(); }};
};

TEST_F(ServiceAccountTest, APodGetsTheDefaultAccountAndAToken) {
  objects_.Add("", "serviceaccounts",
               R"({"metadata":{"name":"default"},"imagePullSecrets":[{"name":"pull"}]})");
  Write write("", "pods", kPod);
  EXPECT_EQ(Refusal(write.Mutate(plugin_)), "");
  EXPECT_EQ(Refusal(write.Validate(plugin_)), "");
  const auto spec = api::core_v1::PodView(write.object()).spec();
  EXPECT_EQ(spec.service_account_name(), "default");
  EXPECT_EQ(spec.service_account(), "default");
  EXPECT_EQ(spec.image_pull_secrets()[0].name(), "pull");
  ASSERT_EQ(spec.volumes().size(), 1u);
  EXPECT_THAT(spec.volumes()[0].name(), StartsWith("kube-api-access-"));
  const auto projected = spec.volumes()[0].volume_source().projected();
  EXPECT_EQ(projected.default_mode(), 420);
  EXPECT_EQ(projected.sources()[0].service_account_token().expiration_seconds(), 3607);
  EXPECT_EQ(spec.containers()[0].volume_mounts()[0].name(), spec.volumes()[0].name());
}

TEST_F(ServiceAccountTest, APodOrItsAccountMayDoWithoutAToken) {
  objects_.Add("", "serviceaccounts", R"({"metadata":{"name":"default"}})");
  objects_.Add("", "serviceaccounts", R"({"metadata":{"name":"bare"},"automountServiceAccountToken":false})");
  const auto volumes = [&](const std::string& spec) {
    Write write("", "pods",
                R"({"metadata":{"name":"p"},"spec":{)" + spec + R"("containers":[{"name":"c"}]}})");
    EXPECT_EQ(Refusal(write.Mutate(plugin_)), "");
    return api::core_v1::PodView(write.object()).spec().volumes().size();
  };
  EXPECT_EQ(volumes(R"("automountServiceAccountToken":false,)"), 0u);
  EXPECT_EQ(volumes(R"("serviceAccountName":"bare",)"), 0u);
  EXPECT_EQ(volumes(R"("serviceAccountName":"bare","automountServiceAccountToken":true,)"), 1u);
}

TEST_F(ServiceAccountTest, WhatIsMountedAtTheUsualPathStays) {
  objects_.Add("", "serviceaccounts", R"({"metadata":{"name":"default"}})");
  Write write("", "pods", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","volumeMounts":[
      {"name":"mine","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}],"volumes":[{"name":"mine"}]}})");
  EXPECT_EQ(Refusal(write.Mutate(plugin_)), "");
  const auto spec = api::core_v1::PodView(write.object()).spec();
  EXPECT_EQ(spec.volumes().size(), 1u);
  EXPECT_EQ(spec.containers()[0].volume_mounts().size(), 1u);
}

TEST_F(ServiceAccountTest, TheDefaultAccountOfANewNamespaceIsWaitedFor) {
  account_comes_after_ = 3;
  Write write("", "pods", kPod);
  EXPECT_EQ(Refusal(write.Mutate(plugin_)), "");
  EXPECT_EQ(pauses_, 3);
}

TEST_F(ServiceAccountTest, AnAccountThatIsNotThereIsAnError) {
  Write other("", "pods",
              R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"x","containers":[{"name":"c"}]}})");
  EXPECT_EQ(Refusal(other.Mutate(plugin_)),
            "pods \"p\" is forbidden: error looking up service account /x: serviceaccount \"x\" not found");
  EXPECT_EQ(pauses_, 0) << "nobody will make it";
  Write write("", "pods", kPod);
  EXPECT_EQ(Refusal(write.Mutate(plugin_)),
            "pods \"p\" is forbidden: error looking up service account /default: serviceaccount \"default\" "
            "not found");
  EXPECT_GT(pauses_, 0);
}

TEST_F(ServiceAccountTest, AnAccountMayAllowOnlyItsOwnSecrets) {
  objects_.Add("", "serviceaccounts", R"({"metadata":{"name":"default","annotations":
      {"kubernetes.io/enforce-mountable-secrets":"true"}},"secrets":[{"name":"ok"}]})");
  const auto refusal = [&](const std::string& spec) {
    Write write("", "pods",
                R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"default",)" + spec + "}}");
    return Refusal(write.Validate(plugin_));
  };
  EXPECT_EQ(refusal(R"("volumes":[{"name":"v","secret":{"secretName":"ok"}}])"), "");
  EXPECT_EQ(
      refusal(R"("volumes":[{"name":"v","secret":{"secretName":"no"}}])"),
      "pods \"p\" is forbidden: volume with secret.secretName=\"no\" is not allowed because service account "
      "default does not reference that secret");
  EXPECT_EQ(
      refusal(R"("containers":[{"name":"c","envFrom":[{"secretRef":{"name":"no"}}]}])"),
      "pods \"p\" is forbidden: container c with envFrom referencing secret.secretName=\"no\" is not allowed "
      "because service account default does not reference that secret");
  EXPECT_EQ(refusal(R"("imagePullSecrets":[{"name":"no"}])"),
            "pods \"p\" is forbidden: imagePullSecrets[0].name=\"no\" is not allowed because service account "
            "default "
            "does not reference that imagePullSecret");
}

TEST_F(ServiceAccountTest, MirrorPodsMayNotUseAccountsOrSecrets) {
  const auto refusal = [&](const std::string& spec) {
    Write write("", "pods",
                R"({"metadata":{"name":"p","annotations":{"kubernetes.io/config.mirror":"x"}},"spec":{)" +
                    spec + R"("containers":[{"name":"c"}]}})");
    const std::string text = Refusal(write.Mutate(plugin_));
    EXPECT_EQ(Refusal(write.Validate(plugin_)), text);
    return text;
  };
  EXPECT_EQ(refusal(""), "");
  EXPECT_EQ(refusal(R"("serviceAccountName":"default",)"),
            "pods \"p\" is forbidden: a mirror pod may not reference service accounts");
  EXPECT_EQ(refusal(R"("volumes":[{"name":"v","secret":{"secretName":"s"}}],)"),
            "pods \"p\" is forbidden: a mirror pod may not reference secrets");
  EXPECT_EQ(
      refusal(R"("volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}],)"),
      "pods \"p\" is forbidden: a mirror pod may not use ServiceAccountToken volume projections");
}

}  // namespace
}  // namespace keelson::admission
