// What the strategies of workloads do to objects, and what budgets say to evictions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/defaulting/defaulting.h"
#include "api/generated/apps_v1.h"
#include "api/generated/batch_v1.h"
#include "api/generated/core_v1.h"
#include "api/generated/policy_v1.h"
#include "api/validation/testing/json_doc.h"
#include "registry/apps/strategies.h"
#include "registry/batch/strategies.h"
#include "registry/core/disruption_budget.h"
#include "registry/core/pod_changes.h"
#include "registry/core/pod_warnings.h"

namespace keelson::registry {
namespace {

using api::Doc;
using api::testing::DocFromJson;
using api::testing::Texts;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const WriteContext kContext;

template <class View>
Doc Defaulted(std::string_view json) {
  Doc doc = DocFromJson<View>(json);
  api::SetDefaults(doc);
  return doc;
}

constexpr std::string_view kDaemonSet =
    R"({"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},
        "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})";

std::string_view TemplateGeneration(const Doc& doc) {
  const auto* annotation = api::apps_v1::DaemonSetView(doc).metadata().annotations().Find(
      "deprecated.daemonset.template.generation");
  return annotation ? annotation->string() : "none";
}

TEST(DaemonSetStrategyTest, CountsChangesOfTheTemplateByItself) {
  using api::apps_v1::DaemonSetEditor;
  using api::apps_v1::DaemonSetView;
  const Strategy& strategy = apps::DaemonSets();
  Doc made = Defaulted<DaemonSetView>(kDaemonSet);
  strategy.PrepareForCreate(kContext, made);
  EXPECT_EQ(TemplateGeneration(made), "1");
  EXPECT_EQ(DaemonSetView(made).metadata().generation(), 1);

  Doc ready = made.Clone();
  DaemonSetEditor(ready).mutable_spec().set_min_ready_seconds(3);
  DaemonSetEditor(ready).mutable_metadata().put_annotations("deprecated.daemonset.template.generation", "7");
  strategy.PrepareForUpdate(kContext, ready, made);
  EXPECT_EQ(TemplateGeneration(ready), "1");
  EXPECT_EQ(DaemonSetView(ready).metadata().generation(), 2);

  Doc changed = ready.Clone();
  DaemonSetEditor(changed).mutable_spec().mutable_template().mutable_metadata().put_annotations("x", "y");
  strategy.PrepareForUpdate(kContext, changed, ready);
  EXPECT_EQ(TemplateGeneration(changed), "2");
}

TEST(DeploymentStrategyTest, AnnotationsCountAsAChangeAndStatusIsKeptApart) {
  using api::apps_v1::DeploymentEditor;
  using api::apps_v1::DeploymentView;
  const Doc was = DocFromJson<DeploymentView>(
      R"({"metadata":{"generation":4,"labels":{"l":"1"}},"spec":{"replicas":1},"status":{"replicas":2}})");
  Doc annotated = was.Clone();
  DeploymentEditor(annotated).mutable_metadata().put_annotations("x", "y");
  DeploymentEditor(annotated).mutable_status().set_replicas(9);
  apps::Deployments().PrepareForUpdate(kContext, annotated, was);
  EXPECT_EQ(DeploymentView(annotated).metadata().generation(), 5);
  EXPECT_EQ(DeploymentView(annotated).status().replicas(), 2);

  Doc reported = was.Clone();
  DeploymentEditor(reported).mutable_spec().set_replicas(7);
  DeploymentEditor(reported).mutable_status().set_replicas(9);
  DeploymentEditor(reported).mutable_metadata().put_labels("l", "2");
  apps::DeploymentStatus().PrepareForUpdate(kContext, reported, was);
  EXPECT_EQ(DeploymentView(reported).spec().replicas(), 1);
  EXPECT_EQ(DeploymentView(reported).status().replicas(), 9);
  EXPECT_EQ(DeploymentView(reported).metadata().labels().Find("l")->string(), "1");
}

TEST(JobStrategyTest, AJobSelectsItsPodsByItsUid) {
  using api::batch_v1::JobView;
  Doc doc = Defaulted<JobView>(
      R"({"metadata":{"name":"j","uid":"u","namespace":"n"},
          "spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
  batch::Jobs().PrepareForCreate(kContext, doc);
  const JobView job(doc);
  const auto labels = job.spec().template_().metadata().labels();
  EXPECT_EQ(job.spec().selector().match_labels().Find("batch.kubernetes.io/controller-uid")->string(), "u");
  EXPECT_EQ(labels.Find("controller-uid")->string(), "u");
  EXPECT_EQ(labels.Find("job-name")->string(), "j");
  EXPECT_EQ(job.metadata().labels().size(), labels.size());
  EXPECT_THAT(Texts(batch::Jobs().Validate(kContext, doc)), IsEmpty());
}

TEST(JobStrategyTest, AJobWithoutLabelsHasThoseOfItsPods) {
  using api::batch_v1::JobView;
  const auto created = [](std::string_view labels) {
    Doc doc = Defaulted<JobView>(
        R"({"metadata":{"name":"j","uid":"u"},"spec":{"template":{"metadata":{"labels":{"app":"x"}},
        "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
    if (!labels.empty()) {
      doc = Defaulted<JobView>(R"({"metadata":{"name":"j","uid":"u","labels":)" + std::string(labels) +
                               R"(},"spec":{"template":{"metadata":{"labels":{"app":"x"}},
        "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
    }
    batch::Jobs().PrepareForCreate(kContext, doc);
    return doc;
  };
  const Doc without = created(""), with = created(R"({"app":"x"})");
  EXPECT_EQ(JobView(without).metadata().labels().size(), 5);
  EXPECT_EQ(JobView(without).metadata().labels().Find("job-name")->string(), "j");
  EXPECT_EQ(JobView(with).metadata().labels().size(), 1) << "its own stay, also when they are the same";
  EXPECT_EQ(JobView(with).spec().template_().metadata().labels().size(), 5);
}

TEST(PodChangesTest, AResizeChangesResourcesAndNothingElse) {
  using api::core_v1::PodView;
  const Doc was = Defaulted<PodView>(
      R"({"metadata":{"name":"p","generation":1},"status":{"qosClass":"Burstable"},
          "spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}})");
  auto resized = [&](std::string_view resources) {
    Doc now =
        Defaulted<PodView>(R"({"metadata":{"name":"p","labels":{"x":"y"}},"spec":{"containers":[{"name":"c",
        "image":"other","resources":)" +
                           std::string(resources) + "}]}}");
    core::PodResize().PrepareForUpdate(kContext, now, was);
    return now;
  };
  const Doc more = resized(R"({"requests":{"cpu":"2"}})");
  EXPECT_THAT(Texts(core::PodResize().ValidateUpdate(kContext, more, was)), IsEmpty());
  const PodView pod(more);
  EXPECT_EQ(pod.spec().containers()[0].image(), "i");
  EXPECT_EQ(pod.spec().containers()[0].resources().requests().Find("cpu")->string(), "2");
  EXPECT_EQ(pod.metadata().generation(), 2);
  EXPECT_TRUE(pod.metadata().labels().empty());

  const Doc none = resized("{}");
  EXPECT_THAT(
      Texts(core::PodResize().ValidateUpdate(kContext, none, was)),
      ElementsAre("spec: Invalid value: \"Burstable\": Pod QOS Class may not change as a result of resizing",
                  "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"));
}

constexpr std::string_view kBudgetHead = R"({"metadata":{"name":"b","generation":1},"status":)";

rest::Result<Doc> Evict(std::string_view status) {
  using api::policy_v1::PodDisruptionBudgetView;
  const Doc budget =
      DocFromJson<PodDisruptionBudgetView>(std::string(kBudgetHead) + std::string(status) + "}");
  return core::WithOneDisruptionLess(budget, "p", base::Clock::Real());
}

TEST(DisruptionBudgetTest, AllowsOneLessAndRemembersThePod) {
  const auto after =
      Evict(R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1})");
  ASSERT_TRUE(after);
  const auto status = api::policy_v1::PodDisruptionBudgetView(*after).status();
  EXPECT_EQ(status.disruptions_allowed(), 0);
  EXPECT_NE(status.disrupted_pods().Find("p"), nullptr);
  ASSERT_EQ(status.conditions().size(), 1u);
  EXPECT_EQ(status.conditions()[0].reason(), "InsufficientPods");
}

TEST(DisruptionBudgetTest, RefusesWithTheReason) {
  auto refusal = [](std::string_view status) {
    const auto answer = Evict(status);
    EXPECT_FALSE(answer);
    return answer ? api::Status() : answer.error();
  };
  const api::Status behind = refusal(R"({"disruptionsAllowed":1})");
  EXPECT_EQ(behind.code, 429);
  EXPECT_EQ(behind.details->retry_after_seconds, 10);
  EXPECT_EQ(behind.details->causes[0].reason, "DisruptionBudget");
  EXPECT_EQ(behind.details->causes[0].message,
            "The disruption budget b is still being processed by the server.");
  const api::Status none = refusal(R"({"observedGeneration":1,"currentHealthy":1,"desiredHealthy":1})");
  EXPECT_EQ(none.code, 429);
  EXPECT_EQ(none.details->causes[0].message,
            "The disruption budget b needs 1 healthy pods and has 1 currently");
  EXPECT_EQ(refusal(R"({"observedGeneration":1,"disruptionsAllowed":-1})").code, 403);
}

TEST(PodWarningsTest, TellWhereAndWhy) {
  using api::core_v1::PodView;
  const Doc doc = DocFromJson<PodView>(
      R"({"spec":{"nodeSelector":{"beta.kubernetes.io/os":"linux"},"imagePullSecrets":[{"name":"a"},{"name":"a"}],
          "containers":[{"name":"c","resources":{"limits":{"memory":"1500m"}},
          "env":[{"name":"A","value":"1"},{"name":"A","value":"$(A)2"},{"name":"A","value":"3"}],
          "ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":80,"protocol":"TCP","hostPort":8080}]}],
          "volumes":[{"name":"v","gitRepo":{"repository":"r"}},
                     {"name":"w","configMap":{"name":"m","items":[{"key":"a","path":"x"},{"key":"b","path":"x/y"}]}}]}})");
  core::Warnings warnings;
  core::WarnOfPod(PodView(doc), warnings);
  EXPECT_THAT(
      warnings,
      ElementsAre(
          "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" "
          "instead",
          "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
          "volume \"w\" (ConfigMap \"m\"): overlapping paths: \"x/y\" with \"x\"",
          "spec.imagePullSecrets[1].name: duplicate name \"a\"",
          "spec.containers[0].resources.limits[memory]: fractional byte value \"1500m\" is invalid, must be "
          "an "
          "integer",
          "spec.containers[0].env[2]: hides previous definition of \"A\", which may be dropped when using "
          "apply",
          "spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]"));
}

}  // namespace
}  // namespace keelson::registry
