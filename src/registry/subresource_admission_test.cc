// What admission is asked about subresources that are no view of their object: scale, bindings, connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/generated/apps_v1.h"
#include "api/generated/autoscaling_v1.h"
#include "api/generated/core_v1.h"
#include "api/validation/testing/json_doc.h"
#include "net/http/message.h"
#include "registry/apps/strategies.h"
#include "registry/core/connection.h"
#include "registry/core/pod_connections.h"
#include "registry/core/pod_servings.h"
#include "registry/core/pod_store.h"
#include "registry/core/strategies.h"
#include "registry/decode.h"
#include "registry/scale.h"
#include "registry/testing/store_fixture.h"

namespace keelson::registry {
namespace {

using admission::Attributes;
using admission::Verdict;
using api::autoscaling_v1::ScaleEditor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "UPDATE deployments/scale d: Scale over Scale"
std::string Described(const Attributes& asked) {
  std::string text(NameOf(asked.operation));
  text.append(" ").append(asked.resource->plural).append("/").append(asked.subresource);
  text.append(" ").append(asked.name);
  const auto kind = [](const api::Doc& doc) { return doc.type().name.substr(doc.type().name.find('.') + 1); };
  if (asked.object) text.append(": ").append(kind(*asked.object));
  if (asked.old_object) text.append(" over ").append(kind(*asked.old_object));
  return text;
}

// Hooks that write down what they are asked.
class Asked {
 public:
  admission::Hooks hooks() {
    return {.mutate = [this](Attributes a) { return Mutate(a); },
            .validate = [this](Attributes a) { return Validate(a); }};
  }

  std::vector<std::string> mutated, validated;
  std::function<void(api::Doc&)> change = [](api::Doc&) {};
  bool refuses = false;

 private:
  base::Task<Verdict> Mutate(Attributes attributes) {
    mutated.push_back(Described(attributes));
    if (attributes.object) change(*attributes.object);
    co_return Verdict();
  }
  base::Task<Verdict> Validate(Attributes attributes) {
    validated.push_back(Described(attributes));
    if (refuses) co_return base::Err(api::BadRequest("no"));
    co_return Verdict();
  }
};

constexpr char kDeployment[] =
    R"({"metadata":{"name":"d"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},
        "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})";

class ScaleAdmissionTest : public StoreFixture, public Stores {
 protected:
  ScaleAdmissionTest() {
    const Dependencies dependencies{.stores = this, .clock = &clock_};
    serving_ = ServeScale(kRules, {&Resource("deployments"), "scale", of_scale_.hooks()}, dependencies);
    EXPECT_TRUE(loop_.Run(store_.Create(Request(), Document("deployments", kDeployment))));
    of_deployment_.mutated.clear();
    of_deployment_.validated.clear();
  }
  Store* Find(api::GroupResource, std::string_view) const override { return &store_; }

  rest::Result<rest::Written> Scale(int32_t replicas) {
    rest::UpdatedObject updated;
    updated.make = [replicas](const api::Doc& current) { return Made(current.Clone(), replicas); };
    return loop_.Run(serving_->verbs().update->Update(Request(), "d", std::move(updated)));
  }
  int32_t Replicas() {
    const auto object = loop_.Run(store_.Get("default", "d", {}));
    const auto doc = DecodeStored(**object, api::apps_v1::kDeploymentType);
    return api::apps_v1::DeploymentView(*doc).spec().replicas();
  }

  Asked of_deployment_, of_scale_;

 private:
  static base::Task<rest::Result<api::Doc>> Made(api::Doc scale, int32_t replicas) {
    ScaleEditor(scale).mutable_spec().set_replicas(replicas);
    co_return scale;
  }
  static Scaled Read(const api::Doc& doc) {
    return {api::apps_v1::DeploymentView(doc).spec().replicas(), 0, "a=b"};
  }
  static void Set(api::Doc& doc, int32_t replicas) {
    api::apps_v1::DeploymentEditor(doc).mutable_spec().set_replicas(replicas);
  }
  static constexpr ScaleRules kRules{{"apps", "deployments"}, &api::apps_v1::kDeploymentType, &Read, &Set};

  Store& store_ = Add("deployments", apps::Deployments(), {.admission = of_deployment_.hooks()});
  std::unique_ptr<Serving> serving_;
};

TEST_F(ScaleAdmissionTest, AScaleIsJudgedAsSuchAndItsObjectIsNot) {
  ASSERT_TRUE(Scale(3));
  EXPECT_EQ(Replicas(), 3);
  EXPECT_THAT(of_scale_.mutated, ElementsAre("UPDATE deployments/scale d: Scale over Scale"));
  EXPECT_THAT(of_scale_.validated, ElementsAre("UPDATE deployments/scale d: Scale over Scale"));
  EXPECT_THAT(of_deployment_.mutated, IsEmpty());
  EXPECT_THAT(of_deployment_.validated, IsEmpty());
}

TEST_F(ScaleAdmissionTest, ARefusedScaleChangesNothing) {
  of_scale_.refuses = true;
  EXPECT_EQ(Scale(3).error().message, "no");
  EXPECT_EQ(Replicas(), 1);
}

TEST_F(ScaleAdmissionTest, WhatMutatingAdmissionMakesOfAScaleIsChecked) {
  of_scale_.change = [](api::Doc& doc) { ScaleEditor(doc).mutable_spec().set_replicas(7); };
  ASSERT_TRUE(Scale(3));
  EXPECT_EQ(Replicas(), 7);
  of_scale_.change = [](api::Doc& doc) { ScaleEditor(doc).mutable_spec().set_replicas(-1); };
  EXPECT_THAT(Scale(3).error().message, HasSubstr("spec.replicas"));
}

class BindingAdmissionTest : public StoreFixture, public Stores {
 protected:
  Store* Find(api::GroupResource, std::string_view) const override { return &pods_; }

  rest::Result<rest::Written> Bind(std::string_view resource, std::string subresource, std::string parent,
                                   std::string_view json) {
    const Dependencies dependencies{.stores = this, .clock = &clock_};
    const auto serving =
        core::ServeBinding({&Resource(resource), std::move(subresource), asked_.hooks()}, dependencies);
    rest::WriteRequest request = Request();
    request.parent = std::move(parent);
    return loop_.Run(serving->verbs().create->Create(
        std::move(request), api::testing::DocFromJson(json, api::core_v1::kBindingType)));
  }

  Asked asked_;

 private:
  mutable core::PodStore pods_{{.resource = &Resource("pods"),
                                .storage = &StorageOf("pods"),
                                .strategy = &core::Pods(),
                                .clock = &clock_}};
};

constexpr char kBinding[] = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})";

TEST_F(BindingAdmissionTest, ABindingIsJudgedBeforeItsPodIsLookedFor) {
  EXPECT_EQ(Bind("pods", "binding", "p", kBinding).error().code, 404);
  EXPECT_THAT(asked_.mutated, ElementsAre("CREATE pods/binding p: Binding"));
  EXPECT_THAT(asked_.validated, ElementsAre("CREATE pods/binding p: Binding"));
  asked_.refuses = true;
  EXPECT_EQ(Bind("pods", "binding", "p", kBinding).error().message, "no");
}

TEST_F(BindingAdmissionTest, TheOldWayIsAResourceOfItsOwn) {
  EXPECT_EQ(Bind("bindings", "", "", kBinding).error().code, 404);
  EXPECT_THAT(asked_.validated, ElementsAre("CREATE bindings/ p: Binding"));
}

TEST_F(BindingAdmissionTest, WhatIsWrongWithItIsToldBeforeItIsValidated) {
  EXPECT_EQ(Bind("pods", "binding", "other", kBinding).error().code, 400);
  EXPECT_THAT(asked_.mutated, ElementsAre("CREATE pods/binding other: Binding"));
  EXPECT_THAT(asked_.validated, IsEmpty());
}

class ConnectionAdmissionTest : public StoreFixture {
 protected:
  api::Status Refusal(std::string query) {
    const auto serving = core::ServePodExec({&Resource("pods"), "exec", asked_.hooks()}, {});
    net::http::Request request{.method = "POST"};
    request.query = std::move(query);
    auto answer = loop_.Run(serving->verbs().connect->Connect(
        {.user = &user_, .request = &request, .ns = "default", .name = "p"}));
    EXPECT_FALSE(answer);
    return answer ? api::Status() : answer.error();
  }

  Asked asked_;
};

TEST_F(ConnectionAdmissionTest, NothingIsConnectedThatIsRefused) {
  asked_.refuses = true;
  EXPECT_EQ(Refusal("command=ls").message, "no");
  EXPECT_THAT(asked_.mutated, ElementsAre("CONNECT pods/exec p: PodExecOptions"));
  EXPECT_THAT(asked_.validated, ElementsAre("CONNECT pods/exec p: PodExecOptions"));
}

TEST_F(ConnectionAdmissionTest, ThereIsNoDryRun) {
  EXPECT_EQ(Refusal("command=ls&dryRun=All").message, "dryRun is not supported");
  EXPECT_THAT(asked_.mutated, IsEmpty());
}

std::string Options(std::string_view query, const api::TypeDesc& type) {
  const auto doc = core::ReadConnectOptions(net::http::Query::Parse(query), type);
  return doc ? api::testing::ToJson(*doc) : doc.error().message;
}

TEST(ConnectOptionsTest, ParametersBecomeFields) {
  EXPECT_EQ(Options("command=ls&command=-l&stdout=true&tty&stdin=0&stderr=FALSE&container=c&other=1",
                    api::core_v1::kPodExecOptionsType),
            R"({"stdout":true,"tty":true,"container":"c","command":["ls","-l"]})");
}

TEST(ConnectOptionsTest, PortsMayBeListedWithCommas) {
  const api::TypeDesc& type = api::core_v1::kPodPortForwardOptionsType;
  EXPECT_EQ(Options("ports=80,81&ports=8080", type), R"({"ports":[80,81,8080]})");
  EXPECT_EQ(Options("", type), "{}");
  const std::string start = "cannot convert to []int32: strconv.ParseUint: parsing ";
  EXPECT_EQ(Options("ports=80,", type), start + R"("": invalid syntax)");
  EXPECT_EQ(Options("ports=-1", type), start + R"("-1": invalid syntax)");
  EXPECT_EQ(Options("ports=70000", type), start + R"("70000": value out of range)");
}

}  // namespace
}  // namespace keelson::registry
