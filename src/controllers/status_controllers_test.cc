#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/generated/apiextensions_v1.h"
#include "api/generated/apiregistration_v1.h"
#include "api/generated/core_v1.h"
#include "api/generated/flowcontrol_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/testing/json_doc.h"
#include "client/testing/fake_client.h"
#include "controllers/api_service_controller.h"
#include "controllers/api_service_registration.h"
#include "controllers/conditions.h"
#include "controllers/crd_controller.h"
#include "controllers/crd_finalizer.h"
#include "controllers/flow_schema_controller.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

api::Doc Parse(std::string_view json, const api::TypeDesc& type) {
  return api::testing::DocFromJson(json, type);
}

// ---- FlowSchemaController

class FlowSchemaControllerTest : public ::testing::Test {
 protected:
  static std::string Schema(std::string_view conditions) {
    return R"({"metadata":{"name":"s"},"spec":{"priorityLevelConfiguration":{"name":"low"}},"status":{"conditions":[)" +
           std::string(conditions) + "]}}";
  }

  void PutSchema(std::string_view conditions) {
    schemas_.Put("", Parse(Schema(conditions), api::flowcontrol_v1::FlowSchemaView::Type()));
    loop_.Run();
  }
  void PutLevel() {
    levels_.Put("", Parse(R"({"metadata":{"name":"low"}})",
                          api::flowcontrol_v1::PriorityLevelConfigurationView::Type()));
    loop_.Run();
  }
  void Start() {
    controller_.Start();
    loop_.Run();
  }

  ManualLoop loop_;
  client::FakeClient client_;
  client::FakeResource& schemas_ = client_.At("flowcontrol.apiserver.k8s.io", "flowschemas");
  client::FakeResource& levels_ = client_.At("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations");
  FlowSchemaController controller_{client_, loop_};
};

TEST_F(FlowSchemaControllerTest, ASchemaWithoutItsLevelDangles) {
  PutSchema("");
  Start();
  ASSERT_EQ(schemas_.applied.size(), 1u);
  EXPECT_THAT(schemas_.applied[0], ::testing::AllOf(HasSubstr(R"("type":"Dangling","status":"True")"),
                                                    HasSubstr(R"("reason":"NotFound")"),
                                                    HasSubstr("but there is no such object")));
  PutLevel();
  ASSERT_EQ(schemas_.applied.size(), 2u);
  EXPECT_THAT(schemas_.applied[1], HasSubstr(R"("status":"False")"));
}

TEST_F(FlowSchemaControllerTest, WhatIsToldAlreadyIsNotToldAgain) {
  PutLevel();
  PutSchema(
      R"({"type":"Dangling","status":"False","reason":"Found","message":"This FlowSchema references the PriorityLevelConfiguration object named \"low\" and it exists"})");
  Start();
  EXPECT_THAT(schemas_.applied, IsEmpty());
}

TEST_F(FlowSchemaControllerTest, AFailureIsTriedAgain) {
  PutSchema("");
  levels_.fails = true;
  Start();
  EXPECT_THAT(schemas_.applied, IsEmpty());
  levels_.fails = false;
  loop_.Advance(1s);
  EXPECT_EQ(schemas_.applied.size(), 1u);
}

// ---- ApiServiceController

TEST(ApiServiceControllerTest, OwnServicesAreAvailableAndOthersAreLeftAlone) {
  ManualLoop loop;
  client::FakeClient client;
  client::FakeResource& objects = client.At("apiregistration.k8s.io", "apiservices");
  const auto put = [&](std::string_view json) {
    objects.Put("", Parse(json, api::apiregistration_v1::APIServiceView::Type()));
  };
  put(R"({"metadata":{"name":"local"}})");
  put(R"({"metadata":{"name":"remote"},"spec":{"service":{"namespace":"n","name":"there"}}})");
  ApiServiceController controller(client, loop);
  controller.Start();
  loop.Run();
  const auto available = [&](const std::string& name) {
    return FindCondition(api::apiregistration_v1::APIServiceView(*objects.Find("", name)).status(),
                         "Available");
  };
  EXPECT_EQ(available("local").status(), "True");
  EXPECT_EQ(available("local").reason(), "Local");
  EXPECT_FALSE(available("remote"));
  EXPECT_EQ(objects.writes, 1);
}

// ---- ApiServiceRegistration

class ApiServiceRegistrationTest : public ::testing::Test {
 protected:
  using View = api::apiregistration_v1::APIServiceView;

  static api::Doc Service(std::string_view name, std::string_view managed, int priority) {
    std::string labels;
    if (!managed.empty())
      labels = R"(,"labels":{"kube-aggregator.kubernetes.io/automanaged":")" + std::string(managed) + "\"}";
    return Parse(R"({"metadata":{"name":")" + std::string(name) + "\"" + labels +
                     R"(},"spec":{"versionPriority":1,"groupPriorityMinimum":)" + std::to_string(priority) +
                     "}}",
                 View::Type());
  }
  void Define(std::string_view name, std::string_view group, std::string_view versions) {
    definitions_.Put("", Parse(R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"group":")" +
                                   std::string(group) + R"(","versions":[)" + std::string(versions) + "]}}",
                               api::apiextensions_v1::CustomResourceDefinitionView::Type()));
    loop_.Run();
  }
  void Start() {
    std::vector<api::Doc> built_in;
    built_in.push_back(Service("v1.apps", "onstart", 7));
    controller_.emplace(client_, std::move(built_in), loop_);
    controller_->Start();
    loop_.Run();
  }
  int Priority(const std::string& name) {
    const api::Doc* const found = objects_.Find("", name);
    return found ? View(*found).spec().group_priority_minimum() : -1;
  }

  ManualLoop loop_;
  client::FakeClient client_;
  client::FakeResource& objects_ = client_.At("apiregistration.k8s.io", "apiservices");
  client::FakeResource& definitions_ = client_.At("apiextensions.k8s.io", "customresourcedefinitions");
  std::optional<ApiServiceRegistration> controller_;
};

TEST_F(ApiServiceRegistrationTest, WhatIsBuiltInIsRegisteredOnce) {
  Start();
  EXPECT_EQ(Priority("v1.apps"), 7);
  objects_.Remove("", "v1.apps");
  loop_.Run();
  EXPECT_EQ(Priority("v1.apps"), -1);
}

TEST_F(ApiServiceRegistrationTest, WhatWasThereIsCorrectedAtTheStartUnlessItIsSomebodyElses) {
  objects_.Put("", Service("v1.apps", "onstart", 3));
  objects_.Put("", Service("v1.left", "onstart", 3));
  objects_.Put("", Service("v1.gone", "true", 3));
  objects_.Put("", Service("v1.other", "", 3));
  Start();
  EXPECT_EQ(Priority("v1.apps"), 7);
  EXPECT_EQ(Priority("v1.left"), -1);
  EXPECT_EQ(Priority("v1.gone"), -1);
  EXPECT_EQ(Priority("v1.other"), 3);
  objects_.Put("", Service("v1.apps", "onstart", 4));
  loop_.Run();
  EXPECT_EQ(Priority("v1.apps"), 4);
}

TEST_F(ApiServiceRegistrationTest, DefinitionsAreRegisteredForAsLongAsTheyServeAVersion) {
  Define("a.g", "g", R"({"name":"v1","served":true},{"name":"v2","served":false})");
  objects_.Put("", Service("v1.g", "true", 3));
  Start();
  EXPECT_EQ(Priority("v1.g"), 1000);
  EXPECT_EQ(Priority("v2.g"), -1);
  Define("b.g", "g", R"({"name":"v1","served":true})");
  Define("a.g", "g", R"({"name":"v2","served":true})");
  EXPECT_EQ(Priority("v1.g"), 1000);
  EXPECT_EQ(Priority("v2.g"), 1000);
  definitions_.Remove("", "b.g");
  loop_.Run();
  EXPECT_EQ(Priority("v1.g"), -1);
  objects_.Remove("", "v2.g");
  loop_.Run();
  EXPECT_EQ(Priority("v2.g"), 1000);
}

// ---- CrdController

class CrdControllerTest : public ::testing::Test {
 protected:
  using View = api::apiextensions_v1::CustomResourceDefinitionView;

  static std::string Definition(std::string_view name, std::string_view kind, std::string_view plural) {
    return R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"group":"g","names":{"kind":")" +
           std::string(kind) + R"(","plural":")" + std::string(plural) + R"("}}})";
  }
  void Put(std::string_view name, std::string_view kind, std::string_view plural) {
    definitions_.Put("", Parse(Definition(name, kind, plural), View::Type()));
    loop_.Run();
  }
  View At(const std::string& name) const { return View(*definitions_.Find("", name)); }
  auto Accepted(const std::string& name) const { return FindCondition(At(name).status(), "NamesAccepted"); }
  auto Established(const std::string& name) const { return FindCondition(At(name).status(), "Established"); }

  ManualLoop loop_;
  client::FakeClient client_;
  client::FakeResource& definitions_ = client_.At("apiextensions.k8s.io", "customresourcedefinitions");
  CrdController controller_{client_, loop_};
};

TEST_F(CrdControllerTest, FreeNamesAreAcceptedAndTheDefinitionIsEstablished) {
  controller_.Start();
  Put("a", "Gear", "gears");
  EXPECT_EQ(Accepted("a").status(), "True");
  EXPECT_EQ(Accepted("a").reason(), "NoConflicts");
  EXPECT_EQ(Established("a").status(), "True");
  EXPECT_EQ(Established("a").reason(), "InitialNamesAccepted");
  EXPECT_EQ(At("a").status().accepted_names().plural(), "gears");
  EXPECT_EQ(definitions_.writes, 1);
}

TEST_F(CrdControllerTest, ADefinitionInAGroupOfTheCommunitySaysWhetherThatApproves) {
  const auto put = [&](std::string_view group, std::string_view approval) {
    definitions_.Put("", Parse(R"({"metadata":{"name":"a","annotations":{"api-approved.kubernetes.io":")" +
                                   std::string(approval) + R"("}},"spec":{"group":")" + std::string(group) +
                                   R"(","names":{"kind":"Gear","plural":"gears"}}})",
                               View::Type()));
    loop_.Run();
  };
  const auto conforms = [&] {
    return FindCondition(At("a").status(), "KubernetesAPIApprovalPolicyConformant");
  };
  controller_.Start();
  put("example.com", "https://example.com/1");
  EXPECT_FALSE(conforms());
  put("x.k8s.io", "https://example.com/1");
  EXPECT_EQ(conforms().status(), "True");
  EXPECT_EQ(conforms().reason(), "ApprovedAnnotation");
  EXPECT_EQ(conforms().message(), "approved in https://example.com/1");
  const int writes = definitions_.writes;
  controller_.LookAgain("a");
  loop_.Run();
  EXPECT_EQ(definitions_.writes, writes);
  put("x.k8s.io", "unapproved, just for tests");
  EXPECT_EQ(conforms().status(), "False");
  EXPECT_EQ(conforms().reason(), "UnapprovedAnnotation");
  EXPECT_EQ(conforms().message(), "not approved: \"unapproved, just for tests\"");
  put("x.k8s.io", "maybe");
  EXPECT_EQ(conforms().reason(), "InvalidAnnotation");
  put("x.kubernetes.io", "");
  EXPECT_EQ(conforms().reason(), "MissingAnnotation");
  EXPECT_EQ(Established("a").status(), "True");
}

TEST_F(CrdControllerTest, ADefinitionIsEstablishedOnceItCanBeServed) {
  bool ready = false;
  CrdController controller(client_, loop_, {.ready = [&](std::string_view name, std::string_view) {
                             return ready && name == "a";
                           }});
  controller.Start();
  Put("a", "Gear", "gears");
  EXPECT_EQ(Accepted("a").status(), "True");
  EXPECT_EQ(Established("a").status(), "False");
  ready = true;
  controller.LookAgain("a");
  loop_.Run();
  EXPECT_EQ(Established("a").status(), "True");
}

TEST_F(CrdControllerTest, WhoServesIsToldBeforeAndAfterItIsWrittenThatADefinitionIsEstablished) {
  std::vector<std::string> told;
  CrdController controller(client_, loop_,
                           {.begin =
                                [&](std::string_view name) {
                                  told.push_back(std::string(name) + " begins as " +
                                                 std::string(Established(std::string(name)).status()));
                                },
                            .end =
                                [&](std::string_view name, std::string_view, bool established) {
                                  told.push_back(std::string(name) + " ends as " +
                                                 std::string(Established(std::string(name)).status()));
                                  EXPECT_TRUE(established);
                                }});
  controller.Start();
  Put("a", "Gear", "gears");
  EXPECT_THAT(told, testing::ElementsAre("a begins as ", "a ends as True"));
  controller.LookAgain("a");
  loop_.Run();
  EXPECT_EQ(told.size(), 2U) << "once";
}

// ---- CrdFinalizer

class CrdFinalizerTest : public CrdControllerTest {
 protected:
  void PutDeleted(bool established) {
    std::string text = Definition("a", "Gear", "gears");
    text.insert(text.find("\"name\""),
                R"("deletionTimestamp":"2020-01-01T00:00:00Z",)"
                R"("finalizers":["customresourcecleanup.apiextensions.k8s.io","hold"],)");
    if (established)
      text.insert(text.size() - 1, R"(,"status":{"conditions":[{"type":"Established","status":"True"}]})");
    definitions_.Put("", Parse(text, View::Type()));
    loop_.Run();
  }
  auto Terminating() const { return FindCondition(At("a").status(), "Terminating"); }

  static api::ResourceDesc Gears() {
    api::ResourceDesc desc = *api::FindResource("", "v1", "configmaps");
    desc.group = "g";
    desc.plural = "gears";
    return desc;
  }

  const api::ResourceDesc gears_ = Gears();
  client::FakeResource& objects_ = client_.Serve(gears_);
  CrdFinalizer finalizer_{client_, loop_};
};

TEST_F(CrdFinalizerTest, ADefinitionGoesAfterItsObjects) {
  finalizer_.Start();
  objects_.Put("n", Parse(R"({"metadata":{"name":"held","finalizers":["example.com/hold"]}})",
                          api::core_v1::ConfigMapView::Type()));
  PutDeleted(true);
  EXPECT_FALSE(objects_.deleted.empty());
  EXPECT_EQ(Terminating().reason(), "InstanceDeletionInProgress");
  EXPECT_EQ(At("a").metadata().finalizers().size(), 2u);
}

TEST_F(CrdFinalizerTest, WithoutObjectsTheFinalizerIsTakenAway) {
  finalizer_.Start();
  PutDeleted(true);
  EXPECT_EQ(Terminating().reason(), "InstanceDeletionCompleted");
  EXPECT_EQ(At("a").metadata().finalizers().size(), 1u);
}

TEST_F(CrdFinalizerTest, WhatWasNeverServedHasNoObjects) {
  objects_.Put("n", Parse(R"({"metadata":{"name":"other"}})", api::core_v1::ConfigMapView::Type()));
  finalizer_.Start();
  PutDeleted(false);
  EXPECT_THAT(objects_.deleted, IsEmpty());
  EXPECT_EQ(Terminating().reason(), "NeverEstablished");
}

TEST_F(CrdControllerTest, ANameInUseIsRefusedUntilItIsFree) {
  controller_.Start();
  Put("a", "Gear", "gears");
  Put("b", "Gear", "wheels");
  EXPECT_EQ(Accepted("b").status(), "False");
  EXPECT_EQ(Accepted("b").reason(), "KindConflict");
  EXPECT_EQ(Accepted("b").message(), "\"Gear\" is already in use");
  EXPECT_EQ(Established("b").reason(), "NotAccepted");
  EXPECT_EQ(At("b").status().accepted_names().plural(), "wheels");
  definitions_.Remove("", "a");
  loop_.Run();
  EXPECT_EQ(Accepted("b").status(), "True");
  EXPECT_EQ(Established("b").status(), "True");
}

}  // namespace
}  // namespace keelson::controllers
