#include "auth/authz/node/node_authorizer.h"

#include <gtest/gtest.h>

#include "api/validation/testing/json_doc.h"
#include "base/sync_wait.h"

namespace keelson::auth::node {
namespace {

const User kNode{.name = "system:node:n1", .groups = {"system:nodes"}};
const User kOther{.name = "system:node:n2", .groups = {"system:nodes"}};

class NodeAuthorizerTest : public ::testing::Test {
 protected:
  void PutPod(std::string_view json) {
    const api::Doc doc = api::testing::DocFromJson<api::core_v1::PodView>(json);
    const api::core_v1::PodView pod(doc);
    graph().Put(pod.spec().node_name(), ReferencesOf(pod));
  }
  void PutVolume(std::string_view json) {
    const api::Doc doc = api::testing::DocFromJson<api::core_v1::PersistentVolumeView>(json);
    const api::core_v1::PersistentVolumeView volume(doc);
    const auto claim = volume.spec().claim_ref();
    graph().PutVolume(std::string(volume.metadata().name()),
                      {Kind::kClaim, std::string(claim.namespace_()), std::string(claim.name())},
                      SecretsOf(volume));
  }
  // "": allowed; else why not.
  std::string Ask(const User& user, Attributes attributes) {
    graph().Publish();
    attributes.user = &user;
    attributes.resource_request = true;
    const Verdict verdict = base::SyncWait(authorizer_.Authorize(attributes));
    return verdict.decision == Decision::kAllow ? "" : verdict.reason.empty() ? "no opinion" : verdict.reason;
  }
  bool MayGet(const User& user, std::string_view resource, std::string_view ns, std::string_view name) {
    return Ask(user, {.verb = "get", .resource = resource, .ns = ns, .name = name}).empty();
  }
  Graph& graph() { return authorizer_.graph(); }

  NodeAuthorizer authorizer_{{{.verbs = {"create"}, .groups = {""}, .resources = {"events"}}}};
};

TEST_F(NodeAuthorizerTest, ANodeAsksForCertificatesWhereThatIsOn) {
  const auto of = [](std::string_view verb, std::string_view name = "", std::string_view subresource = "") {
    return Attributes{.verb = verb,
                      .group = "certificates.k8s.io",
                      .resource = "podcertificaterequests",
                      .subresource = subresource,
                      .ns = "demo",
                      .name = name};
  };
  EXPECT_EQ(Ask(kNode, of("create")), "no opinion");
  NodeAuthorizer on({}, /*certificate_requests=*/true);
  on.graph().Put("n1", {{Kind::kCertificateRequest, "demo", "a"}});
  on.graph().Publish();
  const auto ask = [&](Attributes attributes) {
    attributes.user = &kNode;
    attributes.resource_request = true;
    const Verdict verdict = base::SyncWait(on.Authorize(attributes));
    return verdict.decision == Decision::kAllow ? "" : verdict.reason;
  };
  EXPECT_EQ(ask(of("create")), "");
  EXPECT_EQ(ask(of("get", "a")), "");
  EXPECT_EQ(ask(of("get", "b")), "no relationship found between node 'n1' and this object");
  EXPECT_EQ(ask(of("get", "a", "status")),
            "nodes may not access the status subresource of PodCertificateRequests");
  EXPECT_EQ(ask(of("list")), "can only list/watch podcertificaterequests with nodeName field selector");
  EXPECT_EQ(ask(of("delete", "a")), "nodes may not delete podcertificaterequests");
}

constexpr std::string_view kPod = R"({"metadata":{"namespace":"demo","name":"a"},"spec":{"nodeName":"n1",
  "serviceAccountName":"sa","imagePullSecrets":[{"name":"pull"}],
  "containers":[{"name":"c","env":[{"name":"E","valueFrom":{"secretKeyRef":{"name":"env","key":"k"}}}],
                 "envFrom":[{"configMapRef":{"name":"from"}}]}],
  "ephemeralContainers":[{"name":"e","envFrom":[{"secretRef":{"name":"debug"}}]}],
  "resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"t"}],
  "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}},{"name":"w","ephemeral":{}},
             {"name":"x","projected":{"sources":[{"secret":{"name":"proj"}},{"configMap":{"name":"cm"}}]}}]},
  "status":{"resourceClaimStatuses":[{"name":"gpu","resourceClaimName":"a-gpu"}]}})";

TEST_F(NodeAuthorizerTest, ANodeReadsWhatItsPodsNeed) {
  PutPod(kPod);
  const std::pair<std::string_view, std::string_view> needed[] = {{"secrets", "pull"},
                                                                  {"secrets", "env"},
                                                                  {"secrets", "debug"},
                                                                  {"secrets", "proj"},
                                                                  {"configmaps", "from"},
                                                                  {"configmaps", "cm"},
                                                                  {"pods", "a"},
                                                                  {"serviceaccounts", "sa"},
                                                                  {"persistentvolumeclaims", "c"},
                                                                  {"persistentvolumeclaims", "a-w"}};
  for (const auto& [resource, name] : needed) {
    EXPECT_TRUE(MayGet(kNode, resource, "demo", name)) << resource << " " << name;
    EXPECT_FALSE(MayGet(kOther, resource, "demo", name)) << resource << " " << name;
    EXPECT_FALSE(MayGet(kNode, resource, "other", name)) << resource << " " << name;
  }
  EXPECT_EQ(Ask(kNode, {.verb = "get",
                        .group = "resource.k8s.io",
                        .resource = "resourceclaims",
                        .ns = "demo",
                        .name = "a-gpu"}),
            "");
  EXPECT_EQ(Ask(kNode, {.verb = "get", .resource = "secrets", .ns = "demo", .name = "x"}),
            "no relationship found between node 'n1' and this object");
  EXPECT_EQ(Ask(kNode, {.verb = "list", .resource = "secrets", .ns = "demo"}), "No Object name found");
  EXPECT_EQ(Ask(kNode, {.verb = "delete", .resource = "secrets", .ns = "demo", .name = "env"}),
            "can only read resources of this type");
  EXPECT_EQ(Ask(kNode, {.verb = "create",
                        .resource = "serviceaccounts",
                        .subresource = "token",
                        .ns = "demo",
                        .name = "sa"}),
            "");
  graph().Remove({Kind::kPod, "demo", "a"});
  for (const auto& [resource, name] : needed) EXPECT_FALSE(MayGet(kNode, resource, "demo", name)) << name;
}

TEST_F(NodeAuthorizerTest, AMirrorPodGrantsNothing) {
  PutPod(R"({"metadata":{"namespace":"demo","name":"m","annotations":{"kubernetes.io/config.mirror":"x"}},
             "spec":{"nodeName":"n1","volumes":[{"name":"v","secret":{"secretName":"s"}}]}})");
  EXPECT_TRUE(MayGet(kNode, "pods", "demo", "m"));
  EXPECT_FALSE(MayGet(kNode, "secrets", "demo", "s"));
}

TEST_F(NodeAuthorizerTest, AVolumeAndItsSecretsComeWithItsClaim) {
  constexpr std::string_view volume =
      R"({"metadata":{"name":"pv"},"spec":{"claimRef":{"namespace":"demo","name":"c"},
    "csi":{"driver":"d","volumeHandle":"h","nodeStageSecretRef":{"namespace":"vault","name":"stage"},
           "controllerPublishSecretRef":{"namespace":"vault","name":"controller"}}}})";
  PutVolume(volume);
  EXPECT_FALSE(MayGet(kNode, "persistentvolumes", "", "pv"));
  PutPod(kPod);
  EXPECT_TRUE(MayGet(kNode, "persistentvolumes", "", "pv"));
  EXPECT_TRUE(MayGet(kNode, "secrets", "vault", "stage"));
  EXPECT_FALSE(MayGet(kNode, "secrets", "vault", "controller"));
  graph().RemoveVolume("pv");
  EXPECT_FALSE(MayGet(kNode, "secrets", "vault", "stage"));
  EXPECT_TRUE(MayGet(kNode, "persistentvolumeclaims", "demo", "c"));
  PutVolume(volume);
  EXPECT_TRUE(MayGet(kNode, "secrets", "vault", "stage"));
  graph().Remove({Kind::kPod, "demo", "a"});
  EXPECT_FALSE(MayGet(kNode, "secrets", "vault", "stage"));
  EXPECT_FALSE(MayGet(kNode, "persistentvolumes", "", "pv"));
}

TEST_F(NodeAuthorizerTest, WhatTwoPodsNeedStaysUntilBothAreGone) {
  for (const char* name : {"a", "b"})
    PutPod(std::string(R"({"metadata":{"namespace":"demo","name":")") + name +
           R"("},"spec":{"nodeName":"n1","volumes":[{"name":"v","secret":{"secretName":"s"}}]}})");
  graph().Remove({Kind::kPod, "demo", "a"});
  EXPECT_TRUE(MayGet(kNode, "secrets", "demo", "s"));
  graph().FinishRelist(Kind::kPod);
  EXPECT_TRUE(MayGet(kNode, "secrets", "demo", "s")) << "no relist was running";
  graph().StartRelist(Kind::kPod);
  graph().FinishRelist(Kind::kPod);
  EXPECT_FALSE(MayGet(kNode, "secrets", "demo", "s"));
}

TEST_F(NodeAuthorizerTest, APodThatIsPutAgainRelatesWhatItNeedsNow) {
  const auto put = [&](std::string_view node, std::string_view secret) {
    PutPod(R"({"metadata":{"namespace":"demo","name":"a"},"spec":{"nodeName":")" + std::string(node) +
           R"(","volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}},
                          {"name":"w","secret":{"secretName":")" +
           std::string(secret) + R"("}}]}})");
  };
  PutVolume(R"({"metadata":{"name":"pv"},"spec":{"claimRef":{"namespace":"demo","name":"c"}}})");
  put("n1", "s");
  put("n1", "t");
  EXPECT_FALSE(MayGet(kNode, "secrets", "demo", "s"));
  EXPECT_TRUE(MayGet(kNode, "secrets", "demo", "t"));
  EXPECT_TRUE(MayGet(kNode, "persistentvolumes", "", "pv"));
  graph().StartRelist(Kind::kPod);
  put("n2", "t");
  graph().FinishRelist(Kind::kPod);
  EXPECT_FALSE(MayGet(kNode, "secrets", "demo", "t"));
  EXPECT_FALSE(MayGet(kNode, "persistentvolumes", "", "pv"));
  EXPECT_TRUE(MayGet(kOther, "secrets", "demo", "t"));
  EXPECT_TRUE(MayGet(kOther, "persistentvolumes", "", "pv"));
}

TEST_F(NodeAuthorizerTest, PodsAreListedByNode) {
  const api::SelectorRequirements own{
      .requirements = {{"spec.nodeName", api::SelectorOperator::kIn, {"n1"}}}};
  const api::SelectorRequirements all_but{
      .requirements = {{"spec.nodeName", api::SelectorOperator::kNotIn, {"n1"}}}};
  EXPECT_EQ(Ask(kNode, {.verb = "list", .resource = "pods", .field_selector = &own}), "");
  EXPECT_EQ(Ask(kOther, {.verb = "list", .resource = "pods", .field_selector = &own}),
            "can only list/watch pods with spec.nodeName field selector");
  EXPECT_EQ(Ask(kNode, {.verb = "watch", .resource = "pods", .field_selector = &all_but}),
            "can only list/watch pods with spec.nodeName field selector");
  EXPECT_EQ(Ask(kNode, {.verb = "deletecollection",
                        .group = "resource.k8s.io",
                        .resource = "resourceslices",
                        .field_selector = &own}),
            "");
}

TEST_F(NodeAuthorizerTest, ANodeReadsItselfAndWritesWhatIsItsOwn) {
  EXPECT_TRUE(MayGet(kNode, "nodes", "", "n1"));
  EXPECT_EQ(Ask(kNode, {.verb = "get", .resource = "nodes", .name = "n2"}),
            "node 'n1' cannot read 'n2', only its own Node object");
  EXPECT_EQ(Ask(kNode, {.verb = "list", .resource = "nodes"}),
            "node 'n1' cannot read all nodes, only its own Node object");
  EXPECT_EQ(Ask(kNode, {.verb = "patch", .resource = "nodes", .subresource = "status", .name = "n1"}), "");
  EXPECT_EQ(Ask(kNode, {.verb = "delete", .resource = "nodes", .name = "n1"}), "no opinion");
  const auto lease = [&](std::string_view verb, std::string_view ns, std::string_view name) {
    return Ask(kNode,
               {.verb = verb, .group = "coordination.k8s.io", .resource = "leases", .ns = ns, .name = name});
  };
  EXPECT_EQ(lease("update", "kube-node-lease", "n1"), "");
  EXPECT_EQ(lease("create", "kube-node-lease", ""), "");
  EXPECT_EQ(lease("get", "kube-node-lease", "n2"),
            "can only access node lease with the same name as the requesting node");
  EXPECT_EQ(lease("get", "default", "n1"),
            "can only access leases in the \"kube-node-lease\" system namespace");
  EXPECT_EQ(Ask(kNode, {.verb = "create", .resource = "events", .ns = "demo"}), "")
      << "by the rules of every node";
  EXPECT_EQ(Ask(kNode, {.verb = "delete", .resource = "events", .ns = "demo"}), "no opinion");
}

TEST_F(NodeAuthorizerTest, OthersAreNotItsConcern) {
  PutPod(kPod);
  for (const User& user : {User{.name = "ann", .groups = {"system:nodes"}}, User{.name = "system:node:n1"}})
    EXPECT_EQ(Ask(user, {.verb = "get", .resource = "pods", .ns = "demo", .name = "a"}), "no opinion");
  EXPECT_EQ(Ask({.name = "system:node:", .groups = {"system:nodes"}}, {.verb = "get", .resource = "pods"}),
            "unknown node for user \"system:node:\"");
  const Rules rules = base::SyncWait(authorizer_.RulesFor(kNode, "demo"));
  EXPECT_TRUE(rules.incomplete);
  EXPECT_EQ(rules.error, "node authorizer does not support user rule resolution");
}

}  // namespace
}  // namespace keelson::auth::node
