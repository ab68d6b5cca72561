#include "admission/plugins/node_restriction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "admission/testing/fakes.h"
#include "api/generated/authentication_v1.h"
#include "api/generated/policy_v1.h"
#include "auth/testing/certificate_requests.h"
#include "base/base64.h"

namespace keelson::admission {
namespace {

// Allows one verb on one "resource", and remembers the question.
class FakeAudiences final : public auth::Authorizer {
 public:
  base::Task<auth::Verdict> Authorize(const auth::Attributes& a) override {
    asked = std::string(a.user->name) + " " + std::string(a.verb) + " " + std::string(a.resource) + " " +
            std::string(a.ns) + "/" + std::string(a.name);
    co_return auth::Verdict{
        .decision = a.resource == allowed ? auth::Decision::kAllow : auth::Decision::kNoOpinion,
        .reason = {},
        .error = error};
  }
  std::string allowed = "none", error, asked;
};

struct NodeWrite {
  std::string_view group, plural, subresource;
  Operation operation = Operation::kCreate;
  std::string object = {}, old = {};
  const api::TypeDesc* type = nullptr;  // of the object; null: the resource's
  std::string_view ns = {}, name = {};
};

class NodeRestrictionTest : public testing::Test {
 protected:
  using enum Operation;

  // The part of the message after "... is forbidden: ", or the whole message of another error.
  std::string Ask(const NodeWrite& write) {
    const api::ResourceDesc& resource = Resource(write.group, write.plural);
    EXPECT_TRUE(plugin_.ConcernWith(resource, write.subresource).mutates);
    EXPECT_FALSE(plugin_.ConcernWith(resource, write.subresource).validates);
    const auto read = [&](const std::string& json, const api::TypeDesc& type) {
      return json.empty() ? api::Doc() : api::testing::DocFromJson(json, type);
    };
    api::Doc object = read(write.object, write.type ? *write.type : *resource.type);
    const api::Doc old = read(write.old, *resource.type);
    std::string_view name = write.name;
    if (name.empty() && object && !write.type) name = api::MetadataOf(object).name();
    if (name.empty() && old) name = api::MetadataOf(old).name();
    const Attributes request{.operation = write.operation,
                             .resource = &resource,
                             .subresource = write.subresource,
                             .ns = write.ns,
                             .name = name,
                             .user = &user_,
                             .object = object ? &object : nullptr,
                             .old_object = old ? &old : nullptr};
    const std::string refusal = Refusal(base::SyncWait(plugin_.Mutate(request)));
    constexpr std::string_view kForbidden = "is forbidden: ";
    const size_t at = refusal.find(kForbidden);
    return at == std::string::npos ? refusal : refusal.substr(at + kForbidden.size());
  }

  std::string CreatePod(const std::string& spec, const std::string& metadata = kMirrorMetadata) {
    return Ask({.group = "",
                .plural = "pods",
                .subresource = "",
                .object = R"({"metadata":{"name":"p",)" + metadata + R"(},"spec":{)" + spec + "}}"});
  }
  std::string UpdateNode(const std::string& now, const std::string& was, std::string_view sub = "") {
    return Ask({.group = "",
                .plural = "nodes",
                .subresource = sub,
                .operation = kUpdate,
                .object = R"({"metadata":{"name":"n1"},)" + now + "}",
                .old = R"({"metadata":{"name":"n1"},)" + was + "}"});
  }
  std::string RequestToken(const std::string& spec) {
    return Ask({.group = "",
                .plural = "serviceaccounts",
                .subresource = "token",
                .object = R"({"spec":{)" + spec + "}}",
                .type = &api::authentication_v1::kTokenRequestType,
                .ns = "demo",
                .name = "builder"});
  }
  std::string RequestAudience(const std::string& audience) {
    return RequestToken(
        R"("boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"},"audiences":[")" +
        audience + R"("])");
  }

  static inline const std::string kOwner =
      R"("apiVersion":"v1","kind":"Node","name":"n1","uid":"node-uid","controller":true)";
  static inline const std::string kMirrorMetadata =
      R"("annotations":{"kubernetes.io/config.mirror":"x"},"ownerReferences":[{)" + kOwner + "}]";

  FakeObjects objects_;
  FakeAudiences authorizer_;
  auth::User user_{.name = "system:node:n1", .uid = {}, .groups = {"system:nodes"}, .extra = {}};
  const NodeRestriction plugin_{objects_, &authorizer_};
};

TEST_F(NodeRestrictionTest, OnlyNodesAreRestricted) {
  const auto create = [&] { return CreatePod("", R"("labels":{})"); };
  user_ = {.name = "ann", .uid = {}, .groups = {"system:nodes"}, .extra = {}};
  EXPECT_EQ(create(), "");
  user_ = {.name = "system:node:n1", .uid = {}, .groups = {"devs"}, .extra = {}};
  EXPECT_EQ(create(), "");
  user_ = {.name = "system:node:", .uid = {}, .groups = {"system:nodes"}, .extra = {}};
  EXPECT_EQ(create(), "could not determine node from user \"system:node:\"");
}

TEST_F(NodeRestrictionTest, OtherResourcesAreForAuthorizationToJudge) {
  const NodeWrite map{
      .group = "", .plural = "configmaps", .subresource = "", .object = R"({"metadata":{"name":"m"}})"};
  const NodeWrite account{
      .group = "", .plural = "serviceaccounts", .subresource = "", .object = R"({"metadata":{"name":"a"}})"};
  EXPECT_EQ(Ask(map), "");
  EXPECT_EQ(Ask(account), "");
  user_.name = "system:node:";
  EXPECT_EQ(Ask(map), "could not determine node from user \"system:node:\"");
}

TEST_F(NodeRestrictionTest, ConnectionsAreNotRestricted) {
  EXPECT_EQ(Ask({.group = "", .plural = "pods", .subresource = "exec", .operation = kConnect, .name = "p"}),
            "");
}

TEST_F(NodeRestrictionTest, ANodeCreatesMirrorPodsThatItOwns) {
  EXPECT_EQ(
      CreatePod(R"("nodeName":"n1")", R"("labels":{})"),
      "pod does not have \"kubernetes.io/config.mirror\" annotation, node \"n1\" can only create mirror "
      "pods");
  EXPECT_EQ(CreatePod(R"("nodeName":"n2")"),
            "node \"n1\" can only create pods with spec.nodeName set to itself");
  EXPECT_EQ(CreatePod(R"("nodeName":"n1")"), "node \"n1\" not found");
  objects_.Add("", "nodes", R"({"metadata":{"name":"n1","uid":"other"}})");
  EXPECT_EQ(CreatePod(R"("nodeName":"n1")"), "node n1 UID mismatch: expected node-uid got other");
  objects_.Add("", "nodes", R"({"metadata":{"name":"n1","uid":"node-uid"}})");
  EXPECT_EQ(CreatePod(R"("nodeName":"n1")"), "");

  const std::string itself = "node \"n1\" can only create pods with an owner reference set to itself";
  const std::pair<std::string, std::string> owners[] = {
      {"", itself},
      {"{" + kOwner + "},{" + kOwner + "}",
       "node \"n1\" can only create pods with a single owner reference set to itself"},
      {R"({"apiVersion":"v2","kind":"Node","name":"n1","uid":"node-uid","controller":true})", itself},
      {R"({"apiVersion":"v1","kind":"Pod","name":"n1","uid":"node-uid","controller":true})", itself},
      {R"({"apiVersion":"v1","kind":"Node","name":"n2","uid":"node-uid","controller":true})", itself},
      {R"({"apiVersion":"v1","kind":"Node","name":"n1","uid":"node-uid"})",
       "node \"n1\" can only create pods with a controller owner reference set to itself"},
      {R"({"apiVersion":"v1","kind":"Node","name":"n1","uid":"node-uid","controller":false})",
       "node \"n1\" can only create pods with a controller owner reference set to itself"},
      {"{" + kOwner + R"(,"blockOwnerDeletion":true})",
       "node \"n1\" must not set blockOwnerDeletion on an owner reference"},
      {"{" + kOwner + R"(,"blockOwnerDeletion":false})", ""},
  };
  for (const auto& [list, refusal] : owners)
    EXPECT_EQ(
        CreatePod(R"("nodeName":"n1")",
                  R"("annotations":{"kubernetes.io/config.mirror":""},"ownerReferences":[)" + list + "]"),
        refusal)
        << list;
}

TEST_F(NodeRestrictionTest, AMirrorPodRefersToNoApiObject) {
  objects_.Add("", "nodes", R"({"metadata":{"name":"n1","uid":"node-uid"}})");
  const std::pair<std::string, std::string> specs[] = {
      {R"("serviceAccountName":"a")", "serviceaccounts"},
      {R"("imagePullSecrets":[{"name":"a"}])", "secrets"},
      {R"("imagePullSecrets":[{}])", ""},
      {R"("containers":[{"name":"c","env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"a","key":"k"}}}]}])",
       "secrets"},
      {R"("initContainers":[{"name":"c","envFrom":[{"configMapRef":{"name":"a"}}]}])", "configmaps"},
      {R"("resourceClaims":[{"name":"a"}])", "resourceclaims"},
      {R"("volumes":[{"name":"v","hostPath":{"path":"/"}},{"name":"w","emptyDir":{}}])", ""},
      {R"("volumes":[{"name":"v","configMap":{"name":"a"}}])", "configmaps"},
      {R"("volumes":[{"name":"v","configMap":{}}])", "configmaps (via configmap volumes)"},
      {R"("volumes":[{"name":"v","secret":{"secretName":"a"}}])", "secrets"},
      {R"("volumes":[{"name":"v","secret":{}}])", "secrets (via secret volumes)"},
      {R"("volumes":[{"name":"v","csi":{"driver":"d"}}])", "csidrivers (via CSI volumes)"},
      {R"("volumes":[{"name":"v","glusterfs":{"endpoints":"e","path":"p"}}])",
       "endpoints (via glusterFS volumes)"},
      {R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"a"}}])", "persistentvolumeclaims"},
      {R"("volumes":[{"name":"v","ephemeral":{}}])", "persistentvolumeclaims (via ephemeral volumes)"},
      {R"("volumes":[{"name":"v","azureFile":{"shareName":"s"}}])", "secrets (via azureFile volumes)"},
      {R"("volumes":[{"name":"v","projected":{"sources":[{"downwardAPI":{}}]}}])", ""},
      {R"("volumes":[{"name":"v","projected":{"sources":[{"configMap":{"name":"a"}}]}}])", "configmaps"},
      {R"("volumes":[{"name":"v","projected":{"sources":[{"configMap":{}}]}}])",
       "configmaps (via projected volumes)"},
      {R"("volumes":[{"name":"v","projected":{"sources":[{"secret":{}}]}}])",
       "secrets (via projected volumes)"},
      {R"("volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}])",
       "serviceaccounts (via projected volumes)"},
      {R"("volumes":[{"name":"v","projected":{"sources":[{"clusterTrustBundle":{"path":"t"}}]}}])",
       "clustertrustbundles"},
      {R"("volumes":[{"name":"v","projected":{"sources":[{"podCertificate":{"signerName":"a.b/c"}}]}}])",
       "podcertificates"},
  };
  for (const auto& [spec, resource] : specs)
    EXPECT_EQ(CreatePod(R"("nodeName":"n1",)" + spec),
              resource.empty() ? "" : "node \"n1\" can not create pods that reference " + resource)
        << spec;
  EXPECT_EQ(CreatePod(R"("nodeName":"n1","volumes":[{"name":"v"}])"),
            "error checking mirror pod for API references: unknown volume type for volume  \"v\"");
  EXPECT_EQ(CreatePod(R"("nodeName":"n1","volumes":[{"name":"v","projected":{"sources":[{}]}}])"),
            "error checking mirror pod for API references: unknown source for projected volume \"v\"");
}

TEST_F(NodeRestrictionTest, ANodeDeletesAndEvictsThePodsOnIt) {
  const std::string here = R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1"}})";
  const std::string there = R"({"metadata":{"name":"p"},"spec":{"nodeName":"n2"}})";
  const NodeWrite remove{.group = "", .plural = "pods", .subresource = "", .operation = kDelete};
  NodeWrite write = remove;
  write.old = here;
  EXPECT_EQ(Ask(write), "");
  write.old = there;
  EXPECT_EQ(Ask(write), "node \"n1\" can only delete pods with spec.nodeName set to itself");

  const NodeWrite evict{.group = "",
                        .plural = "pods",
                        .subresource = "eviction",
                        .object = R"({"metadata":{"name":"p"}})",
                        .type = &api::policy_v1::kEvictionType,
                        .name = "p"};
  EXPECT_EQ(Ask(evict), "pod \"p\" not found");
  objects_.Add("", "pods", there);
  EXPECT_EQ(Ask(evict), "node n1 can only evict pods with spec.nodeName set to itself");
  objects_.Add("", "pods", here);
  EXPECT_EQ(Ask(evict), "");
}

TEST_F(NodeRestrictionTest, APodItselfIsNotUpdated) {
  const std::string pod = R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1"}})";
  NodeWrite write{
      .group = "", .plural = "pods", .subresource = "", .operation = kUpdate, .object = pod, .old = pod};
  EXPECT_EQ(Ask(write),
            "unexpected operation \"UPDATE\", node \"n1\" can only create and delete mirror pods");
  for (const std::string_view sub : {"resize", "ephemeralcontainers", "binding"}) {
    write.subresource = sub;
    EXPECT_EQ(Ask(write), "unexpected pod subresource \"" + std::string(sub) +
                              "\", only 'status' and 'eviction' are allowed");
  }
}

TEST_F(NodeRestrictionTest, TheStatusOfAPodIsItsNodes) {
  struct Case {
    std::string now, was, refusal;
  };
  const std::string extended =
      R"("extendedResourceClaimStatus":{"resourceClaimName":"c","requestMappings":[]})";
  const std::string mapped =
      R"("extendedResourceClaimStatus":{"resourceClaimName":"c","requestMappings":[{"containerName":"a","resourceName":"b","requestName":"c"}]})";
  const std::string claims = "node \"n1\" cannot update resource claim statues";
  const std::string extended_refusal = "node \"n1\" cannot update extended resource claim status";
  const Case cases[] = {
      {R"("phase":"Running")", "", ""},
      {R"("resourceClaimStatuses":[{"name":"a"}])", "", claims},
      {R"("resourceClaimStatuses":[{"name":"a"}])", R"("resourceClaimStatuses":[{"name":"b"}])", claims},
      {R"("resourceClaimStatuses":[{"name":"a","resourceClaimName":"x"}])",
       R"("resourceClaimStatuses":[{"name":"a"}])", claims},
      {R"("resourceClaimStatuses":[{"name":"a","resourceClaimName":"x"}])",
       R"("resourceClaimStatuses":[{"name":"a","resourceClaimName":"x"}])", ""},
      {extended, "", extended_refusal},
      {extended, mapped, extended_refusal},
      {mapped, mapped, ""},
  };
  const auto ask = [&](const std::string& metadata, const std::string& now, const std::string& was,
                       const std::string& node) {
    const std::string spec = R"("spec":{"nodeName":")" + node + R"("},"status":{)";
    return Ask({.group = "",
                .plural = "pods",
                .subresource = "status",
                .operation = kUpdate,
                .object = R"({"metadata":{"name":"p")" + metadata + "}," + spec + now + "}}",
                .old = R"({"metadata":{"name":"p"},)" + spec + was + "}}"});
  };
  for (const auto& [now, was, refusal] : cases) EXPECT_EQ(ask("", now, was, "n1"), refusal) << now << was;
  EXPECT_EQ(ask("", "", "", "n2"),
            "node \"n1\" can only update pod status for pods with spec.nodeName set to itself");
  EXPECT_EQ(ask(R"(,"labels":{"a":"b"})", "", "", "n1"),
            "node \"n1\" cannot update labels through pod status");
}

TEST_F(NodeRestrictionTest, ANodeWritesItsOwnNode) {
  const auto create = [&](const std::string& json) {
    return Ask({.group = "", .plural = "nodes", .subresource = "", .object = json});
  };
  EXPECT_EQ(create(R"({"metadata":{"name":"n1"}})"), "");
  EXPECT_EQ(create(R"({"metadata":{"name":"n2"}})"), "node \"n1\" is not allowed to modify node \"n2\"");
  EXPECT_EQ(create(R"({"metadata":{"name":"n1"},"spec":{"configSource":{}}})"),
            "node \"n1\" is not allowed to create pods with a non-nil configSource");
  EXPECT_EQ(create(R"({"metadata":{"name":"n1","ownerReferences":[{"name":"x"}]},
                       "spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}})"),
            "");

  const std::string taint = R"("spec":{"taints":[{"key":"a","effect":"NoSchedule"}]})";
  const std::string source =
      R"("spec":{"configSource":{"configMap":{"name":"a","namespace":"b","kubeletConfigKey":"c"}}})";
  EXPECT_EQ(UpdateNode(taint, taint), "");
  EXPECT_EQ(UpdateNode(taint, R"("spec":{})"), "node \"n1\" is not allowed to modify taints");
  EXPECT_EQ(UpdateNode(R"("spec":{})", taint, "status"), "node \"n1\" is not allowed to modify taints");
  EXPECT_EQ(UpdateNode(R"("spec":{"taints":[]})", R"("spec":{})"), "");
  EXPECT_EQ(UpdateNode(source, R"("spec":{})"),
            "node \"n1\" is not allowed to update configSource to a new non-nil configSource");
  EXPECT_EQ(UpdateNode(source, source), "");
  EXPECT_EQ(UpdateNode(R"("spec":{})", source), "");
  EXPECT_EQ(Ask({.group = "",
                 .plural = "nodes",
                 .subresource = "",
                 .operation = kUpdate,
                 .object = R"({"metadata":{"name":"n1","ownerReferences":[{"name":"x"}]}})",
                 .old = R"({"metadata":{"name":"n1"}})"}),
            "node \"n1\" is not allowed to modify ownerReferences");
  EXPECT_EQ(Ask({.group = "",
                 .plural = "nodes",
                 .subresource = "",
                 .operation = kDelete,
                 .old = R"({"metadata":{"name":"n1"}})"}),
            "");
}

TEST_F(NodeRestrictionTest, SomeLabelsAreNotForKubeletsToSet) {
  const std::pair<std::string, bool> labels[] = {
      {"a", true},
      {"example.com/a", true},
      {"kubernetes.io/hostname", true},
      {"kubernetes.io/os", true},
      {"kubernetes.io/arch", true},
      {"beta.kubernetes.io/os", true},
      {"beta.kubernetes.io/arch", true},
      {"beta.kubernetes.io/instance-type", true},
      {"node.kubernetes.io/instance-type", true},
      {"failure-domain.beta.kubernetes.io/zone", true},
      {"failure-domain.beta.kubernetes.io/region", true},
      {"topology.kubernetes.io/zone", true},
      {"topology.kubernetes.io/region", true},
      {"kubelet.kubernetes.io/a", true},
      {"foo.kubelet.kubernetes.io/a", true},
      {"node.kubernetes.io/a", true},
      {"foo.node.kubernetes.io/a", true},
      {"kubernetes.io/a", false},
      {"other.kubernetes.io/a", false},
      {"k8s.io/a", false},
      {"foo.k8s.io/a", false},
      {"notkubernetes.io/a", true},
      {"notk8s.io/a", true},
      {"beta.kubernetes.io/a", false},
      {"node-role.kubernetes.io/master", false},
      {"node-restriction.kubernetes.io/a", false},
      {"foo.node-restriction.kubernetes.io/a", false},
      {"topology.kubernetes.io/a", false},
  };
  for (const auto& [label, allowed] : labels) {
    const auto node = [&](const std::string& value) {
      return R"({"metadata":{"name":"n1","labels":{)" +
             (value.empty() ? value : "\"" + label + "\":\"" + value + "\"") + "}}}";
    };
    const auto update = [&](const std::string& now, const std::string& was) {
      return Ask({.group = "",
                  .plural = "nodes",
                  .subresource = "",
                  .operation = kUpdate,
                  .object = node(now),
                  .old = node(was)});
    };
    EXPECT_EQ(Ask({.group = "", .plural = "nodes", .subresource = "", .object = node("v")}),
              allowed ? "" : "node \"n1\" is not allowed to set the following labels: " + label);
    const std::string refusal = allowed ? "" : "is not allowed to modify labels: " + label;
    EXPECT_EQ(update("v", ""), refusal);
    EXPECT_EQ(update("v", "w"), refusal);
    EXPECT_EQ(update("", "w"), refusal);
    EXPECT_EQ(update("v", "v"), "");
  }
  EXPECT_EQ(Ask({.group = "",
                 .plural = "nodes",
                 .subresource = "",
                 .operation = kUpdate,
                 .object = R"({"metadata":{"name":"n1","labels":{"k8s.io/b":"1","a":"1"}}})",
                 .old = R"({"metadata":{"name":"n1","labels":{"a.kubernetes.io/c":"1"}}})"}),
            "is not allowed to modify labels: a.kubernetes.io/c, k8s.io/b");
}

TEST_F(NodeRestrictionTest, ANodeTellsHowFarAClaimHasGrown) {
  const auto update = [&](const std::string& now, const std::string& metadata = "") {
    return Ask({.group = "",
                .plural = "persistentvolumeclaims",
                .subresource = "status",
                .operation = kUpdate,
                .object = R"({"metadata":{"name":"c")" + metadata + R"(},"status":{)" + now + "}}",
                .old = R"({"metadata":{"name":"c","resourceVersion":"7"},"status":{"phase":"Bound"}})"});
  };
  EXPECT_EQ(update(R"("phase":"Bound","capacity":{"storage":"2Gi"},"conditions":[{"type":"Resizing"}],
                      "allocatedResources":{"storage":"2Gi"},
                      "allocatedResourceStatuses":{"storage":"NodeResizeInProgress"})"),
            "");
  const std::string refusal =
      "node \"n1\" is not allowed to update fields other than status.quantity and status.conditions: @@";
  const std::string phase = update(R"("phase":"Lost")");
  EXPECT_TRUE(phase.starts_with(refusal)) << phase;
  EXPECT_TRUE(phase.contains("-  \"Phase\": \"Bound\",\n+  \"Phase\": \"Lost\",\n")) << phase;
  EXPECT_TRUE(update(R"("phase":"Bound")", R"(,"labels":{"a":"b"})").starts_with(refusal));
  const std::string claim = R"({"metadata":{"name":"c"}})";
  EXPECT_EQ(Ask({.group = "", .plural = "persistentvolumeclaims", .subresource = "", .object = claim}),
            "may only update PVC status");
  EXPECT_EQ(Ask({.group = "",
                 .plural = "persistentvolumeclaims",
                 .subresource = "",
                 .operation = kUpdate,
                 .object = claim,
                 .old = claim}),
            "may only update PVC status");
}

TEST_F(NodeRestrictionTest, ATokenIsBoundToAPodOnTheNode) {
  const auto bound = [&](const std::string& ref) {
    return RequestToken(R"("boundObjectRef":{)" + ref + "}");
  };
  const std::string unbound = "node requested token not bound to a pod";
  EXPECT_EQ(RequestToken(""), unbound);
  EXPECT_EQ(bound(R"("apiVersion":"v1","kind":"Secret","name":"p","uid":"u")"), unbound);
  EXPECT_EQ(bound(R"("apiVersion":"v2","kind":"Pod","name":"p","uid":"u")"), unbound);
  EXPECT_EQ(bound(R"("apiVersion":"v1","kind":"Pod","uid":"u")"), unbound);
  EXPECT_EQ(bound(R"("apiVersion":"v1","kind":"Pod","name":"p")"),
            "node requested token with a pod binding without a uid");
  EXPECT_EQ(bound(R"("apiVersion":"v1","kind":"Pod","name":"p","uid":"u")"), "pod \"p\" not found");
  objects_.Add("", "pods", R"({"metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n2"}})");
  EXPECT_EQ(
      bound(R"("apiVersion":"v1","kind":"Pod","name":"p","uid":"v")"),
      "the UID in the bound object reference (v) does not match the UID in record. The object might have "
      "been deleted and then recreated");
  EXPECT_EQ(bound(R"("apiVersion":"v1","kind":"Pod","name":"p","uid":"u")"),
            "node requested token bound to a pod scheduled on a different node");
}

TEST_F(NodeRestrictionTest, ATokenIsForAnAudienceThatThePodNeeds) {
  const auto pod = [&](const std::string& volumes) {
    objects_.Add(
        "", "pods",
        R"({"metadata":{"name":"p","namespace":"demo","uid":"u"},"spec":{"nodeName":"n1","volumes":[)" +
            volumes + "]}}");
  };
  const auto unauthorized = [](const std::string& audience) {
    return "audience \"" + audience +
           "\" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this "
           "audience";
  };
  pod(R"({"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t","audience":"vault"}}]}})");
  EXPECT_EQ(RequestAudience("vault"), "");
  EXPECT_EQ(RequestAudience("other"), unauthorized("other"));
  EXPECT_EQ(authorizer_.asked, "system:node:n1 request-serviceaccounts-token-audience other demo/builder");
  EXPECT_EQ(RequestAudience("a\",\"b"), "node may only request 0 or 1 audiences");
  authorizer_.allowed = "other";
  EXPECT_EQ(RequestAudience("other"), "");
  authorizer_ = {};
  authorizer_.error = "no idea";
  EXPECT_EQ(
      RequestAudience("other"),
      "audience \"other\" not found in pod spec volume, error authorizing system:node:n1 to request tokens "
      "for this audience: no idea");
  authorizer_ = {};

  pod(R"({"name":"v","csi":{"driver":"d"}})");
  EXPECT_EQ(RequestAudience("csi"),
            "error validating audience \"csi\": csidriver.storage.k8s.io \"d\" not found");
  objects_.Add("storage.k8s.io", "csidrivers",
               R"({"metadata":{"name":"d"},"spec":{"tokenRequests":[{"audience":"csi"}]}})");
  EXPECT_EQ(RequestAudience("csi"), "");
  EXPECT_EQ(RequestAudience("other"), unauthorized("other"));
}

TEST_F(NodeRestrictionTest, TheDriverOfAClaimMayNeedAToken) {
  const std::string uses_claim = R"({"name":"v","persistentVolumeClaim":{"claimName":"c"}})";
  const std::string uses_template = R"({"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{}}}})";
  const auto pod = [&](const std::string& volumes) {
    objects_.Add(
        "", "pods",
        R"({"metadata":{"name":"p","namespace":"demo","uid":"u"},"spec":{"nodeName":"n1","volumes":[)" +
            volumes + "]}}");
  };
  const auto error = [](const std::string& what) { return "error validating audience \"a\": " + what; };
  pod(uses_template);
  EXPECT_EQ(RequestAudience("a"), error("persistentvolumeclaim \"p-v\" not found"));
  pod(uses_claim + "," + uses_template);
  EXPECT_EQ(RequestAudience("a"),
            error("[persistentvolumeclaim \"c\" not found, persistentvolumeclaim \"p-v\" not found]"));
  pod(uses_claim);
  objects_.Add("", "persistentvolumeclaims", R"({"metadata":{"name":"c"},"spec":{}})");
  EXPECT_EQ(RequestAudience("a"), error("persistentvolume \"\" not found"));
  objects_.Add("", "persistentvolumeclaims", R"({"metadata":{"name":"c"},"spec":{"volumeName":"pv"}})");
  EXPECT_EQ(RequestAudience("a"), error("persistentvolume \"pv\" not found"));

  const std::pair<std::string, std::string> sources[] = {
      {R"("csi":{"driver":"mine","volumeHandle":"h"})", "mine"},
      {R"("awsElasticBlockStore":{"volumeID":"aws://zone/vol-1"})", "ebs.csi.aws.com"},
      {R"("azureDisk":{"diskName":"d","diskURI":"u","kind":"Managed"})", "disk.csi.azure.com"},
      {R"("azureFile":{"secretName":"s","shareName":"s","secretNamespace":"x"})", "file.csi.azure.com"},
      {R"("cinder":{"volumeID":"v"})", "cinder.csi.openstack.org"},
      {R"("gcePersistentDisk":{"pdName":"v"})", "pd.csi.storage.gke.io"},
      {R"("portworxVolume":{"volumeID":"v"})", "pxd.portworx.com"},
      {R"("vsphereVolume":{"volumePath":"v"})", "csi.vsphere.vmware.com"},
  };
  for (const auto& [source, driver] : sources) {
    objects_.Add("", "persistentvolumes", R"({"metadata":{"name":"pv"},"spec":{)" + source + "}}");
    EXPECT_EQ(RequestAudience("a"), error("csidriver.storage.k8s.io \"" + driver + "\" not found"));
  }
  const std::pair<std::string, std::string> wrong[] = {
      {R"("awsElasticBlockStore":{"volumeID":"aws://zone/disk-1"})",
       "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume "
       "(aws://zone/disk-1)"},
      {R"("azureDisk":{"diskName":"d","diskURI":"u","kind":"Shared"})",
       "kind(Shared) is not supported in csi migration"},
      {R"("azureFile":{"secretName":"s","shareName":"s"})",
       "could not find a secret namespace in PersistentVolumeSource or ClaimRef"},
  };
  for (const auto& [source, why] : wrong) {
    objects_.Add("", "persistentvolumes", R"({"metadata":{"name":"pv"},"spec":{)" + source + "}}");
    EXPECT_EQ(RequestAudience("a"), error(why));
  }
  objects_.Add("", "persistentvolumes",
               R"({"metadata":{"name":"pv"},"spec":{"csi":{"driver":"d","volumeHandle":"h"}}})");
  objects_.Add("storage.k8s.io", "csidrivers",
               R"({"metadata":{"name":"d"},"spec":{"tokenRequests":[{"audience":"x"},{"audience":"a"}]}})");
  EXPECT_EQ(RequestAudience("a"), "");
}

TEST_F(NodeRestrictionTest, LeasesAndCsiNodesHaveTheNameOfTheNode) {
  const auto lease = [&](Operation operation, std::string_view ns, const std::string& name) {
    const std::string json = R"({"metadata":{"name":")" + name + R"("}})";
    return Ask({.group = "coordination.k8s.io",
                .plural = "leases",
                .subresource = "",
                .operation = operation,
                .object = operation == kDelete ? "" : json,
                .old = operation == kCreate ? "" : json,
                .ns = ns});
  };
  for (const Operation operation : {kCreate, kUpdate, kDelete}) {
    EXPECT_EQ(lease(operation, "kube-node-lease", "n1"), "");
    EXPECT_EQ(lease(operation, "kube-node-lease", "n2"),
              "can only access node lease with the same name as the requesting node");
    EXPECT_EQ(lease(operation, "kube-system", "n1"),
              "can only access leases in the \"kube-node-lease\" system namespace");
  }
  const auto csi_node = [&](Operation operation, const std::string& name) {
    const std::string json = R"({"metadata":{"name":")" + name + R"("}})";
    return Ask({.group = "storage.k8s.io",
                .plural = "csinodes",
                .subresource = "",
                .operation = operation,
                .object = operation == kDelete ? "" : json,
                .old = operation == kCreate ? "" : json});
  };
  for (const Operation operation : {kCreate, kUpdate, kDelete}) {
    EXPECT_EQ(csi_node(operation, "n1"), "");
    EXPECT_EQ(csi_node(operation, "n2"), "can only access CSINode with the same name as the requesting node");
  }
}

TEST_F(NodeRestrictionTest, SlicesNameTheNode) {
  const auto slice = [&](Operation operation, const std::string& spec) {
    const std::string json = R"({"metadata":{"name":"s"},"spec":{"driver":"d")" + spec + "}}";
    return Ask({.group = "resource.k8s.io",
                .plural = "resourceslices",
                .subresource = "",
                .operation = operation,
                .object = operation == kDelete ? "" : json,
                .old = operation == kCreate ? "" : json});
  };
  for (const Operation operation : {kCreate, kDelete}) {
    const std::string refusal = std::string("can only ") + (operation == kCreate ? "create" : "delete") +
                                " ResourceSlice with the same NodeName as the requesting node";
    EXPECT_EQ(slice(operation, R"(,"nodeName":"n1")"), "");
    EXPECT_EQ(slice(operation, R"(,"nodeName":"n2")"), refusal);
    EXPECT_EQ(slice(operation, ""), refusal);
  }
  EXPECT_EQ(slice(kUpdate, R"(,"nodeName":"n2")"), "");
}

TEST_F(NodeRestrictionTest, ACertificateIsForAPodOnTheNode) {
  const auto ask = [&](std::string_view pod_uid, std::string_view account, std::string_view account_uid,
                       std::string_view node = "n1") {
    std::string spec = R"({"metadata":{"name":"r"},"spec":{"podName":"p","nodeUID":"node-uid","nodeName":")";
    spec.append(node).append(R"(","podUID":")").append(pod_uid).append(R"(","serviceAccountName":")");
    spec.append(account).append(R"(","serviceAccountUID":")").append(account_uid).append("\"}}");
    return Ask({.group = "certificates.k8s.io",
                .plural = "podcertificaterequests",
                .subresource = "",
                .object = spec,
                .ns = "demo"});
  };
  EXPECT_EQ(ask("u", "a", "s", "n2"),
            "PodCertificateRequest.Spec.NodeName=\"n2\", which is not the requesting node \"n1\"");
  EXPECT_EQ(ask("u", "a", "s"),
            "while retrieving node \"n1\" named in the PodCertificateRequest: node \"n1\" not found");
  objects_.Add("", "nodes", R"({"metadata":{"name":"n1","uid":"node-uid"}})");
  EXPECT_EQ(ask("u", "a", "s"),
            "while retrieving pod \"demo/p\" named in the PodCertificateRequest: pod \"p\" not found");
  objects_.Add("", "pods",
               R"({"metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n1","serviceAccountName":"a"}})");
  EXPECT_EQ(
      ask("x", "a", "s"),
      "PodCertificateRequest for pod \"demo/p\" contains pod UID (\"x\") which differs from running pod "
      "\"u\"");
  EXPECT_EQ(ask("u", "b", "s"),
            "PodCertificateRequest for pod \"demo/p\" contains serviceAccountName (\"b\") that differs from "
            "running pod (\"a\")");
  objects_.Add("", "serviceaccounts", R"({"metadata":{"name":"a","uid":"s"}})");
  EXPECT_EQ(
      ask("u", "a", "t"),
      "PodCertificateRequest for pod \"demo/p\" names service account UID \"t\", which differs from the "
      "running service account (\"s\")");
  EXPECT_EQ(ask("u", "a", "s"), "");
  EXPECT_EQ(Ask({.group = "certificates.k8s.io",
                 .plural = "podcertificaterequests",
                 .subresource = "",
                 .operation = kUpdate,
                 .object = R"({"metadata":{"name":"r"}})",
                 .old = R"({"metadata":{"name":"r"}})",
                 .ns = "demo"}),
            "unexpected operation UPDATE");
}

TEST_F(NodeRestrictionTest, ANodeAsksForACertificateInItsOwnName) {
  const auto ask = [&](std::string_view pem, const std::string& signer) {
    return Ask({.group = "certificates.k8s.io",
                .plural = "certificatesigningrequests",
                .subresource = "",
                .object = R"({"metadata":{"name":"r"},"spec":{"request":")" + base::Base64(pem) +
                          R"(","signerName":")" + signer + R"("}})"});
  };
  for (const std::string signer :
       {"kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"}) {
    EXPECT_EQ(ask(auth::kRequestOfNode1, signer), "");
    EXPECT_EQ(ask(auth::kRequestOfJane, signer), "can only create a node CSR with CN=system:node:n1");
    EXPECT_EQ(ask("text", signer), "unable to parse csr: PEM block type must be CERTIFICATE REQUEST");
  }
  EXPECT_EQ(ask(auth::kRequestOfJane, "example.com/other"), "");
  EXPECT_EQ(ask("text", "example.com/other"), "");
}

}  // namespace
}  // namespace keelson::admission
