// Expected texts are what kube-apiserver v1.36 answers.
#include "admission/plugins/pod_security.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/pod_security/evaluate.h"
#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

using pod_security::Level;
using pod_security::LevelVersion;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string Namespace(std::string_view labels) {
  return R"({"metadata": {"name": "ns", "labels": {)" + std::string(labels) + "}}}";
}

struct Outcome {
  std::string refusal;
  std::vector<std::string> warnings;
};

Outcome Ask(const FakeObjects& objects, Write& write, const PodSecurityConfig& config = {},
            const auth::User* user = nullptr) {
  const PodSecurity plugin(objects, config);
  Outcome outcome;
  Attributes request = write.request();
  request.ns = "ns";
  request.user = user;
  request.warnings = &outcome.warnings;
  outcome.refusal = Refusal(base::SyncWait(plugin.Validate(request)));
  return outcome;
}

constexpr std::string_view kPlainPod =
    R"({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})";
constexpr std::string_view kSecurePod =
    R"({"metadata": {"name": "a"}, "spec": {"securityContext": {"runAsNonRoot": true,
        "seccompProfile": {"type": "RuntimeDefault"}}, "containers": [{"name": "c", "image": "i",
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}]}})";
constexpr std::string_view kPlainDetails =
    "allowPrivilegeEscalation != false (container \"c\" must set "
    "securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container \"c\" must set "
    "securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or container \"c\" must set "
    "securityContext.runAsNonRoot=true), seccompProfile (pod or container \"c\" must set "
    "securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")";

TEST(PodSecurityTest, PodsKeepToTheLevelOfTheirNamespace) {
  FakeObjects objects;
  objects.Add("", "namespaces", Namespace(R"("pod-security.kubernetes.io/enforce": "restricted")"));
  Write plain("", "pods", kPlainPod), secure("", "pods", kSecurePod);
  EXPECT_EQ(
      Ask(objects, plain).refusal,
      "pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\": " + std::string(kPlainDetails));
  const Outcome allowed = Ask(objects, secure);
  EXPECT_EQ(allowed.refusal, "");
  EXPECT_THAT(allowed.warnings, IsEmpty());
}

TEST(PodSecurityTest, ANamespaceWithoutLabelsLetsEverythingIn) {
  FakeObjects objects;
  objects.Add("", "namespaces", Namespace(""));
  Write plain("", "pods", kPlainPod);
  EXPECT_EQ(Ask(objects, plain).refusal, "");
}

TEST(PodSecurityTest, WorkloadsAreWarnedOnly) {
  FakeObjects objects;
  objects.Add("", "namespaces", Namespace(R"("pod-security.kubernetes.io/enforce": "restricted")"));
  Write deployment("apps", "deployments",
                   R"({"metadata": {"name": "d"}, "spec": {"template": {"spec":
                       {"containers": [{"name": "c", "image": "i"}]}}}})");
  const Outcome outcome = Ask(objects, deployment);
  EXPECT_EQ(outcome.refusal, "");
  EXPECT_THAT(outcome.warnings,
              ElementsAre("would violate PodSecurity \"restricted:latest\": " + std::string(kPlainDetails)));
}

TEST(PodSecurityTest, OnlyNewImagesAreJudgedAgain) {
  FakeObjects objects;
  objects.Add("", "namespaces", Namespace(R"("pod-security.kubernetes.io/enforce": "restricted")"));
  Write same("", "pods", R"({"metadata": {"name": "a", "labels": {"b": "c"}},
                             "spec": {"containers": [{"name": "c", "image": "i"}]}})",
             kPlainPod);
  Write other("", "pods",
              R"({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "j"}]}})",
              kPlainPod);
  EXPECT_EQ(Ask(objects, same).refusal, "");
  EXPECT_THAT(Ask(objects, other).refusal, StartsWith("pods \"a\" is forbidden"));
}

TEST(PodSecurityTest, LabelsMustMakeSense) {
  FakeObjects objects;
  Write level("", "namespaces", Namespace(R"("pod-security.kubernetes.io/enforce": "strict")"));
  EXPECT_EQ(
      Ask(objects, level).refusal,
      "Namespace \"ns\" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "
      "\"strict\": must be one of privileged, baseline, restricted");
  Write version("", "namespaces", Namespace(R"("pod-security.kubernetes.io/warn-version": "v1.012")"));
  EXPECT_EQ(Ask(objects, version).refusal,
            "Namespace \"ns\" is invalid: metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid "
            "value: \"v1.012\": must be \"latest\" or \"v1.x\"");
  // What was there before stays possible.
  const std::string bad = Namespace(R"("pod-security.kubernetes.io/audit": "x")");
  Write kept("", "namespaces", bad, bad);
  EXPECT_EQ(Ask(objects, kept).refusal, "");
}

TEST(PodSecurityTest, AStricterLevelWarnsOfThePodsThatAreThere) {
  FakeObjects objects;
  for (const char* name : {"b", "a", "c"})
    objects.Add("", "pods",
                R"({"metadata": {"name": ")" + std::string(name) +
                    R"("}, "spec": {"hostPID": true, "containers": [{"name": "c"}]}})");
  Write stricter("", "namespaces", Namespace(R"("pod-security.kubernetes.io/enforce": "baseline")"),
                 Namespace(""));
  EXPECT_THAT(Ask(objects, stricter).warnings,
              ElementsAre("existing pods in namespace \"ns\" violate the new PodSecurity enforce level "
                          "\"baseline:latest\"",
                          "a (and 2 other pods): host namespaces"));
}

std::string Judge(std::string_view pod, Level level, int minor = LevelVersion::kLatest) {
  const api::Doc doc = api::testing::DocFromJson<api::core_v1::PodView>(pod);
  const api::core_v1::PodView view(doc);
  return pod_security::Details(pod_security::Evaluate({level, minor}, {view.metadata(), view.spec()}));
}

TEST(PodSecurityTest, EachRuleOfTheBaselineSaysWhatItMisses) {
  EXPECT_EQ(
      Judge(
          R"({"metadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/c": "unconfined"}},
                "spec": {"hostNetwork": true, "hostIPC": true,
                 "securityContext": {"sysctls": [{"name": "kernel.sem", "value": "1"}],
                  "seLinuxOptions": {"type": "spc_t", "user": "u"}, "seccompProfile": {"type": "Unconfined"},
                  "windowsOptions": {"hostProcess": true}},
                 "volumes": [{"name": "v", "hostPath": {"path": "/"}}, {"name": "w", "hostPath": {"path": "/"}}],
                 "initContainers": [{"name": "i", "ports": [{"containerPort": 1, "hostPort": 80}],
                  "livenessProbe": {"httpGet": {"host": "h", "port": 1}}}],
                 "containers": [{"name": "c", "ports": [{"containerPort": 1, "hostPort": 8080}],
                  "securityContext": {"privileged": true, "procMount": "Unmasked",
                   "capabilities": {"add": ["SYS_ADMIN", "CHOWN"]}}}]}})",
          Level::kBaseline),
      "forbidden AppArmor profile (annotation must not set AppArmor profile type to "
      "\"container.apparmor.security.beta.kubernetes.io/c=\"unconfined\"\"), non-default capabilities "
      "(container \"c\" must not include \"SYS_ADMIN\" in securityContext.capabilities.add), host namespaces "
      "(hostNetwork=true, hostIPC=true), hostPath volumes (volumes \"v\", \"w\"), hostPort (containers "
      "\"i\", "
      "\"c\" use hostPorts 80, 8080), probe or lifecycle host (container \"i\" uses probe or lifecycle host "
      "\"h\"), privileged (container \"c\" must not set securityContext.privileged=true), procMount "
      "(container \"c\" must not set securityContext.procMount to \"Unmasked\"), seLinuxOptions (pod set "
      "forbidden securityContext.seLinuxOptions: type \"spc_t\"; user may not be set), seccompProfile (pod "
      "must not set securityContext.seccompProfile.type to \"Unconfined\"), forbidden sysctls (kernel.sem), "
      "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)");
}

TEST(PodSecurityTest, RulesHoldAsTheirReleaseHadThem) {
  constexpr std::string_view kUserNamespace =
      R"({"spec": {"hostUsers": false, "securityContext": {"runAsUser": 0, "seccompProfile": {"type": "Localhost"}},
          "containers": [{"name": "c", "securityContext": {"allowPrivilegeEscalation": false,
          "capabilities": {"drop": ["ALL"]}}}]}})";
  EXPECT_EQ(Judge(kUserNamespace, Level::kRestricted), "");
  EXPECT_EQ(Judge(kUserNamespace, Level::kRestricted, 34),
            "runAsNonRoot != true (pod or container \"c\" must set securityContext.runAsNonRoot=true), "
            "runAsUser=0 (pod must not set runAsUser=0)");
  constexpr std::string_view kSysctl =
      R"({"spec": {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}]}}})";
  EXPECT_EQ(Judge(kSysctl, Level::kBaseline, 31), "forbidden sysctls (net.ipv4.tcp_rmem)");
  EXPECT_EQ(Judge(kSysctl, Level::kBaseline, 32), "");
  EXPECT_EQ(Judge(kSysctl, Level::kBaseline, 99), "");
  constexpr std::string_view kVolumes =
      R"({"spec": {"volumes": [{"name": "n", "nfs": {"server": "s", "path": "/"}}]}})";
  EXPECT_EQ(Judge(kVolumes, Level::kRestricted, 7),
            "restricted volume types (volume \"n\" uses restricted volume type \"nfs\")");
}

PodSecurityConfig Configured(const std::string& members) {
  auto config = ParsePodSecurityConfig(
      R"({"apiVersion": "pod-security.admission.config.k8s.io/v1", "kind": "PodSecurityConfiguration", )" +
      members + "}");
  EXPECT_TRUE(config) << config.error();
  return config.value_or(PodSecurityConfig());
}

TEST(PodSecurityTest, TheConfigurationSetsTheLevelsOfNamespacesThatSayNothing) {
  const auto config =
      Configured(R"("defaults": {"enforce": "baseline", "enforce-version": "v1.30", "warn": "restricted"})");
  EXPECT_EQ(config.defaults.enforce, (LevelVersion{Level::kBaseline, 30}));
  EXPECT_EQ(config.defaults.audit, LevelVersion());
  FakeObjects objects;
  objects.Add("", "namespaces", Namespace(""));
  Write plain("", "pods", kPlainPod);
  const Outcome warned = Ask(objects, plain, config);
  EXPECT_EQ(warned.refusal, "");
  EXPECT_THAT(warned.warnings, ElementsAre(StartsWith("would violate PodSecurity \"restricted:latest\": ")));
  Write host("", "pods",
             R"({"metadata": {"name": "a"}, "spec": {"hostNetwork": true, "containers": [{"name": "c"}]}})");
  EXPECT_THAT(Ask(objects, host, config).refusal,
              StartsWith("pods \"a\" is forbidden: violates PodSecurity \"baseline:v1.30\": "));
}

TEST(PodSecurityTest, NamespacesUsersAndRuntimeClassesMayBeExempt) {
  FakeObjects objects;
  objects.Add("", "namespaces", Namespace(R"("pod-security.kubernetes.io/enforce": "restricted")"));
  Write plain("", "pods", kPlainPod);
  Write gvisor(
      "", "pods",
      R"({"metadata": {"name": "a"}, "spec": {"runtimeClassName": "gvisor", "containers": [{"name": "c"}]}})");
  auth::User ann, bob;
  ann.name = "ann";
  bob.name = "bob";
  const auto users = Configured(R"("exemptions": {"usernames": ["ann"]})");
  EXPECT_EQ(Ask(objects, plain, users, &ann).refusal, "");
  EXPECT_NE(Ask(objects, plain, users, &bob).refusal, "");
  EXPECT_EQ(Ask(objects, plain, Configured(R"("exemptions": {"namespaces": ["ns"]})")).refusal, "");
  EXPECT_NE(Ask(objects, plain, Configured(R"("exemptions": {"namespaces": ["other"]})")).refusal, "");
  const auto classes = Configured(R"("exemptions": {"runtimeClasses": ["gvisor"]})");
  EXPECT_EQ(Ask(objects, gvisor, classes).refusal, "");
  EXPECT_NE(Ask(objects, plain, classes).refusal, "");
}

TEST(PodSecurityTest, LabelsOfAnExemptNamespaceAreWarnedOf) {
  FakeObjects objects;
  const auto config = Configured(R"("exemptions": {"namespaces": ["ns"]})");
  Write made(
      "", "namespaces",
      Namespace(
          R"("pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/audit": "restricted")"));
  EXPECT_THAT(
      Ask(objects, made, config).warnings,
      ElementsAre("namespace \"ns\" is exempt from Pod Security, and the policy (enforce=baseline:latest, "
                  "audit=restricted:latest) will be ignored"));
  EXPECT_THAT(Ask(objects, made).warnings, IsEmpty());
}

TEST(PodSecurityTest, WhatIsWrongWithTheConfigurationIsToldInUpstreamsWords) {
  const auto error = [](std::string text) {
    const auto config = ParsePodSecurityConfig(std::move(text));
    return config ? "" : config.error();
  };
  const std::string head =
      "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n";
  EXPECT_EQ(error(head), "");
  EXPECT_EQ(error(head + "defaults: {enforce: nope, enforce-version: v2}"),
            "failed to initialize admission plugin \"PodSecurity\": PodSecurity configuration error: "
            "[enforce: must be "
            "one of privileged, baseline, restricted, enforce-version: must be \"latest\" or \"v1.x\"]");
  EXPECT_EQ(
      error(head + "exemptions: {namespaces: [x, x], usernames: ['']}"),
      "failed to initialize admission plugin \"PodSecurity\": PodSecurity invalid: "
      "[exemptions.namespaces[1]: "
      "Duplicate value: \"x\", exemptions.usernames[0]: Invalid value: \"\": username must not be empty]");
  EXPECT_EQ(
      error(head + "defaults: {enforce: 3}"),
      "couldn't init admission plugin \"PodSecurity\": json: cannot unmarshal number into Go struct field "
      "PodSecurityDefaults.defaults.enforce of type string");
  EXPECT_EQ(error("kind: Pod\napiVersion: v1\n"),
            "couldn't init admission plugin \"PodSecurity\": no kind \"Pod\" is registered for version "
            "\"v1\" in scheme "
            "\"pkg/runtime/scheme.go:111\"");
}

}  // namespace
}  // namespace keelson::admission
