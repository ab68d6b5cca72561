#include "admission/plugins/owner_references.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "admission/testing/fakes.h"

namespace keelson::admission {
namespace {

// Allows what it is told, and remembers what it is asked.
class ScriptedAuthorizer final : public auth::Authorizer {
 public:
  base::Task<auth::Verdict> Authorize(const auth::Attributes& a) override {
    std::string question(a.verb);
    question.append(" ").append(a.group).append("/").append(a.version).append(" ").append(a.resource);
    question.append("/").append(a.subresource).append(" ").append(a.ns).append("/").append(a.name);
    asked.push_back(question);
    EXPECT_TRUE(a.resource_request);
    if (allowed.contains(question)) co_return auth::Verdict{auth::Decision::kAllow, ""};
    co_return auth::Verdict{auth::Decision::kNoOpinion, "no rule", error};
  }

  std::set<std::string> allowed;
  std::string error;
  std::vector<std::string> asked;
};

constexpr std::string_view kAnything = "update */* */finalizers /*";
constexpr std::string_view kDeletePod = "delete /v1 pods/ demo/p";

class OwnerReferencesTest : public testing::Test {
 protected:
  OwnerReferencesTest() {
    objects_.Add(
        "apiextensions.k8s.io", "customresourcedefinitions",
        R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Cluster",
                     "names":{"plural":"widgets","kind":"Widget"},
                     "versions":[{"name":"v1","served":true,"storage":true},{"name":"v0","served":false,"storage":false}]}})");
    objects_.Serve(widgets_);
  }

  static std::string Owner(std::string_view api_version, std::string_view kind, std::string_view uid,
                           std::string_view more = "") {
    return R"({"apiVersion":")" + std::string(api_version) + R"(","kind":")" + std::string(kind) +
           R"(","name":"o","uid":")" + std::string(uid) + "\"" + std::string(more) + "}";
  }
  static std::string Pod(const std::string& owners) {
    return R"({"metadata":{"name":"p","ownerReferences":[)" + owners + "]}}";
  }
  std::string Judge(const std::string& now, const std::string& was = "") {
    authorizer_.asked.clear();
    Write write("", "pods", now, was);
    Attributes request = write.request();
    request.ns = "demo";
    request.user = &user_;
    return Refusal(base::SyncWait(plugin_.Validate(request)));
  }

  static constexpr std::string_view kBlocking = R"(,"blockOwnerDeletion":true)";
  static constexpr std::string_view kNotBlocking = R"(,"blockOwnerDeletion":false)";

  const api::ResourceDesc widgets_ = [] {
    api::ResourceDesc desc = Resource("", "nodes");
    desc.group = "example.com";
    desc.version = "v1";
    desc.kind = "Widget";
    desc.plural = "widgets";
    return desc;
  }();
  const auth::User user_{.name = "jane"};
  FakeObjects objects_;
  ScriptedAuthorizer authorizer_;
  const OwnerReferencesPermissionEnforcement plugin_{objects_, authorizer_};
};

TEST_F(OwnerReferencesTest, WhoeverCreatesAnObjectMayGiveItOwners) {
  EXPECT_EQ(Judge(Pod(Owner("v1", "Node", "1"))), "");
  EXPECT_TRUE(authorizer_.asked.empty());
}

TEST_F(OwnerReferencesTest, ChangingOwnersNeedsThePermissionToDelete) {
  const std::string none = Pod(""), one = Pod(Owner("v1", "Node", "1"));
  EXPECT_EQ(Judge(one, one), "");
  EXPECT_TRUE(authorizer_.asked.empty());
  for (const auto& [now, was] : {std::pair(one, none), std::pair(none, one),
                                 std::pair(Pod(Owner("v1", "Node", "1", R"(,"controller":true)")), one)}) {
    EXPECT_EQ(
        Judge(now, was),
        "pods \"p\" is forbidden: cannot set an ownerRef on a resource you can't delete: no rule, <nil>");
    EXPECT_EQ(authorizer_.asked, std::vector<std::string>{std::string(kDeletePod)});
  }
  authorizer_.error = "down";
  EXPECT_EQ(Judge(one, none),
            "pods \"p\" is forbidden: cannot set an ownerRef on a resource you can't delete: no rule, down");
  authorizer_.allowed.emplace(kDeletePod);
  EXPECT_EQ(Judge(one, none), "");
}

TEST_F(OwnerReferencesTest, BlockingAnOwnerNeedsThePermissionToUpdateItsFinalizers) {
  const std::string refusal =
      "pods \"p\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you "
      "can't set finalizers on: no rule, <nil>";
  const struct {
    std::string api_version, kind, question;
  } cases[] = {{"v1", "Node", "update /v1 nodes/finalizers /o"},
               {"apps/v1", "ReplicaSet", "update apps/v1 replicasets/finalizers demo/o"},
               {"example.com/v1", "Widget", "update example.com/v1 widgets/finalizers /o"}};
  for (const auto& c : cases) {
    const std::string pod = Pod(Owner(c.api_version, c.kind, "1", kBlocking));
    EXPECT_EQ(Judge(pod), refusal);
    EXPECT_EQ(authorizer_.asked, (std::vector<std::string>{std::string(kAnything), c.question}));
    authorizer_.allowed = {c.question};
    EXPECT_EQ(Judge(pod), "");
    authorizer_.allowed = {std::string(kAnything)};
    EXPECT_EQ(Judge(pod), "");
    authorizer_.allowed.clear();
  }
}

TEST_F(OwnerReferencesTest, OnlyOwnersThatWereNotBlockedBeforeAreAskedAbout) {
  authorizer_.allowed.emplace(kDeletePod);
  const auto asked = [&](const std::string& now, const std::string& was) {
    Judge(now, was);
    return authorizer_.asked.size() > 1;
  };
  const std::string blocking = Owner("v1", "Node", "1", kBlocking);
  EXPECT_TRUE(asked(Pod(blocking), Pod("")));
  EXPECT_TRUE(asked(Pod(blocking), Pod(Owner("v1", "Node", "1"))));
  EXPECT_TRUE(asked(Pod(blocking), Pod(Owner("v1", "Node", "1", kNotBlocking))));
  EXPECT_TRUE(asked(Pod(blocking), Pod(Owner("v1", "Node", "2", kBlocking))));
  EXPECT_FALSE(asked(Pod(blocking), Pod(blocking + "," + Owner("v1", "Node", "2", kBlocking))));
  EXPECT_FALSE(asked(Pod(Owner("v1", "Node", "1", kNotBlocking)), Pod(blocking)));
}

TEST_F(OwnerReferencesTest, AKindThatNobodyServesCannotBeBlocked) {
  const auto judged = [&](const std::string& api_version, const std::string& kind) {
    return Judge(Pod(Owner(api_version, kind, "1", kBlocking)));
  };
  const std::string start =
      "pods \"p\" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping "
      "for "
      "APIVersion ";
  EXPECT_EQ(judged("v9", "Node"), start + R"(v9 Kind Node: no matches for kind "Node" in version "v9")");
  EXPECT_EQ(
      judged("example.com/v0", "Widget"),
      start + R"(example.com/v0 Kind Widget: no matches for kind "Widget" in version "example.com/v0")");
  EXPECT_EQ(judged("a/b/c", "X"), start + "a/b/c Kind X: unexpected GroupVersion string: a/b/c");
}

TEST_F(OwnerReferencesTest, TheStatusOfPodsIsNotItsConcern) {
  EXPECT_FALSE(plugin_.ConcernWith(Resource("", "pods"), "status").validates);
  EXPECT_TRUE(plugin_.ConcernWith(Resource("", "pods"), "").validates);
  EXPECT_TRUE(plugin_.ConcernWith(Resource("", "nodes"), "status").validates);
}

}  // namespace
}  // namespace keelson::admission
