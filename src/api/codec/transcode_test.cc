#include "api/codec/transcode.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/random_document.h"
#include "api/types/builtin_types.h"
#include "api/types/resource_desc.h"

namespace keelson::api::transcode {
namespace {

using std::string_literals::operator""s;

std::string Protobuf(const StructNode& node) {
  base::BufferBuilder out;
  protobuf::Encode(node, out);
  return std::string(out.view());
}

std::string Json(const StructNode& node) {
  base::BufferBuilder out;
  json::Encode(node, out);
  return std::string(out.view());
}

std::string Transcoded(std::string_view bytes, const TypeDesc& type, std::string_view head = "") {
  base::BufferBuilder out;
  out.Append("before");
  const bool ok = ProtobufToJson(bytes, type, head, out);
  EXPECT_TRUE(out.view().starts_with("before"));
  return ok ? std::string(out.view().substr(6)) : "malformed " + std::to_string(out.size() - 6);
}

// The value that a JSON text stands for, in one spelling.
std::string Normal(std::string_view text) {
  Arena arena;
  auto v = json::DecodeAny(text, arena);
  if (!v) return v.error().message + ": " + std::string(text);
  base::BufferBuilder out;
  json::EncodeAny(*v, out);
  return std::string(out.view());
}

// Without what is written of claims inside a stateful set although it is not in the message.
std::string WithoutClaimHeads(std::string json) {
  constexpr std::string_view kHead = R"("kind":"PersistentVolumeClaim","apiVersion":"v1",)";
  for (size_t at; (at = json.find(kHead)) != json.npos;) json.erase(at, kHead.size());
  return json;
}

TEST(TranscodeTest, ClaimsInsideAStatefulSetSayWhatTheyAre) {
  Arena arena;
  const TypeDesc& type = *FindType("apps_v1.StatefulSetSpec");
  const auto spec =
      json::Decode(R"({"volumeClaimTemplates":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})", type,
                   arena, nullptr);
  const std::string got = Transcoded(Protobuf(**spec), type);
  EXPECT_NE(got.find(R"([{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"a"})"),
            got.npos)
      << got;
  EXPECT_NE(got.find(R"({"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"b"})"),
            got.npos)
      << got;
}

TEST(TranscodeTest, GivesTheJsonThatADocumentWouldGive) {
  const std::string bytes =
      "\x0a\x06\x0a\x01n\x1a\x01s\x12\x06\x0a\x01"
      "a\x12\x01<"s;
  EXPECT_EQ(Transcoded(bytes, *FindType("core_v1.ConfigMap"), R"("kind":"ConfigMap")"),
            R"({"kind":"ConfigMap","metadata":{"name":"n","namespace":"s"},"data":{"a":"\u003c"}})");
}

TEST(TranscodeTest, AnEmptyMessageShowsWhatMustShow) {
  EXPECT_EQ(Transcoded("", *FindType("core_v1.Pod")),
            R"({"metadata":{},"spec":{"containers":null},"status":{}})");
  EXPECT_EQ(Transcoded("", *FindType("core_v1.Secret"), R"("kind":"Secret")"),
            R"({"kind":"Secret","metadata":{}})");
  EXPECT_EQ(Transcoded("", *FindType("core_v1.LocalObjectReference")), "{}");
}

TEST(TranscodeTest, EveryTypeRoundTripsThroughBothEncodings) {
  for (const TypeDesc* type : BuiltinTypes()) {
    if (type->either) continue;  // has no JSON object of its own; inside others it is covered
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Arena arena;
      const StructNode* made = RandomDocument(seed, arena).Struct(*type);
      const std::string json = Json(*made), bytes = Protobuf(*made);

      auto from_json = json::Decode(json, *type, arena, nullptr);
      ASSERT_TRUE(from_json) << type->name << ": " << from_json.error().message;
      EXPECT_EQ(Json(**from_json), json) << type->name;
      if (type->by_number.empty()) continue;  // has no protobuf form

      EXPECT_EQ(Protobuf(**from_json), bytes) << type->name << " " << json;
      auto from_bytes = protobuf::Decode(bytes, *type, arena);
      ASSERT_TRUE(from_bytes) << type->name << ": " << from_bytes.error().message;
      EXPECT_EQ(Protobuf(**from_bytes), bytes) << type->name;
      EXPECT_EQ(Json(**from_bytes), json) << type->name;
      EXPECT_EQ(Normal(WithoutClaimHeads(Transcoded(bytes, *type))), Normal(json)) << type->name;
    }
  }
}

TEST(TranscodeTest, EveryPrefixOfAMessageIsEitherReadOrRefused) {
  const TypeDesc& type = *FindType("core_v1.Pod");
  Arena arena;
  const std::string bytes = Protobuf(*RandomDocument(3, arena).Struct(type));
  for (size_t n = 0; n < bytes.size(); n += 1 + n / 256) {
    const std::string prefix = bytes.substr(0, n);  // its own memory, so that overruns are found
    Arena scratch;
    auto node = protobuf::Decode(prefix, type, scratch);
    const std::string got = Transcoded(prefix, type);
    if (node) {
      EXPECT_EQ(Normal(got), Normal(Json(**node)));
    } else {
      EXPECT_EQ(got, "malformed 0");
    }
  }
}

TEST(TranscodeTest, FieldsInAnyOrderAreCopedWith) {
  const TypeDesc& type = *FindType("core_v1.ConfigMap");
  // data before metadata, its entries apart and unsorted, metadata in two parts.
  const std::string bytes =
      "\x12\x06\x0a\x01"
      "b\x12\x01"
      "2\x0a\x03\x0a\x01n\x12\x06\x0a\x01"
      "a\x12\x01"
      "1\x0a\x03\x1a\x01s"s;
  EXPECT_EQ(Transcoded(bytes, type, R"("kind":"ConfigMap")"),
            R"({"kind":"ConfigMap","metadata":{"name":"n","namespace":"s"},"data":{"a":"1","b":"2"}})");
  // A list in two parts.
  EXPECT_EQ(Transcoded("\x0a\x01"
                       "a\x12\x01s\x0a\x01"
                       "b"s,
                       *FindType("core_v1.PodDNSConfig")),
            R"({"nameservers":["a","b"],"searches":["s"]})");
}

TEST(TranscodeTest, MalformedMessagesLeaveTheBufferAsItWas) {
  EXPECT_EQ(Transcoded("\x0a\x05"s, *FindType("core_v1.Pod")), "malformed 0");
  EXPECT_EQ(Transcoded("\x0a\x02\x0a\x05"s, *FindType("core_v1.Pod")), "malformed 0");
}

}  // namespace
}  // namespace keelson::api::transcode
