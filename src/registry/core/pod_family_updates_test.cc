#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/defaulting/defaulting.h"
#include "api/generated/core_v1.h"
#include "api/validation/testing/json_doc.h"
#include "registry/core/service_fields.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::Doc;
using api::testing::DocFromJson;
using api::testing::Texts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

namespace v1 = api::core_v1;

const WriteContext kUpdateContext;

template <class View>
Doc Defaulted(std::string_view json) {
  Doc doc = DocFromJson<View>(json);
  api::SetDefaults(doc);
  return doc;
}

// Errors of updating one object to another.
template <class View>
std::vector<std::string> Update(const Strategy& strategy, std::string_view was_json,
                                std::string_view now_json) {
  const Doc was = Defaulted<View>(was_json);
  Doc now = Defaulted<View>(now_json);
  strategy.PrepareForUpdate(kUpdateContext, now, was);
  return Texts(strategy.ValidateUpdate(kUpdateContext, now, was));
}

std::string Pod(std::string_view spec, std::string_view status = "") {
  return R"({"metadata":{"name":"p","generation":3},"spec":{)" + std::string(spec) + R"(},"status":{)" +
         std::string(status) + "}}";
}
constexpr std::string_view kContainer = R"("containers":[{"name":"c","image":"i"}])";

std::optional<int64_t> Grace(const std::string& pod, std::optional<int64_t> asked = {}) {
  DeleteOptions options;
  options.grace_period_seconds = asked;
  return Pods().GracePeriodSeconds(Defaulted<v1::PodView>(pod), options);
}

TEST(PodStrategyTest, OnlyAPodThatRunsIsGivenTimeToEnd) {
  const std::string running =
      Pod(R"("nodeName":"n","terminationGracePeriodSeconds":7)", R"("phase":"Running")");
  EXPECT_EQ(Grace(running), 7);
  EXPECT_EQ(Grace(running, 2), 2);
  EXPECT_EQ(Grace(running, 0), 0);
  EXPECT_EQ(Grace(running, -3), 1);
  EXPECT_EQ(Grace(Pod(R"("terminationGracePeriodSeconds":7)")), 0) << "not scheduled";
  EXPECT_EQ(Grace(Pod(R"("nodeName":"n")", R"("phase":"Succeeded")")), 0);
  EXPECT_EQ(Grace(Pod(R"("nodeName":"n")", R"("phase":"Failed")"), 9), 0);
  EXPECT_EQ(Grace(Pod(R"("nodeName":"n")")), 30) << "the default";
}

TEST(PodStrategyTest, GenerationCountsChangesOfTheSpecAlone) {
  const Doc was = Defaulted<v1::PodView>(Pod(kContainer, R"("phase":"Running")"));
  Doc same = Defaulted<v1::PodView>(Pod(kContainer, R"("phase":"Failed")"));
  Pods().PrepareForUpdate(kUpdateContext, same, was);
  EXPECT_EQ(v1::PodView(same).metadata().generation(), 3);
  EXPECT_EQ(v1::PodView(same).status().phase(), "Running") << "status is not changed this way";

  Doc changed = Defaulted<v1::PodView>(Pod(R"("containers":[{"name":"c","image":"j"}])"));
  Pods().PrepareForUpdate(kUpdateContext, changed, was);
  EXPECT_EQ(v1::PodView(changed).metadata().generation(), 4);
}

TEST(PodStrategyTest, AStatusUpdateLeavesSpecOwnersAndQosAlone) {
  const Doc was = Defaulted<v1::PodView>(
      R"({"metadata":{"name":"p","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"u"}]},
          "spec":{"containers":[{"name":"c","image":"i"}]},
          "status":{"qosClass":"Burstable","observedGeneration":2,"conditions":[{"type":"Ready","status":"True","observedGeneration":5}]}})");
  Doc now = Defaulted<v1::PodView>(
      R"({"metadata":{"name":"p"},"spec":{"nodeName":"n"},
          "status":{"phase":"Running","conditions":[{"type":"Ready","status":"False"}]}})");
  PodStatus().PrepareForUpdate(kUpdateContext, now, was);
  const v1::PodView pod(now);
  EXPECT_EQ(pod.spec().node_name(), "");
  EXPECT_EQ(pod.metadata().owner_references()[0].uid(), "u");
  EXPECT_EQ(pod.status().qos_class(), "Burstable");
  EXPECT_EQ(pod.status().observed_generation(), 2);
  EXPECT_EQ(pod.status().conditions()[0].observed_generation(), 5);
  EXPECT_EQ(pod.status().phase(), "Running");
  EXPECT_THAT(Texts(PodStatus().ValidateUpdate(kUpdateContext, now, was)), IsEmpty());
}

TEST(PodStrategyTest, FieldsOfFeaturesThatAreOffAreDroppedUnlessInUse) {
  const std::string json = Pod(
      R"("os":{"name":"linux"},"schedulingGroup":{"podGroupName":"g"},"containers":[{"name":"c","image":"i","lifecycle":{"stopSignal":"SIGTERM"}}])");
  Doc fresh = Defaulted<v1::PodView>(json);
  Pods().PrepareForCreate(kUpdateContext, fresh);
  EXPECT_FALSE(v1::PodView(fresh).spec().scheduling_group());
  EXPECT_FALSE(v1::PodView(fresh).spec().containers()[0].lifecycle());
  const Doc was = Defaulted<v1::PodView>(json);
  Doc now = Defaulted<v1::PodView>(json);
  Pods().PrepareForUpdate(kUpdateContext, now, was);
  EXPECT_TRUE(v1::PodView(now).spec().scheduling_group());
  EXPECT_TRUE(v1::PodView(now).spec().containers()[0].lifecycle().has_stop_signal());
}

TEST(PodStrategyTest, FieldsOfFeaturesThatAreOnStay) {
  const std::string json = Pod(
      R"("schedulingGroup":{"podGroupName":"g"},"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","projected":{"sources":[{"podCertificate":{"signerName":"a.b/c","keyType":"ED25519","keyPath":"k"}}]}}])");
  const auto created = [&](const Features& features) {
    WriteContext context;
    context.features = features;
    Doc doc = Defaulted<v1::PodView>(json);
    Pods().PrepareForCreate(context, doc);
    return doc;
  };
  const auto certificate = [](const Doc& doc) {
    return static_cast<bool>(
        v1::PodView(doc).spec().volumes()[0].volume_source().projected().sources()[0].pod_certificate());
  };
  const Doc off = created({}), group = created({.generic_workload = true}),
            request = created({.pod_certificate_request = true});
  EXPECT_FALSE(v1::PodView(off).spec().scheduling_group());
  EXPECT_FALSE(certificate(off));
  EXPECT_TRUE(v1::PodView(group).spec().scheduling_group());
  EXPECT_FALSE(certificate(group));
  EXPECT_TRUE(certificate(request));
}

TEST(PodStrategyTest, MostOfASpecIsImmutable) {
  const std::string was = Pod(kContainer);
  EXPECT_THAT(Update<v1::PodView>(Pods(), was, was), IsEmpty());
  EXPECT_THAT(Update<v1::PodView>(
                  Pods(), was, Pod(R"("containers":[{"name":"c","image":"j","imagePullPolicy":"Always"}])")),
              IsEmpty());
  EXPECT_THAT(Update<v1::PodView>(
                  Pods(), was, Pod(R"("activeDeadlineSeconds":5,"containers":[{"name":"c","image":"i"}])")),
              IsEmpty());
  EXPECT_THAT(Update<v1::PodView>(
                  Pods(), was,
                  Pod(R"("tolerations":[{"operator":"Exists"}],"containers":[{"name":"c","image":"i"}])")),
              IsEmpty());
  EXPECT_THAT(
      Update<v1::PodView>(Pods(), was, Pod(R"("hostname":"h","containers":[{"name":"c","image":"i"}])")),
      ElementsAre(StartsWith(
          "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
          "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
          "existing "
          "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
          "negative)\n")));
  EXPECT_THAT(Update<v1::PodView>(Pods(), was,
                                  Pod(R"("containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}])")),
              ElementsAre("spec.containers: Forbidden: pod updates may not add or remove containers"));
  EXPECT_THAT(
      Update<v1::PodView>(
          Pods(), Pod(R"("tolerations":[{"operator":"Exists"}],"containers":[{"name":"c","image":"i"}])"),
          was),
      ElementsAre("spec.tolerations: Forbidden: existing toleration can not be modified except its "
                  "tolerationSeconds"));
  EXPECT_THAT(
      Update<v1::PodView>(Pods(), Pod(R"("activeDeadlineSeconds":5,"containers":[{"name":"c","image":"i"}])"),
                          Pod(R"("activeDeadlineSeconds":6,"containers":[{"name":"c","image":"i"}])")),
      ElementsAre(
          "spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value"));
}

TEST(PodStrategyTest, AGatedPodMayBeNarrowedAndUngated) {
  const std::string was = Pod(
      R"("schedulingGates":[{"name":"a/b"}],"nodeSelector":{"x":"y"},"containers":[{"name":"c","image":"i"}])");
  EXPECT_THAT(
      Update<v1::PodView>(Pods(), was,
                          Pod(R"("nodeSelector":{"x":"y","z":"w"},"containers":[{"name":"c","image":"i"}])")),
      IsEmpty());
  EXPECT_THAT(
      Update<v1::PodView>(
          Pods(), was,
          Pod(R"("schedulingGates":[{"name":"a/c"}],"nodeSelector":{"x":"z"},"containers":[{"name":"c","image":"i"}])")),
      ElementsAre("spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new "
                  "scheduling gate 'a/c'",
                  "spec.nodeSelector: Invalid value: {\"x\":\"z\"}: only additions to spec.nodeSelector are "
                  "allowed (no "
                  "mutations or deletions)"));
}

TEST(PodStrategyTest, AContainerThatEndedForGoodStaysEnded) {
  auto status = [](std::string_view state) {
    return R"("containerStatuses":[{"name":"c","image":"","imageID":"","ready":false,"restartCount":0,"state":{)" +
           std::string(state) + "}}]";
  };
  const std::string spec = R"("restartPolicy":"Never","containers":[{"name":"c","image":"i"}])";
  const std::string ended = Pod(spec, status(R"("terminated":{"exitCode":1})"));
  EXPECT_THAT(
      Update<v1::PodView>(PodStatus(), ended, Pod(spec, status(R"("running":{})"))),
      ElementsAre(
          "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"));
  const std::string on_failure = R"("restartPolicy":"OnFailure","containers":[{"name":"c","image":"i"}])";
  EXPECT_THAT(Update<v1::PodView>(PodStatus(), Pod(on_failure, status(R"("terminated":{"exitCode":1})")),
                                  Pod(on_failure, status(R"("running":{})"))),
              IsEmpty());
}

TEST(ReplicationControllerStrategyTest, GenerationCountsAndPodsAreOrphanedByDefault) {
  constexpr std::string_view kWas =
      R"({"metadata":{"name":"r","generation":2},"spec":{"replicas":1,"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},
          "spec":{"containers":[{"name":"c","image":"i"}]}}},"status":{"replicas":1}})";
  const Doc was = Defaulted<v1::ReplicationControllerView>(kWas);
  Doc now = Defaulted<v1::ReplicationControllerView>(kWas);
  v1::ReplicationControllerEditor(now).mutable_spec().set_replicas(5);
  v1::ReplicationControllerEditor(now).mutable_status().set_replicas(5);
  ReplicationControllers().PrepareForUpdate(kUpdateContext, now, was);
  EXPECT_EQ(v1::ReplicationControllerView(now).metadata().generation(), 3);
  EXPECT_EQ(v1::ReplicationControllerView(now).status().replicas(), 1);
  EXPECT_TRUE(ReplicationControllers().OrphanDependentsByDefault());
  EXPECT_THAT(Update<v1::ReplicationControllerView>(
                  ReplicationControllerStatus(), kWas,
                  R"({"metadata":{"name":"r"},"status":{"replicas":1,"readyReplicas":2}})"),
              ElementsAre("status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"));
}

TEST(ServiceStrategyTest, WhatWasAllocatedSurvivesAnUpdateThatLeavesItOut) {
  const Doc was = Defaulted<v1::ServiceView>(
      R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ports":[{"port":80,"nodePort":30000}]}})");
  Doc now = Defaulted<v1::ServiceView>(
      R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","ports":[{"port":80}]}})");
  KeepAllocated(v1::ServiceEditor(now).mutable_spec(), v1::ServiceView(was).spec());
  Services().PrepareForUpdate(kUpdateContext, now, was);
  const auto spec = v1::ServiceView(now).spec();
  EXPECT_EQ(spec.cluster_ip(), "10.0.0.1");
  EXPECT_EQ(spec.cluster_ips()[0].string(), "10.0.0.1");
  EXPECT_EQ(spec.ports()[0].node_port(), 30000);
  EXPECT_THAT(Texts(Services().ValidateUpdate(kUpdateContext, now, was)), IsEmpty());
}

TEST(ServiceStrategyTest, AChangeOfTypeShedsWhatTheOldTypeHad) {
  const Doc was = Defaulted<v1::ServiceView>(
      R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],
          "ports":[{"port":80,"nodePort":30000}]},"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}})");
  Doc now = was.Clone();
  v1::ServiceEditor(now).mutable_spec().set_type("ClusterIP");
  Services().PrepareForUpdate(kUpdateContext, now, was);
  const v1::ServiceView service(now);
  EXPECT_EQ(service.spec().ports()[0].node_port(), 0);
  EXPECT_FALSE(service.spec().has_allocate_load_balancer_node_ports());
  EXPECT_EQ(service.spec().external_traffic_policy(), "");
  EXPECT_TRUE(service.status().load_balancer().ingress().empty());
  EXPECT_EQ(service.spec().cluster_ip(), "10.0.0.1");
  EXPECT_THAT(Texts(Services().ValidateUpdate(kUpdateContext, now, was)), IsEmpty());

  Doc external = was.Clone();
  v1::ServiceEditor(external).mutable_spec().set_type("ExternalName");
  v1::ServiceEditor(external).mutable_spec().set_external_name("a.b");
  Services().PrepareForUpdate(kUpdateContext, external, was);
  EXPECT_EQ(v1::ServiceView(external).spec().cluster_ip(), "");
  EXPECT_TRUE(v1::ServiceView(external).spec().cluster_ips().empty());
}

TEST(ServiceStrategyTest, ANameOutsideOfTheClusterHasNoInternalTrafficPolicy) {
  Doc doc = Defaulted<v1::ServiceView>(
      R"({"metadata":{"name":"s"},"spec":{"type":"ExternalName","externalName":"a.b","internalTrafficPolicy":"Local"}})");
  Services().Canonicalize(doc);
  EXPECT_FALSE(v1::ServiceView(doc).spec().has_internal_traffic_policy());
}

TEST(ServiceStrategyTest, TheClusterIpStays) {
  EXPECT_THAT(
      Update<v1::ServiceView>(
          Services(),
          R"({"metadata":{"name":"s"},"spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ports":[{"port":80}]}})",
          R"({"metadata":{"name":"s"},"spec":{"clusterIP":"10.0.0.2","clusterIPs":["10.0.0.2"],"ports":[{"port":80}]}})"),
      ElementsAre("spec.clusterIPs[0]: Invalid value: [\"10.0.0.2\"]: may not change once set"));
}

constexpr std::string_view kClaim =
    R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}},"volumeName":"v"},
        "status":{"phase":"Bound","capacity":{"storage":"2Gi"}}})";

std::vector<std::string> UpdateClaim(void (*change)(v1::PersistentVolumeClaimSpecEditor)) {
  const Doc was = Defaulted<v1::PersistentVolumeClaimView>(kClaim);
  Doc now = was.Clone();
  change(v1::PersistentVolumeClaimEditor(now).mutable_spec());
  PersistentVolumeClaims().PrepareForUpdate(kUpdateContext, now, was);
  return Texts(PersistentVolumeClaims().ValidateUpdate(kUpdateContext, now, was));
}

TEST(PersistentVolumeClaimStrategyTest, ABoundClaimMayGrowAndNothingElse) {
  using Spec = v1::PersistentVolumeClaimSpecEditor;
  EXPECT_THAT(UpdateClaim([](Spec s) { s.mutable_resources().put_requests("storage", "3Gi"); }), IsEmpty());
  EXPECT_THAT(
      UpdateClaim([](Spec s) { s.mutable_resources().put_requests("storage", "1Gi"); }),
      ElementsAre("spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"));
  EXPECT_THAT(UpdateClaim([](Spec s) { s.set_volume_name("w"); }),
              ElementsAre(StartsWith(
                  "spec: Forbidden: spec is immutable after creation except resources.requests and "
                  "volumeAttributesClassName for bound claims\n")));
  EXPECT_THAT(UpdateClaim([](Spec s) { s.set_storage_class_name("fast"); }), IsEmpty())
      << "a claim without class may name one";
}

TEST(PersistentVolumeStrategyTest, TheSourceIsImmutable) {
  EXPECT_THAT(
      Update<v1::PersistentVolumeView>(
          PersistentVolumes(),
          R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/a"}}})",
          R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/b"}}})"),
      ElementsAre(StartsWith("spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is "
                             "immutable after creation\n")));
}

TEST(PersistentVolumeStrategyTest, TheServerKeepsTheTimeOfThePhase) {
  const Doc was = Defaulted<v1::PersistentVolumeView>(
      R"({"metadata":{"name":"v"},"status":{"phase":"Available","lastPhaseTransitionTime":"2020-01-01T00:00:00Z"}})");
  Doc same =
      Defaulted<v1::PersistentVolumeView>(R"({"metadata":{"name":"v"},"status":{"phase":"Available"}})");
  PersistentVolumeStatus().PrepareForUpdate(kUpdateContext, same, was);
  const int64_t then = v1::PersistentVolumeView(was).status().last_phase_transition_time();
  EXPECT_EQ(v1::PersistentVolumeView(same).status().last_phase_transition_time(), then);
  Doc bound = Defaulted<v1::PersistentVolumeView>(R"({"metadata":{"name":"v"},"status":{"phase":"Bound"}})");
  PersistentVolumeStatus().PrepareForUpdate(kUpdateContext, bound, was);
  EXPECT_GT(v1::PersistentVolumeView(bound).status().last_phase_transition_time(), then);
}

TEST(NodeStrategyTest, ANodeKeepsWhatIdentifiesIt) {
  EXPECT_THAT(
      Update<v1::NodeView>(
          Nodes(), R"({"metadata":{"name":"n"},"spec":{"providerID":"a","podCIDR":"10.0.0.0/24"}})",
          R"({"metadata":{"name":"n"},"spec":{"providerID":"b","podCIDR":"10.1.0.0/24","unschedulable":true}})"),
      ElementsAre(
          "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to valid",
          "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to valid"));
  EXPECT_THAT(
      Update<v1::NodeView>(
          NodeStatus(), R"({"metadata":{"name":"n"}})",
          R"({"metadata":{"name":"n"},"status":{"addresses":[{"type":"Hostname","address":"a"},{"type":"Hostname","address":"a"}]}})"),
      ElementsAre(HasSubstr("status.addresses[1]: Duplicate value")));
}

}  // namespace
}  // namespace keelson::registry::core
