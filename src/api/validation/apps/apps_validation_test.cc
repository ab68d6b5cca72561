// Expected errors are what kube-apiserver v1.36 answers to the same objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/apps/controller_revision.h"
#include "api/validation/apps/daemon_set.h"
#include "api/validation/apps/deployment.h"
#include "api/validation/apps/stateful_set.h"
#include "api/validation/label_selector_match.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api::apps {
namespace {

using namespace apps_v1;
using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Texts;

// With what defaulting would have filled in; `spec` are further members of the spec.
std::string Workload(std::string_view spec, std::string_view labels = R"({"a":"b"})") {
  return R"({"metadata":{"name":"x","namespace":"n"},"spec":{"template":{"metadata":{"labels":)" +
         std::string(labels) +
         R"(},"spec":{"terminationGracePeriodSeconds":30,"restartPolicy":"Always","dnsPolicy":"ClusterFirst",
             "containers":[{"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}]}},)" +
         std::string(spec) + "}}";
}

constexpr std::string_view kSelector = R"("selector":{"matchLabels":{"a":"b"}})";
constexpr std::string_view kRollout =
    R"("strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}})";

std::string Deployment(std::string_view spec) {
  return Workload(std::string(kSelector) + "," + std::string(spec));
}

std::vector<std::string> DeploymentErrors(const std::string& json) {
  const Doc doc = DocFromJson<DeploymentView>(json);
  return Texts(ValidateDeployment(DeploymentView(doc)));
}

TEST(DeploymentValidationTest, AGoodOneHasNoErrors) {
  EXPECT_THAT(DeploymentErrors(Deployment(kRollout)), IsEmpty());
}

TEST(DeploymentValidationTest, TheSelectorIsRequiredAndMatchesTheTemplate) {
  EXPECT_THAT(DeploymentErrors(Workload(kRollout)),
              ElementsAre("spec.selector: Required value",
                          "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not "
                          "match template `labels`"));
  EXPECT_THAT(DeploymentErrors(Workload(R"("selector":{"matchLabels":{"a":"c"}},)" + std::string(kRollout))),
              ElementsAre("spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not "
                          "match template `labels`"));
  EXPECT_THAT(DeploymentErrors(Workload(R"("selector":{},)" + std::string(kRollout))),
              ElementsAre("spec.selector: Invalid value: {}: empty selector is invalid for deployment"));
}

TEST(DeploymentValidationTest, ARollingUpdateMustBeAbleToProceed) {
  EXPECT_THAT(
      DeploymentErrors(Deployment(
          R"("strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0,"maxSurge":"0%"}})")),
      ElementsAre("spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when "
                  "`maxSurge` is 0"));
  EXPECT_THAT(
      DeploymentErrors(Deployment(
          R"("strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"101%","maxSurge":-1}})")),
      ElementsAre("spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or "
                  "equal to 0",
                  "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be "
                  "greater than 100%"));
  EXPECT_THAT(DeploymentErrors(Deployment(R"("strategy":{"type":"Odd"})")),
              ElementsAre("spec.strategy: Unsupported value: {\"Type\":\"Odd\",\"RollingUpdate\":null}: "
                          "supported values: \"Recreate\", \"RollingUpdate\""));
}

TEST(DeploymentValidationTest, TheSelectorNeverChanges) {
  const Doc was = DocFromJson<DeploymentView>(Deployment(kRollout));
  const Doc now = DocFromJson<DeploymentView>(
      Workload(R"("selector":{"matchLabels":{"c":"d"}},)" + std::string(kRollout), R"({"c":"d"})"));
  EXPECT_THAT(
      Texts(ValidateDeploymentUpdate(DeploymentView(now), DeploymentView(was))),
      ElementsAre("spec.selector: Invalid value: {\"matchLabels\":{\"c\":\"d\"}}: field is immutable"));
}

TEST(DeploymentValidationTest, StatusCountsAreConsistent) {
  const Doc was = DocFromJson<DeploymentView>(R"({"status":{"collisionCount":2}})");
  const Doc now = DocFromJson<DeploymentView>(
      R"({"status":{"replicas":1,"readyReplicas":2,"availableReplicas":-1,"collisionCount":1}})");
  EXPECT_THAT(Texts(ValidateDeploymentStatusUpdate(DeploymentView(now), DeploymentView(was))),
              ElementsAre("status.availableReplicas: Invalid value: -1: must be greater than or equal to 0",
                          "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
                          "status.collisionCount: Invalid value: 1: cannot be decremented"));
}

TEST(DaemonSetValidationTest, ExactlyOneBoundOfARolloutIsUsed) {
  auto errors = [](std::string_view update) {
    const Doc doc = DocFromJson<DaemonSetView>(
        Workload(std::string(kSelector) + R"(,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":)" +
                 std::string(update) + "}"));
    return Texts(ValidateDaemonSet(DaemonSetView(doc)));
  };
  EXPECT_THAT(errors(R"({"maxUnavailable":1,"maxSurge":0})"), IsEmpty());
  EXPECT_THAT(errors(R"({"maxUnavailable":1,"maxSurge":1})"),
              ElementsAre("spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when "
                          "maxUnavailable is non-zero"));
  EXPECT_THAT(
      errors(R"({"maxUnavailable":0,"maxSurge":0})"),
      ElementsAre("spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when "
                  "maxSurge is 0"));
}

std::string StatefulSet(std::string_view more) {
  return Workload(
      std::string(kSelector) +
      R"(,"podManagementPolicy":"OrderedReady","updateStrategy":{"type":"RollingUpdate"},"replicas":1)" +
      std::string(more));
}

TEST(StatefulSetValidationTest, ClaimsBecomeVolumesOfThePods) {
  const std::string json = StatefulSet(
      R"(,"serviceName":"s","volumeClaimTemplates":[{"metadata":{"name":"data"},
          "spec":{"accessModes":["ReadWriteOnce"],"volumeMode":"Filesystem","resources":{"requests":{"storage":"1Gi"}}}}])");
  const std::string mounted = std::string(json).insert(
      json.find(R"("name":"c")"), R"("volumeMounts":[{"name":"data","mountPath":"/d"}],)");
  const Doc doc = DocFromJson<StatefulSetView>(mounted);
  EXPECT_THAT(Texts(ValidateStatefulSet(StatefulSetView(doc))), IsEmpty());
}

TEST(StatefulSetValidationTest, OnlyAFewFieldsMayChange) {
  const Doc was = DocFromJson<StatefulSetView>(StatefulSet(R"(,"serviceName":"s")"));
  const Doc scaled = DocFromJson<StatefulSetView>(StatefulSet(R"(,"serviceName":"s","minReadySeconds":3)"));
  const Doc moved = DocFromJson<StatefulSetView>(StatefulSet(R"(,"serviceName":"t")"));
  EXPECT_THAT(Texts(ValidateStatefulSetUpdate(StatefulSetView(scaled), StatefulSetView(was))), IsEmpty());
  EXPECT_THAT(Texts(ValidateStatefulSetUpdate(StatefulSetView(moved), StatefulSetView(was))),
              ElementsAre("spec: Forbidden: updates to statefulset spec for fields other than 'replicas', "
                          "'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
                          "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"));
}

TEST(ControllerRevisionValidationTest, DataIsAnObjectAndStays) {
  auto errors = [](std::string_view json) {
    const Doc doc = DocFromJson<ControllerRevisionView>(json);
    return Texts(ValidateControllerRevision(ControllerRevisionView(doc)));
  };
  EXPECT_THAT(errors(R"({"data":{"a":1},"revision":1})"), IsEmpty());
  EXPECT_THAT(errors(R"({"revision":-1})"),
              ElementsAre("revision: Invalid value: -1: must be greater than or equal to 0",
                          "data: Required value: data is mandatory"));
  EXPECT_THAT(errors(R"({"data":[1],"revision":1})"),
              ElementsAre("data: Required value: data must be a valid JSON object"));
}

TEST(LabelSelectorMatchTest, TextAndMatchesAgree) {
  const Doc doc = DocFromJson<DeploymentView>(
      R"({"metadata":{"labels":{"a":"1","c":"y"}},"spec":{"selector":{"matchLabels":{"c":"y"},"matchExpressions":[
          {"key":"a","operator":"In","values":["2","1"]},{"key":"d","operator":"DoesNotExist"},
          {"key":"b","operator":"NotIn","values":["z"]},{"key":"a","operator":"Exists"}]}}})");
  const DeploymentView deployment(doc);
  const auto selector = deployment.spec().selector();
  EXPECT_EQ(SelectorText(selector), "a in (1,2),a,b notin (z),c=y,!d");
  EXPECT_TRUE(SelectorMatches(selector, deployment.metadata().labels()));
  EXPECT_FALSE(SelectorMatches(selector, MapView()));
  EXPECT_FALSE(SelectorMatches(meta_v1::LabelSelectorView(), deployment.metadata().labels()));
  EXPECT_EQ(SelectorText(meta_v1::LabelSelectorView()), "");
}

}  // namespace
}  // namespace keelson::api::apps
