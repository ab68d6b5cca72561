#include "api/validation/admissionregistration/webhooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/testing/any_expression.h"
#include "api/validation/testing/json_doc.h"
#include "api/validation/webhook_client.h"

namespace keelson::api::admissionregistration {
namespace {

using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Texts;
const testing::AnyExpression kAny;
using View = admissionregistration_v1::ValidatingWebhookConfigurationView;

Doc WithRule(std::string rule, std::string side_effects = "None") {
  return DocFromJson<View>(
      R"({"webhooks":[{"name":"a.b.c","sideEffects":")" + side_effects +
      R"(","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x/y"},"rules":[)" + rule + "]}]}");
}

TEST(WebhookValidationTest, AWildcardStandsAlone) {
  const Doc doc = WithRule(R"({"operations":["*","CREATE"],"apiGroups":["*","a"],"apiVersions":["v1"],
                               "resources":["*","pods","a/*","a/b"]})");
  EXPECT_THAT(
      Texts(ValidateWebhooks(View(doc), kAny)),
      ElementsAre(
          HasSubstr("operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present"),
          HasSubstr("apiGroups: Invalid value: [\"*\",\"a\"]: if '*' is present"),
          HasSubstr("resources[3]: Invalid value: \"a/b\": if 'a/*' is present, must not specify a/b"),
          HasSubstr("must not specify other resources without subresources")));
}

TEST(WebhookValidationTest, SideEffectsThatWereThereMayStay) {
  const std::string rule = R"({"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]})";
  const Doc none = WithRule(rule), some = WithRule(rule, "Some");
  EXPECT_THAT(Texts(ValidateWebhooks(View(some), kAny)),
              ElementsAre("webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", "
                          "\"NoneOnDryRun\""));
  EXPECT_THAT(Texts(ValidateWebhooksUpdate(View(some), View(some), kAny)), IsEmpty());
  EXPECT_THAT(Texts(ValidateWebhooksUpdate(View(some), View(none), kAny)),
              ElementsAre(HasSubstr("sideEffects")));
}

TEST(WebhookClientTest, AUrlIsPlainHttps) {
  const auto check = [](std::string_view url) { return Texts(ValidateWebhookUrl(url, field::Path("u"))); };
  EXPECT_THAT(check("https://example.com:443/path"), IsEmpty());
  EXPECT_THAT(check("http://example.com"),
              ElementsAre(HasSubstr("\"http\": 'https' is the only allowed URL scheme")));
  EXPECT_THAT(check("https:///x"), ElementsAre(HasSubstr("host must be specified")));
  EXPECT_THAT(check("https://u:p@h/x?q#f"), ElementsAre(HasSubstr("user information"), HasSubstr("fragments"),
                                                        HasSubstr("query parameters")));
  EXPECT_THAT(check("https://h:x/"), ElementsAre(HasSubstr("invalid port \":x\" after host")));
}

}  // namespace
}  // namespace keelson::api::admissionregistration
