#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/generated/core_v1.h"
#include "api/validation/testing/json_doc.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::Doc;
using api::testing::DocFromJson;
using api::testing::Texts;
using api::testing::ToJson;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

namespace v1 = api::core_v1;

const WriteContext kContext;

template <class View>
void ExpectSame(const Doc& doc, std::string_view json) {
  const Doc expected = DocFromJson<View>(json);
  EXPECT_TRUE(Equal(doc.root(), expected.root())) << ToJson(doc) << "\nis not\n" << ToJson(expected);
}

TEST(CoreStrategiesTest, NamesAndScopes) {
  const auto events = Events(std::chrono::seconds(1));
  struct Case {
    const char* name;
    const Strategy& strategy;
    bool namespaced, create_on_update;
    std::string_view good_name, bad_name;
  };
  const Case cases[] = {
      {"namespaces", Namespaces(), false, false, "a", "a.b"},
      {"namespaces/status", NamespaceStatus(), false, false, "a", "a.b"},
      {"namespaces/finalize", NamespaceFinalize(), false, false, "a", "a.b"},
      {"configmaps", ConfigMaps(), true, false, "a.b", "A"},
      {"secrets", Secrets(), true, false, "a.b", "A"},
      {"serviceaccounts", ServiceAccounts(), true, false, "a.b", "A"},
      {"endpoints", Endpoints(), true, true, "a.b", "A"},
      {"events", *events, true, true, "A:b c", "a/b"},
      {"limitranges", LimitRanges(), true, true, "a.b", "A"},
      {"resourcequotas", ResourceQuotas(), true, false, "a.b", "A"},
      {"resourcequotas/status", ResourceQuotaStatus(), true, false, "a.b", "A"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(c.strategy.NamespaceScoped(), c.namespaced) << c.name;
    EXPECT_EQ(c.strategy.AllowCreateOnUpdate(), c.create_on_update) << c.name;
    EXPECT_TRUE(c.strategy.AllowUnconditionalUpdate()) << c.name;
    EXPECT_THAT(c.strategy.ValidateName(c.good_name, false), IsEmpty()) << c.name;
    EXPECT_THAT(c.strategy.ValidateName(c.bad_name, false), Not(IsEmpty())) << c.name;
  }
}

TEST(NamespaceStrategyTest, ANewNamespaceIsActiveAndHasOurFinalizer) {
  Doc doc =
      DocFromJson<v1::NamespaceView>(R"({"spec":{"finalizers":["a/b"]},"status":{"phase":"Terminating"}})");
  Namespaces().PrepareForCreate(kContext, doc);
  ExpectSame<v1::NamespaceView>(
      doc, R"({"spec":{"finalizers":["a/b","kubernetes"]},"status":{"phase":"Active"}})");
  Namespaces().PrepareForCreate(kContext, doc);
  ExpectSame<v1::NamespaceView>(
      doc, R"({"spec":{"finalizers":["a/b","kubernetes"]},"status":{"phase":"Active"}})");
}

TEST(NamespaceStrategyTest, AGeneratedNameBecomesALabel) {
  Doc doc = DocFromJson<v1::NamespaceView>(R"({"metadata":{"name":"a-1","labels":{"x":"y"}}})");
  Namespaces().Canonicalize(doc);
  ExpectSame<v1::NamespaceView>(
      doc, R"({"metadata":{"name":"a-1","labels":{"kubernetes.io/metadata.name":"a-1","x":"y"}}})");
}

TEST(NamespaceStrategyTest, EachEndpointChangesItsOwnPart) {
  constexpr std::string_view kWas =
      R"({"metadata":{"name":"a"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})";
  constexpr std::string_view kNow =
      R"({"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"finalizers":["a/b"]},"status":{"phase":"Terminating"}})";
  struct Case {
    const char* name;
    const Strategy& strategy;
    std::string_view expected;
  };
  const Case cases[] = {
      {"the object", Namespaces(),
       R"({"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})"},
      {"status", NamespaceStatus(),
       R"({"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Terminating"}})"},
      {"finalize", NamespaceFinalize(),
       R"({"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"finalizers":["a/b"]},"status":{"phase":"Active"}})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Doc now = DocFromJson<v1::NamespaceView>(kNow);
    {
      const Doc was = DocFromJson<v1::NamespaceView>(kWas);
      c.strategy.PrepareForUpdate(kContext, now, was);
    }  // what is kept must not lie in the arena of the old object
    ExpectSame<v1::NamespaceView>(now, c.expected);
  }
}

TEST(NamespaceStrategyTest, DeletionWaitsForTheFinalizersInSpec) {
  Doc doc =
      DocFromJson<v1::NamespaceView>(R"({"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})");
  EXPECT_TRUE(Namespaces().HasOwnFinalizers(doc));
  Namespaces().PrepareForDeletion(kContext, doc);
  EXPECT_EQ(v1::NamespaceView(doc).status().phase(), "Terminating");
  EXPECT_FALSE(Namespaces().HasOwnFinalizers(DocFromJson<v1::NamespaceView>("{}")));
}

TEST(SecretStrategyTest, AnUpdateWithoutATypeKeepsIt) {
  const Doc was = DocFromJson<v1::SecretView>(R"({"type":"x"})");
  Doc now(v1::SecretView::Type());
  Secrets().PrepareForUpdate(kContext, now, was);
  EXPECT_EQ(v1::SecretView(now).type(), "x");
  EXPECT_THAT(Texts(Secrets().ValidateUpdate(kContext, now, was)), IsEmpty());
}

TEST(ServiceAccountStrategyTest, OnlyTheNamesOfSecretsAreKept) {
  Doc doc = DocFromJson<v1::ServiceAccountView>(
      R"({"secrets":[{"name":"a","namespace":"b","kind":"Secret"},{"uid":"1"}]})");
  ServiceAccounts().PrepareForCreate(kContext, doc);
  ExpectSame<v1::ServiceAccountView>(doc, R"({"secrets":[{"name":"a"},{}]})");
}

TEST(ServiceAccountStrategyTest, EnforcingMountableSecretsIsDeprecated) {
  constexpr std::string_view kWarning =
      "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate "
      "namespaces to isolate access to mounted secrets";
  const Doc plain = DocFromJson<v1::ServiceAccountView>("{}");
  const Doc marked = DocFromJson<v1::ServiceAccountView>(
      R"({"metadata":{"annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}}})");
  EXPECT_THAT(ServiceAccounts().WarningsOnCreate(kContext, plain), IsEmpty());
  EXPECT_THAT(ServiceAccounts().WarningsOnCreate(kContext, marked), ElementsAre(kWarning));
  EXPECT_THAT(ServiceAccounts().WarningsOnUpdate(kContext, marked, plain), ElementsAre(kWarning));
  EXPECT_THAT(ServiceAccounts().WarningsOnUpdate(kContext, marked, marked), IsEmpty());
}

TEST(PodTemplateStrategyTest, ItsTemplateIsWarnedOfWhenItIsNew) {
  constexpr std::string_view kWarning =
      "template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since "
      "v1.30; use "
      "the \"appArmorProfile\" field instead";
  const auto make = [](std::string generation) {
    return DocFromJson<v1::PodTemplateView>(R"({"metadata":{"generation":)" + generation + R"(},"template":{
        "metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/c":"unconfined"}},
        "spec":{"containers":[{"name":"c","image":"i"}]}}})");
  };
  const Doc first = make("1"), second = make("2");
  EXPECT_THAT(PodTemplates().WarningsOnCreate(kContext, first), ElementsAre(kWarning));
  EXPECT_THAT(PodTemplates().WarningsOnUpdate(kContext, second, first), ElementsAre(kWarning));
  EXPECT_THAT(PodTemplates().WarningsOnUpdate(kContext, first, first), IsEmpty());
}

TEST(EventStrategyTest, TheNewerGroupAsksMoreOfMetadata) {
  const auto strategy = Events(std::chrono::hours(1));
  EXPECT_TRUE(strategy->ValidatesMetadata());
  const Doc event = DocFromJson<api::core_v1::EventView>(R"({"metadata":{"namespace":"n"}})");
  WriteContext context;
  EXPECT_THAT(api::testing::Texts(strategy->Validate(context, event)),
              ElementsAre(R"(involvedObject.namespace: Invalid value: "": does not match event.namespace)"));
  context.api_version = {"events.k8s.io", "v1"};
  EXPECT_THAT(api::testing::Texts(strategy->Validate(context, event)),
              ElementsAre(R"(involvedObject.namespace: Invalid value: "": does not match event.namespace)",
                          "metadata.name: Required value: name or generateName is required",
                          "eventTime: Required value", R"(type: Invalid value: "": has invalid value: )"));
}

TEST(EventStrategyTest, LivesAsLongAsItIsTold) {
  const Doc doc(v1::EventView::Type());
  EXPECT_EQ(Events(std::chrono::hours(1))->TimeToLive(doc), std::chrono::hours(1));
  EXPECT_EQ(ConfigMaps().TimeToLive(doc), std::nullopt);
}

TEST(LimitRangeStrategyTest, OneWithoutANameGetsOne) {
  Doc doc(v1::LimitRangeView::Type());
  LimitRanges().PrepareForCreate(kContext, doc);
  const std::string name(v1::LimitRangeView(doc).metadata().name());
  EXPECT_THAT(LimitRanges().ValidateName(name, false), IsEmpty());
  LimitRanges().PrepareForCreate(kContext, doc);
  EXPECT_EQ(v1::LimitRangeView(doc).metadata().name(), name);
}

TEST(ResourceQuotaStrategyTest, SpecAndStatusAreChangedApart) {
  Doc created =
      DocFromJson<v1::ResourceQuotaView>(R"({"spec":{"hard":{"pods":"1"}},"status":{"used":{"pods":"1"}}})");
  ResourceQuotas().PrepareForCreate(kContext, created);
  ExpectSame<v1::ResourceQuotaView>(created, R"({"spec":{"hard":{"pods":"1"}}})");

  const Doc was =
      DocFromJson<v1::ResourceQuotaView>(R"({"spec":{"hard":{"pods":"1"}},"status":{"used":{"pods":"0"}}})");
  constexpr std::string_view kNow = R"({"spec":{"hard":{"pods":"2"}},"status":{"used":{"pods":"1"}}})";
  Doc spec = DocFromJson<v1::ResourceQuotaView>(kNow), status = DocFromJson<v1::ResourceQuotaView>(kNow);
  ResourceQuotas().PrepareForUpdate(kContext, spec, was);
  ExpectSame<v1::ResourceQuotaView>(spec, R"({"spec":{"hard":{"pods":"2"}},"status":{"used":{"pods":"0"}}})");
  ResourceQuotaStatus().PrepareForUpdate(kContext, status, was);
  ExpectSame<v1::ResourceQuotaView>(status,
                                    R"({"spec":{"hard":{"pods":"1"}},"status":{"used":{"pods":"1"}}})");
}

TEST(ResourceQuotaStrategyTest, RequestsOverLimitsAreWarnedOf) {
  const Doc doc = DocFromJson<v1::ResourceQuotaView>(
      R"({"spec":{"hard":{"cpu":"2","limits.cpu":"1500m","requests.memory":"1Gi","limits.memory":"1Gi"}}})");
  EXPECT_THAT(ResourceQuotas().WarningsOnCreate(kContext, doc),
              ElementsAre("ResourceQuota cpu (2) should be less than limits.cpu (1500m)"));
}

}  // namespace
}  // namespace keelson::registry::core
