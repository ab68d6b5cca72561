#include "tracing/otlp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "api/codec/protobuf_message.h"

namespace keelson::tracing {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// The fields of a message in their order: numbers as text, the rest as bytes.
std::multimap<uint32_t, std::string> Fields(std::string_view message) {
  std::multimap<uint32_t, std::string> fields;
  api::protobuf::WireReader reader(message);
  while (!reader.done()) {
    uint32_t number, type;
    EXPECT_TRUE(reader.Tag(&number, &type));
    if (type == api::protobuf::kVarint) {
      uint64_t value;
      EXPECT_TRUE(reader.Varint(&value));
      fields.emplace(number, std::to_string(value));
    } else if (type == api::protobuf::kBytes) {
      std::string_view bytes;
      EXPECT_TRUE(reader.Bytes(&bytes));
      fields.emplace(number, bytes);
    } else {
      const size_t size = type == api::protobuf::kFixed64 ? 8 : 4;
      const std::string_view bytes(reader.position(), size);
      EXPECT_TRUE(reader.Skip(type));
      uint64_t value = 0;
      for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
      fields.emplace(number, std::to_string(value));
    }
  }
  return fields;
}

std::string One(const std::multimap<uint32_t, std::string>& fields, uint32_t number) {
  EXPECT_EQ(fields.count(number), 1U) << "field " << number;
  const auto found = fields.find(number);
  return found == fields.end() ? "" : found->second;
}

std::pair<std::string, std::string> Attribute(std::string_view pair) {
  const auto fields = Fields(pair);
  const auto value = Fields(One(fields, 2));
  EXPECT_EQ(value.size(), 1U);
  return {One(fields, 1), value.begin()->second};
}

TEST(OtlpTest, ASpanIsEncodedWithAllThatItHas) {
  auto span = std::make_unique<base::Span>();
  span->name = "GET /api/v1/pods";
  span->kind = base::SpanKind::kServer;
  span->context.trace_id.fill(0xAB);
  span->context.span_id.fill(0xCD);
  span->context.sampled = true;
  span->context.trace_state = "a=1";
  span->parent.fill(0xEF);
  span->parent_remote = true;
  span->link.trace_id.fill(1);
  span->link.span_id.fill(2);
  span->start_unix_nanos = 17;
  span->end_unix_nanos = 18;
  span->Set("url.path", "/api/v1/pods");
  span->SetNumber("http.response.status_code", 500);
  span->AddEvent("done", {{"count", int64_t{3}}});
  span->Fail("broken");
  std::vector<base::SpanPtr> spans;
  spans.push_back(std::move(span));

  const auto resource_spans = Fields(One(Fields(EncodeExport({"apiserver", "id"}, spans)), 1));
  std::vector<std::pair<std::string, std::string>> resource;
  for (const auto& [number, bytes] : Fields(One(resource_spans, 1))) resource.push_back(Attribute(bytes));
  EXPECT_THAT(resource, ElementsAre(Pair("service.instance.id", "id"), Pair("service.name", "apiserver")));

  const auto scope_spans = Fields(One(resource_spans, 2));
  EXPECT_EQ(One(Fields(One(scope_spans, 1)), 1), "keelson");
  const auto encoded = Fields(One(scope_spans, 2));
  EXPECT_EQ(One(encoded, 1), std::string(16, '\xAB'));
  EXPECT_EQ(One(encoded, 2), std::string(8, '\xCD'));
  EXPECT_EQ(One(encoded, 3), "a=1");
  EXPECT_EQ(One(encoded, 4), std::string(8, '\xEF'));
  EXPECT_EQ(One(encoded, 5), "GET /api/v1/pods");
  EXPECT_EQ(One(encoded, 6), "2");
  EXPECT_EQ(One(encoded, 7), "17");
  EXPECT_EQ(One(encoded, 8), "18");
  EXPECT_EQ(encoded.count(9), 2U);
  EXPECT_THAT(Attribute(encoded.lower_bound(9)->second), Pair("url.path", "/api/v1/pods"));
  EXPECT_THAT(Attribute(std::next(encoded.lower_bound(9))->second), Pair("http.response.status_code", "500"));
  const auto event = Fields(One(encoded, 11));
  EXPECT_EQ(One(event, 2), "done");
  EXPECT_THAT(Attribute(One(event, 3)), Pair("count", "3"));
  EXPECT_EQ(One(Fields(One(encoded, 13)), 1), std::string(16, '\1'));
  const auto status = Fields(One(encoded, 15));
  EXPECT_EQ(One(status, 2), "broken");
  EXPECT_EQ(One(status, 3), "2");
  EXPECT_EQ(One(encoded, 16), std::to_string(0x301));
}

TEST(OtlpTest, ARootHasNoParentAndNoLink) {
  auto span = std::make_unique<base::Span>();
  span->name = "authentication";
  std::vector<base::SpanPtr> spans;
  spans.push_back(std::move(span));
  const auto encoded = Fields(One(Fields(One(Fields(One(Fields(EncodeExport({}, spans)), 1)), 2)), 2));
  EXPECT_EQ(encoded.count(4), 0U);
  EXPECT_EQ(encoded.count(13), 0U);
}

TEST(OtlpTest, WhatTheCollectorDidNotTakeIsRead) {
  api::protobuf::MessageWriter inner;
  inner.Number(1, 7);
  inner.Text(2, "too many");
  api::protobuf::MessageWriter outer;
  outer.PresentText(1, inner.Take());
  const auto partial = DecodeExported(outer.Take());
  ASSERT_TRUE(partial);
  EXPECT_EQ(partial->rejected, 7);
  EXPECT_EQ(partial->why, "too many");
  EXPECT_EQ(DecodeExported("")->rejected, 0);
  EXPECT_FALSE(DecodeExported("\x0A\x05zz"));
}

}  // namespace
}  // namespace keelson::tracing
