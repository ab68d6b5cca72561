#include "api/defaulting/defaulting.h"

#include <gtest/gtest.h>

#include "api/generated/core_v1.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api {
namespace {

using testing::DocFromJson;
using testing::ToJson;

struct Case {
  const char* name;
  const TypeDesc& type;
  std::string_view given, expected;
};

TEST(DefaultingTest, FillsInWhatIsMissing) {
  const Case cases[] = {
      {"secret", core_v1::SecretView::Type(),
       R"({"data":{"a":"eA==","b":"eQ=="},"stringData":{"b":"z","c":"w"}})",
       R"({"data":{"a":"eA==","b":"eg==","c":"dw=="},"type":"Opaque"})"},
      {"secret with a type", core_v1::SecretView::Type(), R"({"type":"x"})", R"({"type":"x"})"},
      {"namespace", core_v1::NamespaceView::Type(),
       R"({"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"b"}}})",
       R"({"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"a"}},"status":{"phase":"Active"}})"},
      {"namespace whose name is still to come", core_v1::NamespaceView::Type(),
       R"({"metadata":{"generateName":"a-"},"status":{"phase":"Terminating"}})",
       R"({"metadata":{"generateName":"a-"},"status":{"phase":"Terminating"}})"},
      {"endpoints", core_v1::EndpointsView::Type(),
       R"({"subsets":[{"ports":[{"port":1},{"port":2,"protocol":"UDP"}]}]})",
       R"({"subsets":[{"ports":[{"port":1,"protocol":"TCP"},{"port":2,"protocol":"UDP"}]}]})"},
      {"limits of containers", core_v1::LimitRangeView::Type(),
       R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"1","memory":"1Mi"},"default":{"x.y/z":"3"}}]}})",
       R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"1","memory":"1Mi"},"default":{"cpu":"2","x.y/z":"3"},"defaultRequest":{"cpu":"2","memory":"1Mi","x.y/z":"3"}}]}})"},
      {"limits of pods", core_v1::LimitRangeView::Type(),
       R"({"spec":{"limits":[{"type":"Pod","max":{"cpu":"2"}}]}})",
       R"({"spec":{"limits":[{"type":"Pod","max":{"cpu":"2"}}]}})"},
      {"limits rounded up to milli", core_v1::LimitRangeView::Type(),
       R"({"spec":{"limits":[{"type":"Pod","max":{"a/a":"1n","a/b":"1e-5","a/c":"12345u","a/d":"-1u","a/e":"1k"}}]}})",
       R"({"spec":{"limits":[{"type":"Pod","max":{"a/a":"1m","a/b":"1e-3","a/c":"13m","a/d":"-1m","a/e":"1k"}}]}})"},
      {"quota rounded up to milli", core_v1::ResourceQuotaView::Type(),
       R"({"spec":{"hard":{"cpu":"1u"}},"status":{"hard":{"cpu":"2u"},"used":{"cpu":"1500u"}}})",
       R"({"spec":{"hard":{"cpu":"1m"}},"status":{"hard":{"cpu":"1m"},"used":{"cpu":"2m"}}})"},
      {"nothing to fill in", core_v1::ConfigMapView::Type(), R"({"data":{"a":"b"}})",
       R"({"data":{"a":"b"}})"},
  };
  for (const Case& c : cases) {
    Doc given = DocFromJson(c.given, c.type);
    const Doc expected = DocFromJson(c.expected, c.type);
    SetDefaults(given);
    EXPECT_TRUE(Equal(given.root(), expected.root())) << c.name << ": " << ToJson(given);
    const std::string once = ToJson(given);
    SetDefaults(given);
    EXPECT_EQ(ToJson(given), once) << c.name << ", a second time";
  }
}

TEST(DefaultingTest, AnObjectWithNothingInItIsFine) {
  for (const TypeDesc* type : {&core_v1::LimitRangeView::Type(), &core_v1::ResourceQuotaView::Type(),
                               &core_v1::EndpointsView::Type(), &core_v1::SecretView::Type(),
                               &core_v1::NamespaceView::Type(), &core_v1::ConfigMapView::Type()}) {
    Doc doc(*type);
    SetDefaults(doc);
    EXPECT_TRUE(doc) << type->name;
  }
}

}  // namespace
}  // namespace keelson::api
