#include "registry/resource/claim_authorization.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "api/validation/testing/json_doc.h"
#include "registry/core/strategies.h"
#include "registry/testing/store_fixture.h"

namespace keelson::registry::resource {
namespace {

using Texts = std::vector<std::string>;

// Allows what it is told, and remembers what it is asked.
class ScriptedAuthorizer final : public auth::Authorizer {
 public:
  base::Task<auth::Verdict> Authorize(const auth::Attributes& a) override {
    std::string question(a.verb);
    question.append(" ").append(a.resource).append("/").append(a.subresource);
    question.append(" ").append(a.ns).append("/").append(a.name);
    asked.push_back(question);
    if (allowed.contains(question)) co_return auth::Verdict{auth::Decision::kAllow, ""};
    co_return auth::Verdict{auth::Decision::kNoOpinion, reason, error};
  }

  std::set<std::string> allowed;
  std::string reason, error;
  Texts asked;
};

class ClaimAuthorizationTest : public StoreFixture, public Stores {
 protected:
  ClaimAuthorizationTest() {
    AddNamespace("plain", "{}");
    AddNamespace("wrong", R"({"resource.kubernetes.io/admin-access":"yes"})");
    AddNamespace("admin", R"({"resource.kubernetes.io/admin-access":"true"})");
  }
  Store* Find(api::GroupResource, std::string_view) const override { return &namespaces_; }
  void AddNamespace(const std::string& name, const std::string& labels) {
    const std::string json = R"({"metadata":{"name":")" + name + R"(","labels":)" + labels + "}}";
    EXPECT_TRUE(loop_.Run(namespaces_.Create(Request(""), Document("namespaces", json))));
  }
  Dependencies dependencies() { return {.stores = this, .authorizer = &authorizer_, .clock = &clock_}; }

  // What is said of a write in `ns`; without `was` it creates.
  Texts Judge(const WriteCheck& check, std::string_view plural, std::string_view ns, const std::string& now,
              const std::string& was = "") {
    authorizer_.asked.clear();
    const api::ResourceDesc& desc = *api::FindResource("resource.k8s.io", "v1", plural);
    api::Doc object = api::testing::DocFromJson(now, *desc.type), old;
    if (!was.empty()) old = api::testing::DocFromJson(was, *desc.type);
    const admission::Attributes request{
        .operation = was.empty() ? admission::Operation::kCreate : admission::Operation::kUpdate,
        .resource = &desc,
        .ns = ns,
        .user = &user_,
        .verb = was.empty() ? "create" : "update",
        .object = &object,
        .old_object = was.empty() ? nullptr : &old};
    return api::testing::Texts(loop_.Run(check.BesideValidation(request)));
  }
  Texts JudgeStatus(const std::string& now, const std::string& was, std::string_view ns = "plain") {
    const auto claim = [](const std::string& status) {
      return R"({"metadata":{"name":"a"},"status":{)" + status + "}}";
    };
    return Judge(*MakeClaimStatusCheck(dependencies()), "resourceclaims", ns, claim(now), claim(was));
  }

  Store& namespaces_ = Add("namespaces", core::Namespaces());
  ScriptedAuthorizer authorizer_;
};

constexpr std::string_view kNeedsLabel =
    "Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on "
    "the "
    "containing namespace";

TEST_F(ClaimAuthorizationTest, AdministrativeAccessNeedsTheLabel) {
  const std::string spec = R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}},
      {"name":"f","firstAvailable":[{"name":"x","deviceClassName":"c"}]},
      {"name":"s","exactly":{"deviceClassName":"c","adminAccess":true}}]}})";
  const Texts refused = {"spec.devices.requests[2].adminAccess: " + std::string(kNeedsLabel)};
  const auto claim = [&](std::string_view ns, const std::string& was = "") {
    return Judge(*MakeClaimCheck(dependencies()), "resourceclaims", ns, "{" + spec + "}", was);
  };
  EXPECT_EQ(claim("plain"), refused);
  EXPECT_EQ(claim("wrong"), refused);
  EXPECT_EQ(claim("admin"), Texts{});
  EXPECT_EQ(claim("plain", "{" + spec + "}"), Texts{});  // what was allowed once stays
  EXPECT_EQ(claim("absent"), Texts{"spec.devices.requests[2].adminAccess: Internal error: could not retrieve "
                                   "namespace to verify admin access: namespaces \"absent\" not found"});
  EXPECT_EQ(Judge(*MakeClaimTemplateCheck(dependencies()), "resourceclaimtemplates", "plain",
                  R"({"spec":{)" + spec + "}}"),
            refused);
  EXPECT_EQ(Judge(*MakeClaimCheck(dependencies()), "resourceclaims", "plain",
                  R"({"spec":{"devices":{"requests":[{"name":"s","exactly":{"adminAccess":false}}]}}})"),
            Texts{});
}

constexpr std::string_view kAllocated = R"("allocation":{"devices":{"results":[
    {"request":"r","driver":"d","pool":"p","device":"x"}]},"nodeSelector":{"nodeSelectorTerms":[
    {"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}})";

TEST_F(ClaimAuthorizationTest, AllocatedAdministrativeAccessNeedsTheLabelUnlessItWasAllocatedBefore) {
  authorizer_.allowed = {"update resourceclaims/binding /"};
  const std::string admin = R"("allocation":{"devices":{"results":[
      {"request":"r","driver":"d","pool":"p","device":"x"},{"request":"s","driver":"d","pool":"p","device":"y","adminAccess":true}]}})";
  EXPECT_EQ(JudgeStatus(admin, ""),
            Texts{"status.allocation.devices.results[1].adminAccess: " + std::string(kNeedsLabel)});
  EXPECT_EQ(JudgeStatus(admin, "", "admin"), Texts{});
  EXPECT_EQ(JudgeStatus(admin + R"(,"reservedFor":[{"resource":"pods","name":"p","uid":"1"}])", admin),
            Texts{});
}

TEST_F(ClaimAuthorizationTest, AllocatingAndReservingNeedThePermissionToBindInTheCluster) {
  const std::string allocated(kAllocated),
      reserved = R"("reservedFor":[{"resource":"pods","name":"p","uid":"1"}])";
  const Texts refused = {
      "status.allocation: Forbidden: changing status.allocation or status.reservedFor requires "
      "resource=\"resourceclaims/binding\", verb=\"update\" permission: resourceclaims.resource.k8s.io is "
      "forbidden: User \"someone\" cannot update resource \"resourceclaims/binding\" in API group "
      "\"resource.k8s.io\" at the cluster scope"};
  EXPECT_EQ(JudgeStatus(allocated, ""), refused);
  EXPECT_EQ(authorizer_.asked, Texts{"update resourceclaims/binding /"});
  EXPECT_EQ(JudgeStatus("", allocated), refused);
  EXPECT_EQ(JudgeStatus(reserved, ""), refused);
  EXPECT_EQ(JudgeStatus("", reserved), refused);
  EXPECT_EQ(JudgeStatus(allocated + "," + reserved, allocated + "," + reserved), Texts{});
  EXPECT_TRUE(authorizer_.asked.empty());
  authorizer_.reason = "why";
  authorizer_.error = "how";
  EXPECT_EQ(JudgeStatus(reserved, ""), Texts{refused[0] + ": how: why"});
  authorizer_.allowed = {"update resourceclaims/binding /"};
  EXPECT_EQ(JudgeStatus(reserved, ""), Texts{});
}

TEST_F(ClaimAuthorizationTest, TheStatusOfDevicesNeedsAPermissionForEachDriver) {
  const std::string allocated(kAllocated);
  const auto devices = [&](const std::string& list) { return allocated + R"(,"devices":[)" + list + "]"; };
  const std::string x = R"({"driver":"d","pool":"p","device":"x"})",
                    y = R"({"driver":"e","pool":"p","device":"y"})",
                    changed = R"({"driver":"d","pool":"p","device":"x","data":{"a":1}})";
  const auto asked = [&](const std::string& now, const std::string& was) {
    JudgeStatus(now, was);
    return authorizer_.asked;
  };
  const Texts of_d = {"arbitrary-node:update resourceclaims/driver plain/d"};
  const Texts of_both = {of_d[0], "arbitrary-node:update resourceclaims/driver plain/e"};
  EXPECT_EQ(asked(devices(x), allocated), of_d);
  EXPECT_EQ(asked(devices(changed + "," + y), devices(x + "," + y)), of_d);
  EXPECT_EQ(asked(devices(y), devices(x + "," + y)), of_d);
  EXPECT_EQ(asked(devices(y + "," + x), allocated), of_both);
  EXPECT_EQ(asked(devices(y + "," + x), devices(x + "," + y)), Texts{});
  // A claim that is not allocated has no devices.
  EXPECT_EQ(asked("", R"("devices":[)" + x + "]"), Texts{});
  EXPECT_EQ(
      JudgeStatus(devices(x), allocated),
      Texts{"status.devices: Forbidden: changing status.devices requires "
            "resource=\"resourceclaims/driver\", verb=\"[arbitrary-node:update]\" permission: "
            "resourceclaims.resource.k8s.io \"d\" is forbidden: User \"someone\" cannot "
            "arbitrary-node:update resource \"resourceclaims/driver\" in API group \"resource.k8s.io\" in "
            "the namespace \"plain\""});
}

TEST_F(ClaimAuthorizationTest, ADriverOnTheNodeOfTheClaimNeedsLess) {
  const std::string allocated(kAllocated),
      devices = allocated + R"(,"devices":[{"driver":"d","pool":"p","device":"x"}])";
  const auto asked = [&](const std::string& name, std::vector<std::string> nodes) {
    user_.name = name;
    user_.extra["authentication.kubernetes.io/node-name"] = std::move(nodes);
    JudgeStatus(devices, allocated);
    return authorizer_.asked.front();
  };
  const std::string associated = "associated-node:update resourceclaims/driver plain/d",
                    arbitrary = "arbitrary-node:update resourceclaims/driver plain/d";
  EXPECT_EQ(asked("system:serviceaccount:plain:driver", {"n1"}), associated);
  EXPECT_EQ(authorizer_.asked, (Texts{associated, arbitrary}));
  EXPECT_EQ(asked("system:serviceaccount:plain:driver", {"n2"}), arbitrary);
  EXPECT_EQ(asked("system:serviceaccount:plain:driver", {"n1", "n1"}), arbitrary);
  EXPECT_EQ(asked("system:serviceaccount:plain", {"n1"}), arbitrary);
  EXPECT_EQ(asked("someone", {"n1"}), arbitrary);
  authorizer_.allowed = {associated};
  EXPECT_EQ(asked("system:serviceaccount:plain:driver", {"n1"}), associated);
  EXPECT_EQ(authorizer_.asked.size(), 1u);
}

}  // namespace
}  // namespace keelson::registry::resource
