#include "server/flow_control/flow_schema.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/validation/flowcontrol/bootstrap.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::server::flow_control {
namespace {

using api::flowcontrol_v1::FlowSchemaView;

FlowSchemaSpec Schema(std::string_view json) {
  return FlowSchemaSpec::Of(FlowSchemaView(api::testing::DocFromJson(json, FlowSchemaView::Type())));
}

FlowSchemaIndex BootstrapIndex() {
  std::vector<FlowSchemaSpec> schemas;
  for (const auto& object : api::flowcontrol::BootstrapFlowSchemas())
    schemas.push_back(FlowSchemaSpec::Of(FlowSchemaView(object.doc)));
  std::ranges::sort(schemas, FlowSchemaSpec::IsBefore);
  return FlowSchemaIndex(std::move(schemas));
}

std::string Find(const FlowSchemaIndex& index, std::string_view method, std::string_view path,
                 std::string user, std::vector<std::string> groups) {
  const auth::User who{.name = std::move(user), .groups = std::move(groups)};
  const int at = index.Find(endpoints::ParseRequestInfo(method, path, ""), who);
  return at < 0 ? "" : index.schemas()[static_cast<size_t>(at)].name;
}

TEST(FlowSchemaTest, TheBootstrapSchemasClassifyAsUpstream) {
  const FlowSchemaIndex index = BootstrapIndex();
  const std::string authenticated = "system:authenticated";
  const std::vector<std::string> ann{authenticated}, node{"system:nodes", authenticated},
      account{"system:serviceaccounts", "system:serviceaccounts:default", authenticated},
      system_account{"system:serviceaccounts", "system:serviceaccounts:kube-system", authenticated};
  EXPECT_EQ(Find(index, "GET", "/api/v1/pods", "admin", {"system:masters", authenticated}), "exempt");
  EXPECT_EQ(Find(index, "GET", "/healthz", "system:anonymous", {"system:unauthenticated"}), "probes");
  EXPECT_EQ(Find(index, "GET", "/readyz", "ann", ann), "probes");
  EXPECT_EQ(Find(index, "GET", "/readyz/etcd", "ann", ann), "probes") << "all below it";
  EXPECT_EQ(Find(index, "GET", "/api/v1/pods", "system:anonymous", {"system:unauthenticated"}),
            "global-default");
  EXPECT_EQ(Find(index, "GET", "/api/v1/pods", "ann", ann), "global-default");
  EXPECT_EQ(Find(index, "GET", "/version", "ann", ann), "global-default");
  EXPECT_EQ(Find(index, "GET", "/version", "nobody", {}), "");
  EXPECT_EQ(Find(index, "PATCH", "/api/v1/nodes/n/status", "system:node:n", node), "system-node-high");
  EXPECT_EQ(Find(index, "PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n",
                 "system:node:n", node),
            "system-node-high");
  EXPECT_EQ(Find(index, "GET", "/api/v1/pods", "system:node:n", node), "system-nodes");
  EXPECT_EQ(Find(index, "GET", "/api/v1/pods", "system:kube-scheduler", ann), "kube-scheduler");
  EXPECT_EQ(Find(index, "GET", "/api/v1/pods", "system:kube-controller-manager", ann),
            "kube-controller-manager");
  EXPECT_EQ(Find(index, "PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler",
                 "system:kube-scheduler", ann),
            "system-leader-election");
  EXPECT_EQ(Find(index, "PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x",
                 "system:serviceaccount:kube-system:x", system_account),
            "system-leader-election");
  EXPECT_EQ(Find(index, "GET", "/api/v1/pods", "system:serviceaccount:kube-system:x", system_account),
            "kube-system-service-accounts");
  EXPECT_EQ(Find(index, "GET", "/api/v1/pods", "system:serviceaccount:default:x", account),
            "service-accounts");
}

TEST(FlowSchemaTest, SubjectsResourcesAndNamespacesMustAllMatch) {
  const FlowSchemaIndex index({Schema(
      R"({"metadata":{"name":"s"},"spec":{"rules":[{
         "subjects":[{"kind":"ServiceAccount","serviceAccount":{"namespace":"a","name":"*"}},
                     {"kind":"ServiceAccount","serviceAccount":{"namespace":"b","name":"one"}},
                     {"kind":"User","user":{"name":"bob"}}],
         "resourceRules":[{"verbs":["get","list"],"apiGroups":["","apps"],"resources":["pods","pods/log","deployments"],
                           "namespaces":["x"]},
                          {"verbs":["*"],"apiGroups":["*"],"resources":["nodes"],"clusterScope":true}],
         "nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/a","/b/*"]}]}]}})")});
  const auto matches = [&](std::string_view method, std::string_view path, std::string user = "bob") {
    return !Find(index, method, path, std::move(user), {}).empty();
  };
  EXPECT_TRUE(matches("GET", "/api/v1/namespaces/x/pods"));
  EXPECT_TRUE(matches("GET", "/api/v1/namespaces/x/pods/p/log"));
  EXPECT_FALSE(matches("GET", "/api/v1/namespaces/x/pods/p/status"));
  EXPECT_FALSE(matches("DELETE", "/api/v1/namespaces/x/pods/p"));
  EXPECT_FALSE(matches("GET", "/api/v1/namespaces/y/pods"));
  EXPECT_FALSE(matches("GET", "/api/v1/pods")) << "not clusterScope";
  EXPECT_TRUE(matches("DELETE", "/api/v1/nodes/n"));
  EXPECT_TRUE(matches("GET", "/apis/apps/v1/namespaces/x/deployments"));
  EXPECT_FALSE(matches("GET", "/apis/batch/v1/namespaces/x/jobs"));
  for (const char* path : {"/a", "/a/c", "/b/c", "/b/"}) EXPECT_TRUE(matches("GET", path)) << path;
  for (const char* path : {"/ab", "/b", "/c"}) EXPECT_FALSE(matches("GET", path)) << path;
  EXPECT_FALSE(matches("POST", "/a"));
  EXPECT_TRUE(matches("GET", "/a", "system:serviceaccount:a:any"));
  EXPECT_TRUE(matches("GET", "/a", "system:serviceaccount:b:one"));
  EXPECT_FALSE(matches("GET", "/a", "system:serviceaccount:b:two"));
  EXPECT_FALSE(matches("GET", "/a", "system:serviceaccount:aa:any"));
  EXPECT_FALSE(matches("GET", "/a", "eve"));
}

TEST(FlowSchemaTest, PrecedenceThenNameDecides) {
  const auto schema = [](std::string name, int precedence) {
    return Schema(R"({"metadata":{"name":")" + name + R"("},"spec":{"matchingPrecedence":)" +
                  std::to_string(precedence) +
                  R"(,"rules":[{"subjects":[{"kind":"Group","group":{"name":"*"}}],
                  "nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}})");
  };
  std::vector<FlowSchemaSpec> schemas{schema("c", 5), schema("b", 7), schema("a", 7), schema("d", 5)};
  std::ranges::sort(schemas, FlowSchemaSpec::IsBefore);
  EXPECT_EQ(schemas[0].name + schemas[1].name + schemas[2].name + schemas[3].name, "cdab");
  EXPECT_EQ(Find(FlowSchemaIndex(std::move(schemas)), "GET", "/x", "eve", {}), "c");
}

TEST(FlowSchemaTest, ThousandsOfRulesAreFoundByTheirSubjects) {
  std::vector<FlowSchemaSpec> schemas;
  for (int i = 0; i < 2000; ++i) {
    FlowSchemaSpec& schema = schemas.emplace_back();
    schema.name = std::to_string(i);
    schema.rules = {
        {.subjects = {{.kind = FlowSubject::Kind::kUser, .ns = "", .name = "u" + std::to_string(i % 1000)}},
         .resource_rules = {},
         .non_resource_rules = {{.verbs = StringSet({"*"}), .urls = {"*"}}}}};
  }
  const FlowSchemaIndex index(std::move(schemas));
  EXPECT_EQ(Find(index, "GET", "/x", "u0", {}), "0");
  EXPECT_EQ(Find(index, "GET", "/x", "u999", {}), "999");
  EXPECT_EQ(Find(index, "GET", "/x", "u1000", {}), "");
}

}  // namespace
}  // namespace keelson::server::flow_control
