#include "api/codec/protobuf.h"

#include <gtest/gtest.h>

#include <fstream>

#include "api/codec/base64.h"
#include "api/codec/json.h"
#include "api/types/resource_desc.h"

namespace keelson::api::protobuf {
namespace {

using std::string_literals::operator""s;

// What upstream's encoders made of one zero and one filled object per kind.
struct Sample {
  std::string kind;
  const TypeDesc* type;
  std::string protobuf, json;
};

// "apps/v1", "Deployment".
const TypeDesc* TypeOf(std::string_view api_version, std::string_view kind) {
  const size_t slash = api_version.find('/');
  if (slash == api_version.npos) return FindKind("", api_version, kind);
  return FindKind(api_version.substr(0, slash), api_version.substr(slash + 1), kind);
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  for (const char* file : {KEELSON_CODEC_TESTDATA "/core_v1.tsv", KEELSON_CODEC_TESTDATA "/groups.tsv"}) {
    std::ifstream in(file);
    std::string api_version, kind, base64, json;
    while (std::getline(in, api_version, '\t') && std::getline(in, kind, '\t') &&
           std::getline(in, base64, '\t') && std::getline(in, json)) {
      std::string bytes(Base64DecodedBound(base64.size()), '\0');
      bytes.resize(Base64Decode(base64, bytes.data()).value());
      samples.push_back({api_version + " " + kind, TypeOf(api_version, kind), bytes, json});
    }
  }
  return samples;
}

std::string Encoded(const StructNode& node) {
  base::BufferBuilder out;
  Encode(node, out);
  return std::string(out.view());
}

TEST(ProtobufTest, WritesTheBytesThatUpstreamWrites) {
  const auto samples = Samples();
  ASSERT_GT(samples.size(), 150u);
  for (const Sample& sample : samples) {
    ASSERT_TRUE(sample.type) << sample.kind;
    Arena arena;
    auto node = json::Decode(sample.json, *sample.type, arena, nullptr);
    ASSERT_TRUE(node) << sample.kind << ": " << node.error().message;
    EXPECT_EQ(Encoded(**node), sample.protobuf) << sample.kind;
    base::BufferBuilder json;
    json::Encode(**node, json);
    EXPECT_EQ(json.view(), sample.json) << sample.kind;
  }
}

TEST(ProtobufTest, ReadsBackWhatUpstreamWrote) {
  for (const Sample& sample : Samples()) {
    Arena arena;
    auto node = Decode(sample.protobuf, *sample.type, arena);
    ASSERT_TRUE(node) << sample.kind << ": " << node.error().message;
    EXPECT_EQ(Encoded(**node), sample.protobuf) << sample.kind;
  }
}

TEST(ProtobufTest, TheEnvelopeIsUpstreams) {
  Doc doc(*FindType("core_v1.ConfigMap"));
  doc.root()->slot(0) = Value::String("ConfigMap");
  doc.root()->slot(1) = Value::String("v1");
  base::BufferBuilder out;
  EncodeObject(doc, out);
  const std::string message = Encoded(*doc.root());
  EXPECT_EQ(out.view(),
            "k8s\0\n\x0f\n\x02v1\x12\x09"
            "ConfigMap\x12"s +
                static_cast<char>(message.size()) + message + "\x1a\0\"\0"s);

  auto again = DecodeObject(out.Take(), *FindType("core_v1.ConfigMap"));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->root()->slot(0).string(), "ConfigMap");
  EXPECT_EQ(again->root()->slot(1).string(), "v1");
}

TEST(ProtobufTest, WhatIsNoEnvelopeIsRefused) {
  EXPECT_FALSE(ParseEnvelope("{}"));
  EXPECT_FALSE(
      ParseEnvelope("k8s\0\x12\x05"
                    "ab"s));
  EXPECT_TRUE(ParseEnvelope(kMagic));
}

TEST(ProtobufTest, TruncatedAndMistypedMessagesAreRefused) {
  const TypeDesc& type = *FindType("core_v1.ConfigMap");
  Arena arena;
  for (const std::string& bytes : {"\x0a"s, "\x0a\x05"s, "\x08\x01"s, "\xff"s, "\x00\x00"s,
                                   "\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"s})
    EXPECT_FALSE(Decode(bytes, type, arena)) << testing::PrintToString(bytes);
}

TEST(ProtobufTest, UnknownFieldsAreDropped) {
  Arena arena;
  // A varint, a fixed64, a fixed32 and a group with numbers that the type does not have.
  auto node = Decode("\xf8\x07\x01\xf9\x07........\xfd\x07....\xfb\x07\x08\x01\xfc\x07"s,
                     *FindType("core_v1.ConfigMap"), arena);
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(Encoded(**node), Encoded(*StructNode::New(*FindType("core_v1.ConfigMap"), arena)));
}

TEST(ProtobufTest, RawTextMustBeJson) {
  const TypeDesc& type = *FindType("meta_v1.ManagedFieldsEntry");
  Arena arena;
  EXPECT_TRUE(Decode("\x3a\x04\x0a\x02{}"s, type, arena));
  EXPECT_FALSE(Decode("\x3a\x04\x0a\x02{]"s, type, arena));
}

TEST(ProtobufTest, FindBytesFollowsThePath) {
  const std::string message =
      "\x0a\x09\x0a\x01n\x32\x04"
      "1234"
      "\x12\x01s"s;
  EXPECT_EQ(FindBytes(message, {1, 6}), "1234");
  EXPECT_EQ(FindBytes(message, {1, 1}), "n");
  EXPECT_EQ(FindBytes(message, {2}), "s");
  EXPECT_EQ(FindBytes(message, {1, 5}), std::nullopt);
  EXPECT_EQ(FindBytes("\x0a\x09", {1}), std::nullopt);
}

// The room that messages are written in grows with them, and is the next one's afterwards.
TEST(ProtobufTest, MessagesOfAnySizeFollowEachOther) {
  const TypeDesc& type = *FindType("core_v1.ConfigMap");
  for (const size_t size : {10u, 32'000u, 33'000u, 200'000u, 10u, 1'000'000u, 0u}) {
    std::string json = R"({"metadata":{"name":"a"},"data":{"first":"1","k":")" + std::string(size, 'x') +
                       R"(","last":"z"}})";
    Arena arena;
    const std::string bytes = Encoded(*json::Decode(json, type, arena, nullptr).value());
    base::BufferBuilder back;
    json::Encode(*Decode(bytes, type, arena).value(), back);
    EXPECT_TRUE(back.view() == json) << size;
  }
}

TEST(ProtobufTest, SplicingSetsTheResourceVersionAndNothingElse) {
  const TypeDesc& type = *FindType("core_v1.ConfigMap");
  for (std::string_view text :
       {R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7","generation":3},"data":{"k":"v"}})",
        R"({"metadata":{"name":"a"},"data":{"k":"v"}})", "{}"}) {
    Arena arena;
    StructNode* node = json::Decode(text, type, arena, nullptr).value();
    base::BufferBuilder spliced;
    ASSERT_TRUE(SpliceResourceVersion(Encoded(*node), "123456789", spliced));
    Value& metadata = node->slot(2);
    if (!metadata.node()) metadata = Value::Of(StructNode::New(*type.fields[2].type, arena));
    metadata.node()->slot(metadata.node()->type->FindMember("resourceVersion").field->ordinal) =
        Value::String("123456789");
    EXPECT_EQ(spliced.view(), Encoded(*node)) << text;
  }
  base::BufferBuilder out;
  EXPECT_FALSE(SpliceResourceVersion("\x0a\x05", "1", out));
  EXPECT_TRUE(SpliceResourceVersion("", "1", out));
  EXPECT_EQ(out.view(),
            "\x0a\x03\x32\x01"
            "1");
}

// With another field between any two entries, in falling order: sorting after each would take minutes.
TEST(ProtobufTest, EntriesOfAMapMayStandApart) {
  const auto field = [](char number, std::string_view bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())}.append(bytes);
  };
  constexpr int kEntries = 60'000;
  std::string message;
  for (int i = kEntries; i > 0; --i)
    message += field(2, field(1, std::to_string(1'000'000 + i)) + field(2, "v")) + field(15, "");
  message += field(2, field(1, "1000001") + field(2, "last"));
  Arena arena;
  const auto map = Decode(message, *FindKind("", "v1", "ConfigMap"), arena);
  ASSERT_TRUE(map) << map.error().message;
  base::BufferBuilder out;
  json::Encode(**map, out);
  const std::string_view json = out.view();
  EXPECT_NE(json.find(R"({"1000001":"last","1000002":"v",)"), json.npos) << json.substr(0, 200);
  EXPECT_NE(json.find(R"("1060000":"v"})"), json.npos);
}

}  // namespace
}  // namespace keelson::api::protobuf
