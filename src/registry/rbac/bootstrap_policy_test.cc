#include "registry/rbac/bootstrap_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "api/meta/object_meta.h"
#include "api/validation/rbac/rbac.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::registry::rbac {
namespace {

using api::testing::DocFromJson;
using api::testing::ToJson;
using ::testing::HasSubstr;
using namespace api::rbac_v1;

const PolicyObject& Find(const std::vector<PolicyObject>& policy, std::string_view resource,
                         std::string_view name) {
  for (const PolicyObject& object : policy)
    if (object.resource == resource && api::MetadataOf(object.doc).name() == name) return object;
  throw std::out_of_range(std::string(name));
}

TEST(BootstrapPolicyTest, IsCompleteAndValid) {
  std::map<std::string_view, int> counts;
  for (const PolicyObject& object : BootstrapPolicy()) {
    ++counts[object.resource];
    api::field::ErrorList errors;
    if (object.resource == "clusterroles")
      errors = api::rbac::ValidateClusterRole(ClusterRoleView(object.doc));
    if (object.resource == "roles") errors = api::rbac::ValidateRole(RoleView(object.doc));
    if (object.resource == "rolebindings")
      errors = api::rbac::ValidateRoleBinding(RoleBindingView(object.doc));
    if (object.resource == "clusterrolebindings")
      errors = api::rbac::ValidateClusterRoleBinding(ClusterRoleBindingView(object.doc));
    EXPECT_TRUE(errors.empty()) << api::MetadataOf(object.doc).name() << errors.Aggregate();
  }
  EXPECT_EQ(counts["clusterroles"], 69);
  EXPECT_EQ(counts["clusterrolebindings"], 50);
  EXPECT_EQ(counts["roles"], 7);
  EXPECT_EQ(counts["rolebindings"], 7);
}

TEST(BootstrapPolicyTest, ReadsRulesSubjectsAndAggregation) {
  const auto policy = BootstrapPolicy();
  EXPECT_THAT(ToJson(Find(policy, "clusterroles", "cluster-admin").doc),
              HasSubstr(R"("rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},)"
                        R"({"verbs":["*"],"nonResourceURLs":["*"]}])"));
  EXPECT_THAT(ToJson(Find(policy, "clusterroles", "edit").doc),
              HasSubstr(R"("aggregationRule":{"clusterRoleSelectors":[{"matchLabels":)"
                        R"({"rbac.authorization.k8s.io/aggregate-to-edit":"true"}}]})"));
  EXPECT_THAT(ToJson(Find(policy, "rolebindings", "system::leader-locking-kube-scheduler").doc),
              HasSubstr(R"({"kind":"ServiceAccount","name":"kube-scheduler","namespace":"kube-system"})"));
}

TEST(BootstrapPolicyTest, AGateBringsRolesAndRules) {
  const auto count = [](const std::vector<PolicyObject>& policy, std::string_view role) {
    return api::rbac_v1::ClusterRoleView(Find(policy, "clusterroles", role).doc).rules().size();
  };
  const auto usual = BootstrapPolicy();
  const auto more = BootstrapPolicy([](std::string_view gate) { return gate == "ClusterTrustBundle"; });
  EXPECT_EQ(count(more, "system:node"), count(usual, "system:node") + 1);
  EXPECT_EQ(count(more, "system:cluster-trust-bundle-discovery"), 1u);
  EXPECT_EQ(more.size(), usual.size() + 4);
  EXPECT_EQ(BootstrapPolicy([](std::string_view) { return false; }).size(), usual.size());
}

class ReconcileTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kExpected = R"({"metadata":{"name":"r","labels":{"a":"b"}},"rules":[
    {"verbs":["get","list"],"apiGroups":[""],"resources":["pods","pods/log"]}]})";
  Reconciliation Apply(std::string_view existing) {
    doc_ = DocFromJson<ClusterRoleView>(existing);
    return Reconcile(doc_, DocFromJson<ClusterRoleView>(kExpected));
  }
  api::Doc doc_;
};

TEST_F(ReconcileTest, AddsOnlyThePermissionsThatAreMissing) {
  EXPECT_EQ(Apply(R"({"metadata":{"name":"r","labels":{"a":"z"}},"rules":[
              {"verbs":["*"],"apiGroups":["*"],"resources":["pods"]},
              {"verbs":["get"],"apiGroups":[""],"resources":["*/log"]}]})"),
            Reconciliation::kUpdate);
  const std::string json = ToJson(doc_);
  EXPECT_THAT(json, HasSubstr(R"({"verbs":["list"],"apiGroups":[""],"resources":["pods/log"]}])"));
  EXPECT_THAT(json, HasSubstr(R"("labels":{"a":"z"})")) << "a label that was changed stays so";
  EXPECT_EQ(ClusterRoleView(doc_).rules().size(), 3u);
}

TEST_F(ReconcileTest, ARuleForSomeNamesDoesNotAllowAll) {
  EXPECT_EQ(Apply(R"({"metadata":{"name":"r","labels":{"a":"b"}},"rules":[
              {"verbs":["*"],"apiGroups":["*"],"resources":["*"],"resourceNames":["x"]}]})"),
            Reconciliation::kUpdate);
}

TEST_F(ReconcileTest, LeavesAloneWhatIsCompleteOrProtected) {
  EXPECT_EQ(Apply(R"({"metadata":{"name":"r","labels":{"a":"b"}},"rules":[
              {"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]})"),
            Reconciliation::kNone);
  EXPECT_EQ(Apply(R"({"metadata":{"name":"r","annotations":
              {"rbac.authorization.kubernetes.io/autoupdate":"false"}}})"),
            Reconciliation::kNone);
}

TEST_F(ReconcileTest, ABindingKeepsItsSubjectsAndGetsThoseItLacks) {
  constexpr std::string_view kBinding =
      R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"g","kind":"ClusterRole","name":"r"},"subjects":[
        {"kind":"User","apiGroup":"g","name":"ann"}]})";
  api::Doc existing = DocFromJson<ClusterRoleBindingView>(
      R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"g","kind":"ClusterRole","name":"r"},"subjects":[
        {"kind":"User","apiGroup":"g","name":"bob"}]})");
  const api::Doc expected = DocFromJson<ClusterRoleBindingView>(kBinding);
  EXPECT_EQ(Reconcile(existing, expected), Reconciliation::kUpdate);
  EXPECT_EQ(ClusterRoleBindingView(existing).subjects().size(), 2u);
  EXPECT_EQ(Reconcile(existing, expected), Reconciliation::kNone);

  api::Doc other = DocFromJson<ClusterRoleBindingView>(
      R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"g","kind":"ClusterRole","name":"other"}})");
  EXPECT_EQ(Reconcile(other, expected), Reconciliation::kRecreate);
}

}  // namespace
}  // namespace keelson::registry::rbac
