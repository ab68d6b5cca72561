#include "api/codec/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/types/builtin_types.h"
#include "api/types/resource_desc.h"

namespace keelson::api::json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const TypeDesc& Type(std::string_view name) {
  const TypeDesc* type = FindType(name);
  if (!type) throw std::invalid_argument(std::string(name));
  return *type;
}
const TypeDesc& Pod() { return Type("core_v1.Pod"); }

std::string ErrorOf(std::string_view text, const TypeDesc& type = Pod()) {
  Arena arena;
  auto node = Decode(text, type, arena, nullptr);
  return node ? "no error" : node.error().message;
}

std::string Again(std::string_view text, const TypeDesc& type = Pod()) {
  Arena arena;
  auto node = Decode(text, type, arena, nullptr);
  if (!node) return node.error().message;
  base::BufferBuilder out;
  Encode(**node, out);
  return std::string(out.view());
}

StrictErrors StrictErrorsOf(std::string_view text, const TypeDesc& type = Pod()) {
  Arena arena;
  StrictErrors errors;
  auto node = Decode(text, type, arena, &errors);
  EXPECT_TRUE(node) << node.error().message;
  return errors;
}

std::string AnyAgain(std::string_view text) {
  Arena arena;
  auto v = DecodeAny(text, arena);
  if (!v) return v.error().message;
  base::BufferBuilder out;
  EncodeAny(*v, out);
  return std::string(out.view());
}

TEST(JsonTest, ShowsWhatGoShowsOfAnEmptyObject) {
  EXPECT_EQ(Again("{}"), R"({"metadata":{},"spec":{"containers":null},"status":{}})");
  EXPECT_EQ(Again("{}", Type("core_v1.ServicePort")), R"({"port":0,"targetPort":0})");
  EXPECT_EQ(Again("null"), Again("{}"));
}

TEST(JsonTest, KeepsMembersInTheOrderOfDeclaration) {
  EXPECT_EQ(
      Again(
          R"({"spec":{"nodeName":"n","containers":[{"image":"i","name":"c"}]},"kind":"Pod","apiVersion":"v1"})"),
      R"({"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":[{"name":"c","image":"i","resources":{}}],)"
      R"("nodeName":"n"},"status":{}})");
}

TEST(JsonTest, InlineStructsAreFlat) {
  EXPECT_EQ(Again(R"({"emptyDir":{"sizeLimit":"1024Ki"},"name":"v"})", Type("core_v1.Volume")),
            R"({"name":"v","emptyDir":{"sizeLimit":"1Mi"}})");
}

TEST(JsonTest, MapsComeOutSortedAndTheLastDuplicateWins) {
  EXPECT_EQ(Again(R"({"data":{"b":"1","a":"2","b":"3"}})", Type("core_v1.ConfigMap")),
            R"({"metadata":{},"data":{"a":"2","b":"3"}})");
}

TEST(JsonTest, NullIsAbsent) {
  EXPECT_EQ(
      Again(
          R"({"metadata":{"name":null,"labels":null,"deletionGracePeriodSeconds":null},"spec":{"containers":null}})"),
      Again("{}"));
  EXPECT_EQ(Again(R"({"data":{"a":null}})", Type("core_v1.ConfigMap")), R"({"metadata":{},"data":{"a":""}})");
}

TEST(JsonTest, PointersToZeroStay) {
  EXPECT_EQ(Again(R"({"immutable":false})", Type("core_v1.ConfigMap")),
            R"({"metadata":{},"immutable":false})");
}

TEST(JsonTest, EscapesAsGoDoes) {
  EXPECT_EQ(Again("{\"data\":{\"a\":\"<&>\\u2028\\\"\\\\\\n\\u0001\x7f\u00e9\\ud83d\\ude00 padding to be "
                  "longer than a block\"}}",
                  Type("core_v1.ConfigMap")),
            "{\"metadata\":{},\"data\":{\"a\":"
            "\"\\u003c\\u0026\\u003e\\u2028\\\"\\\\\\n\\u0001\x7f\u00e9\U0001F600 padding to "
            "be longer than a block\"}}");
  base::BufferBuilder out;
  EncodeString("bad \xff utf-8 \xe2\x80", out);
  EXPECT_EQ(out.view(), R"("bad \ufffd utf-8 \ufffd\ufffd")");
}

TEST(JsonTest, EveryLengthAndPlaceOfAnEscapeIsHandled) {
  for (size_t n = 0; n < 70; ++n) {
    for (size_t at = 0; at <= n; ++at) {
      std::string plain(n, 'x'), want(n, 'x');
      if (at < n) {
        plain[at] = '\n';
        want.replace(at, 1, "\\n");
      }
      base::BufferBuilder out;
      EncodeString(plain, out);
      ASSERT_EQ(out.view(), '"' + want + '"');
    }
  }
}

TEST(JsonTest, LoneSurrogatesAreReplaced) { EXPECT_EQ(AnyAgain(R"("\ud800x\udc00")"), "\"\uFFFDx\uFFFD\""); }

TEST(JsonTest, SpecialTypesAreRead) {
  EXPECT_EQ(
      Again(R"({"metadata":{"creationTimestamp":"2023-11-15T00:13:20+02:00"}})", Type("core_v1.ConfigMap")),
      R"({"metadata":{"creationTimestamp":"2023-11-14T22:13:20Z"}})");
  EXPECT_EQ(Again(R"({"data":{"k":"aGVsbG8="}})", Type("core_v1.Secret")),
            R"({"metadata":{},"data":{"k":"aGVsbG8="}})");
  EXPECT_EQ(Again(R"({"requests":{"cpu":0.5,"memory":"1024Mi"}})", Type("core_v1.ResourceRequirements")),
            R"({"requests":{"cpu":"500m","memory":"1Gi"}})");
  EXPECT_EQ(Again(R"({"port":80,"targetPort":"http"})", Type("core_v1.ServicePort")),
            R"({"port":80,"targetPort":"http"})");
}

// Embedded JSON is kept as it came; shown without blanks.
TEST(JsonTest, RawJsonLosesOnlyItsWhiteSpace) {
  EXPECT_EQ(Again(R"({"metadata":{"managedFields":[{"fieldsV1": { "f:a b" : [ 1.50, {} ] } }]}})",
                  Type("core_v1.ConfigMap")),
            R"({"metadata":{"managedFields":[{"fieldsV1":{"f:a b":[1.50,{}]}}]}})");
  EXPECT_EQ(Again(R"({"fieldsV1":{"f:sixteen bytes \\":"<\"&> and more","b":1}})",
                  Type("meta_v1.ManagedFieldsEntry")),
            R"({"fieldsV1":{"f:sixteen bytes \\":"\u003c\"\u0026\u003e and more","b":1}})");
}

TEST(JsonTest, StrictErrorsNameTheField) {
  EXPECT_THAT(
      StrictErrorsOf(
          R"({"foo":1,"spec":{"bar":{"x":1,"x":2},"containers":[{"name":"c"},{"foo":1,"name":"a","name":"b"}]},)"
          R"("metadata":{"labels":{"a":"1","a":"2"}}})"),
      ElementsAre(R"(unknown field "foo")", R"(unknown field "spec.bar")",
                  R"(unknown field "spec.containers[1].foo")", R"(duplicate field "spec.containers[1].name")",
                  R"(duplicate field "metadata.labels.a")"));
  EXPECT_THAT(StrictErrorsOf(R"({"emptyDir":{},"name":"v","emptyDir":null})", Type("core_v1.Volume")),
              ElementsAre(R"(duplicate field "emptyDir")"));
  EXPECT_THAT(StrictErrorsOf(R"({"Kind":"Pod"})"), ElementsAre(R"(unknown field "Kind")"));
  EXPECT_THAT(StrictErrorsOf(R"({"kind":"Pod","metadata":{"name":"a"}})"), IsEmpty());
}

TEST(JsonTest, WrongTypesAreNamedAsUpstreamNamesThem) {
  EXPECT_EQ(ErrorOf(R"({"metadata":{"name":5}})"),
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string");
  EXPECT_EQ(ErrorOf(R"({"spec":[]})"),
            "json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec");
  EXPECT_EQ(
      ErrorOf(R"({"spec":{"containers":{}}})"),
      "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container");
  EXPECT_EQ(ErrorOf(R"({"spec":{"dnsPolicy":{}}})"),
            "json: cannot unmarshal object into Go struct field PodSpec.spec.dnsPolicy of type v1.DNSPolicy");
  EXPECT_EQ(
      ErrorOf(R"({"spec":{"accessModes":{}}})", Type("core_v1.PersistentVolume")),
      "json: cannot unmarshal object into Go struct field PersistentVolumeSpec.spec.accessModes of type "
      "[]v1.PersistentVolumeAccessMode");
  EXPECT_EQ(
      ErrorOf(R"({"spec":{"accessModes":[1]}})", Type("core_v1.PersistentVolume")),
      "json: cannot unmarshal number into Go struct field PersistentVolumeSpec.spec.accessModes of type "
      "v1.PersistentVolumeAccessMode");
  EXPECT_EQ(ErrorOf(R"({"spec":{"containers":[{"ports":[{"containerPort":1.5}]}]}})"),
            "json: cannot unmarshal number 1.5 into Go struct field "
            "ContainerPort.spec.containers.ports.containerPort of type int32");
  EXPECT_EQ(
      ErrorOf(R"({"spec":{"volumes":[{"emptyDir":""}]}})"),
      "json: cannot unmarshal string into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type "
      "v1.EmptyDirVolumeSource");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"creationTimestamp":5}})"),
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of "
            "type string");
  EXPECT_EQ(ErrorOf(R"([])"), "json: cannot unmarshal array into Go value of type v1.Pod");
}

TEST(JsonTest, ErrorsOfTypesThatReadThemselvesComeFirst) {
  EXPECT_EQ(ErrorOf(R"({"metadata":{"name":5,"creationTimestamp":"x"}})"),
            R"(parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006")");
  EXPECT_EQ(ErrorOf(R"({"data":{"k":"a=b"}})", Type("core_v1.Secret")),
            "illegal base64 data at input byte 1");
  EXPECT_EQ(ErrorOf(R"({"requests":{"cpu":"x"}})", Type("core_v1.ResourceRequirements")),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

TEST(JsonTest, SyntaxErrorsReadAsGos) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "unexpected end of JSON input"},
      {"{", "unexpected end of JSON input"},
      {"{\"a\"", "unexpected end of JSON input"},
      {"{a", "invalid character 'a' looking for beginning of object key string"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair"},
      {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
      {"[1 2]", "invalid character '2' after array element"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"{} x", "invalid character 'x' after top-level value"},
      {"tru", "unexpected end of JSON input"},
      {"trux", "invalid character 'x' in literal true (expecting 'e')"},
      {"-x", "invalid character 'x' in numeric literal"},
      {"01", "invalid character '1' after top-level value"},
      {"1.x", "invalid character 'x' after decimal point in numeric literal"},
      {"1ex", "invalid character 'x' in exponent of numeric literal"},
      {"\"\x01\"", "invalid character '\\x01' in string literal"},
      {"\"\\x\"", "invalid character 'x' in string escape code"},
      {"\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(AnyAgain(text), want) << text;
    // The same where the value is only skipped, but for what may follow it.
    EXPECT_EQ(ErrorOf("{\"unknown\":" + std::string(text)).substr(0, 10), want.substr(0, 10)) << text;
  }
  Arena arena;
  EXPECT_TRUE(Decode("{", Pod(), arena, nullptr).error().syntax);
  EXPECT_FALSE(Decode("[]", Pod(), arena, nullptr).error().syntax);
}

TEST(JsonTest, BadUtf8IsRefused) {
  EXPECT_EQ(ErrorOf("{\"metadata\":{\"name\":\"\xff\"}}"), "invalid UTF-8 in JSON text");
}

TEST(JsonTest, NestingStopsAtTheLimit) {
  const std::string deep = std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']');
  EXPECT_EQ(AnyAgain(deep), deep);
  EXPECT_EQ(AnyAgain('[' + deep + ']'), "exceeded max depth");
  EXPECT_EQ(ErrorOf("{\"unknown\":" + deep + "}"), "exceeded max depth");
}

TEST(JsonTest, AnyKeepsIntegersAndFormatsFloatsAsGo) {
  EXPECT_EQ(
      AnyAgain(R"({"b":[1,-2.50,1e3,1e21,1e-7,true,null,9223372036854775808,-1e20,-0.0],"a":{}})"),
      R"({"a":{},"b":[1,-2.5,1000,1e+21,1e-7,true,null,9223372036854776000,-100000000000000000000,-0]})");
  EXPECT_EQ(AnyAgain("1916055313644260.75"), "1916055313644260.8");
  EXPECT_EQ(AnyAgain("19160553136442608.0"), "19160553136442610");
  EXPECT_EQ(AnyAgain("1e999"), "json: cannot unmarshal number 1e999 into Go value of type float64");
}

TEST(JsonTest, PeekFindsKindAndApiVersionAnywhere) {
  auto meta = PeekTypeMeta(R"({"metadata":{"kind":"No"},"apiVersion":"v1","kind":"P\u006fd","spec":)");
  ASSERT_TRUE(meta);
  EXPECT_EQ(meta->api_version, "v1");
  EXPECT_EQ(meta->kind, "Pod");
  EXPECT_EQ(PeekTypeMeta("{}")->kind, "");
  EXPECT_EQ(PeekTypeMeta(R"({"kind":1})").error().message,
            "json: cannot unmarshal number into Go struct field .kind of type string");
  EXPECT_EQ(PeekTypeMeta("nope").error().message, "invalid character 'o' in literal null (expecting 'u')");
}

TEST(JsonTest, IndentUsesTwoSpaces) {
  EXPECT_EQ(Indent(R"({"a":[1,{}],"b":"x,:\"{","c":[]})"),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x,:\\\"{\",\n  \"c\": []\n}");
}

TEST(JsonTest, AMapInReverseOrderIsReadInTime) {
  std::string text = R"({"data":{)";
  for (int i = 200'000; i > 0; --i) text += "\"" + std::to_string(1'000'000 + i) + "\":\"\",";
  text.back() = '}';
  text += "}";
  Arena arena;
  auto node = Decode(text, Type("core_v1.ConfigMap"), arena, nullptr);
  ASSERT_TRUE(node);
  base::BufferBuilder out;
  Encode(**node, out);
  EXPECT_TRUE(out.view().starts_with(R"({"metadata":{},"data":{"1000001":"",)"));
}

}  // namespace
}  // namespace keelson::api::json
