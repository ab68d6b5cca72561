#include "api/validation/rbac/rbac.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/testing/json_doc.h"

namespace keelson::api::rbac {
namespace {

using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Texts;
using namespace rbac_v1;

TEST(RoleValidationTest, ARuleAllowsVerbsOnResourcesOrOnPaths) {
  const Doc doc = DocFromJson<RoleView>(R"({"rules":[{},
    {"verbs":["get"],"nonResourceURLs":["/x"],"resources":["pods"]}]})");
  EXPECT_THAT(
      Texts(ValidateRole(RoleView(doc))),
      ElementsAre("rules[0].verbs: Required value: verbs must contain at least one value",
                  "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
                  "rules[0].resources: Required value: resource rules must supply at least one resource",
                  "rules[1].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to "
                  "non-resource URLs",
                  "rules[1].nonResourceURLs: Invalid value: [\"/x\"]: rules cannot apply to both regular "
                  "resources and non-resource URLs"));
}

TEST(RoleBindingValidationTest, SubjectsAreOfTheirKind) {
  const Doc doc = DocFromJson<ClusterRoleBindingView>(R"({
    "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r"},
    "subjects":[{"kind":"ServiceAccount","name":"a"},{"kind":"User","name":"u","apiGroup":"x"},{"kind":"Robot"}]})");
  EXPECT_THAT(Texts(ValidateClusterRoleBinding(ClusterRoleBindingView(doc))),
              ElementsAre("subjects[0].namespace: Required value",
                          "subjects[1].apiGroup: Unsupported value: \"x\": supported values: "
                          "\"rbac.authorization.k8s.io\"",
                          "subjects[2].name: Required value",
                          "subjects[2].kind: Unsupported value: \"Robot\": supported values: "
                          "\"ServiceAccount\", \"User\", \"Group\""));
}

TEST(RoleBindingValidationTest, TheRoleCannotChange) {
  const auto binding = [](std::string role) {
    return DocFromJson<RoleBindingView>(
        R"({"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":")" + role + R"("}})");
  };
  const Doc was = binding("a"), now = binding("b");
  EXPECT_THAT(Texts(ValidateRoleBindingUpdate(RoleBindingView(now), RoleBindingView(was))),
              ElementsAre("roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":"
                          "\"Role\",\"Name\":\"b\"}: cannot change roleRef"));
  EXPECT_THAT(Texts(ValidateRoleBindingUpdate(RoleBindingView(was), RoleBindingView(was))), IsEmpty());
}

}  // namespace
}  // namespace keelson::api::rbac
