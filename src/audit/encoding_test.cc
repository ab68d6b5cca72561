#include "audit/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace keelson::audit {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string Whole(const EventText& text) {
  std::string whole;
  text.ForEach([&](std::string_view piece) { whole += piece; });
  EXPECT_EQ(whole.size(), text.bytes);
  return whole;
}

Event SomeEvent(Level level = Level::kMetadata) {
  Event event(Decision{.level = level});
  event.audit_id = "id";
  event.uri = "/api/v1/namespaces/x/pods?a=<b>";
  event.verb = "create";
  event.user_agent = "kubectl";
  event.source_ips = {"10.0.0.1", "::1"};
  event.user = std::make_shared<const auth::User>(
      auth::User{.name = "ann", .uid = "7", .groups = {"dev"}, .extra = {{"k", {"v"}}}});
  event.object = {.resource = "pods", .ns = "x", .version = "v1"};
  event.received = base::Clock::WallTime(std::chrono::microseconds(1'500'000));
  return event;
}

TEST(EncodingTest, AnEventLooksAsUpstreams) {
  Event event = SomeEvent();
  event.SetStatusCode(201);
  event.Annotate("b/k", "2");
  event.Annotate("a/k", "1");
  event.Annotate("b/k", "3");  // the first stays
  event.Annotate("c/k", "4", Level::kRequest);
  const auto when = base::Clock::WallTime(std::chrono::seconds(2));
  EXPECT_EQ(Whole(EncodeJson(event, Stage::kResponseComplete, when, Bodies::kKept)),
            R"({"kind":"Event","apiVersion":"audit.k8s.io/v1",)"
            R"("level":"Metadata","auditID":"id","stage":"ResponseComplete",)"
            R"("requestURI":"/api/v1/namespaces/x/pods?a=\u003cb\u003e","verb":"create",)"
            R"("user":{"username":"ann","uid":"7","groups":["dev"],"extra":{"k":["v"]}},)"
            R"("sourceIPs":["10.0.0.1","::1"],"userAgent":"kubectl",)"
            R"("objectRef":{"resource":"pods","namespace":"x","apiVersion":"v1"},)"
            R"("responseStatus":{"metadata":{},"code":201},)"
            R"("requestReceivedTimestamp":"1970-01-01T00:00:01.500000Z",)"
            R"("stageTimestamp":"1970-01-01T00:00:02.000000Z","annotations":{"a/k":"1","b/k":"2"}})"
            "\n");
}

TEST(EncodingTest, TheNextStageSaysWhatTheFirstSaidAndWhatIsNew) {
  const auto when = base::Clock::WallTime(std::chrono::microseconds(2'000'007));
  const auto stages = [&](const std::function<void(Event&)>& change) {
    Event told = SomeEvent(), alone = SomeEvent();
    EncodeJson(told, Stage::kRequestReceived, told.received, Bodies::kKept);
    EXPECT_FALSE(told.told.request.empty());
    change(told);
    change(alone);
    const std::string text = Whole(EncodeJson(told, Stage::kResponseComplete, when, Bodies::kKept));
    EXPECT_EQ(text, Whole(EncodeJson(alone, Stage::kResponseComplete, when, Bodies::kKept)));
    EXPECT_TRUE(told.told.request.empty());  // nothing is held on to
    return text;
  };
  EXPECT_THAT(stages([](Event& event) { event.SetStatusCode(200); }),
              HasSubstr(R"("stageTimestamp":"1970-01-01T00:00:02.000007Z"})"));
  EXPECT_THAT(stages([](Event& event) { event.SetRequestObject({.name = "a", .uid = "u"}, {}); }),
              HasSubstr(R"("name":"a","uid":"u")"));
  EXPECT_THAT(stages([](Event& event) {
                event.impersonated = std::make_shared<const auth::User>(auth::User{.name = "bob"});
                event.impersonation_constraint = "c";
              }),
              HasSubstr(R"("impersonatedUser":{"username":"bob"},"authenticationMetadata":)"
                        R"({"impersonationConstraint":"c"},"sourceIPs")"));
}

TEST(EncodingTest, EventsShareBlocksOfMemoryAndOutliveOneAnother) {
  std::vector<EventText> texts;
  std::vector<std::string> wholes;
  for (size_t i = 0; i < 300; ++i) {
    Event event = SomeEvent();
    event.uri = "/" + std::string(i * 37, 'u') + std::to_string(i);
    texts.push_back(EncodeJson(event, Stage::kResponseComplete, event.received, Bodies::kKept));
    wholes.push_back(Whole(texts.back()));
    EXPECT_THAT(wholes.back(), HasSubstr(R"("requestURI":")" + event.uri + R"(","verb")"));
  }
  for (size_t i = 0; i < texts.size(); i += 2) texts[i] = {};
  for (size_t i = 1; i < texts.size(); i += 2) EXPECT_EQ(Whole(texts[i]), wholes[i]);
}

TEST(EncodingTest, AStatusIsWholeUnlessItIsACode) {
  Event event = SomeEvent();
  event.status = api::Status{.code = 404, .reason = "NotFound", .message = "no <x>"};
  EXPECT_THAT(Whole(EncodeJson(event, Stage::kResponseComplete, event.received, Bodies::kKept)),
              HasSubstr(R"("responseStatus":{"metadata":{},"status":"Failure","message":"no \u003cx\u003e",)"
                        R"("reason":"NotFound","code":404},"requestReceivedTimestamp")"));
}

TEST(EncodingTest, BodiesAreSharedAndMayBeLeftOut) {
  Event event = SomeEvent(Level::kRequestResponse);
  const base::Slice body = base::Slice::Copy("{\"kind\":\"Pod\"}\n");
  event.SetRequestObject({.name = "a", .uid = "u"}, body);
  event.response_object = body;
  event.Annotate("z/k", "v");
  const EventText kept = EncodeJson(event, Stage::kResponseComplete, event.received, Bodies::kKept);
  ASSERT_EQ(kept.more.size(), 4U);
  EXPECT_EQ(kept.more[0].data(), body.data());
  EXPECT_THAT(Whole(kept),
              HasSubstr(R"("requestObject":{"kind":"Pod"},"responseObject":{"kind":"Pod"},"re)"));
  EXPECT_THAT(Whole(kept), HasSubstr(R"("name":"a","uid":"u")"));
  const std::string cut =
      Whole(EncodeJson(event, Stage::kResponseComplete, event.received, Bodies::kLeftOut));
  EXPECT_THAT(cut, Not(HasSubstr("Pod")));
  EXPECT_THAT(cut, EndsWith(R"("annotations":{"audit.k8s.io/truncated":"true","z/k":"v"}})"
                            "\n"));
}

TEST(EncodingTest, ThePathCountsMoreThanTheBody) {
  Event event = SomeEvent();
  event.SetRequestObject({.ns = "other", .name = "a", .resource_version = "5"}, base::Slice::Copy("{}"));
  EXPECT_EQ(event.object->ns, "x");
  EXPECT_EQ(event.object->name, "a");
  EXPECT_EQ(event.object->resource_version, "5");
  EXPECT_TRUE(event.request_object.empty());  // at this level bodies are not kept
}

TEST(EncodingTest, TheLegacyLineIsUpstreams) {
  Event event = SomeEvent();
  EXPECT_EQ(
      Whole(EncodeLegacy(event, Stage::kRequestReceived)),
      R"(1970-01-01T00:00:01.5Z AUDIT: id="id" stage="RequestReceived" ip="10.0.0.1" method="create" )"
      R"(user="ann" groups="\"dev\"" as="<self>" asgroups="<lookup>" user-agent="kubectl" namespace="x" )"
      R"(uri="/api/v1/namespaces/x/pods?a=<b>" response="<deferred>")"
      "\n");
  event.SetStatusCode(200);
  event.user = nullptr;
  event.impersonated = std::make_shared<const auth::User>(auth::User{.name = "bob"});
  EXPECT_THAT(Whole(EncodeLegacy(event, Stage::kResponseComplete)),
              HasSubstr(R"(user="<none>" groups="<none>" as="bob" asgroups="<lookup>")"));
}

std::string Cut(std::string_view json) {
  return std::string(WithoutManagedFields(base::Slice::Copy(json)).view());
}

TEST(EncodingTest, ManagedFieldsGoWhereverUpstreamTakesThemOut) {
  EXPECT_EQ(Cut(R"({"kind":"Pod","metadata":{"name":"a","managedFields":[{"x":1}]},"spec":{}})"),
            R"({"kind":"Pod","metadata":{"name":"a"},"spec":{}})");
  EXPECT_EQ(Cut(R"({"metadata":{"managedFields":[],"uid":"\u003c"}})"), R"({"metadata":{"uid":"\u003c"}})");
  EXPECT_EQ(Cut(R"({"items":[{"metadata":{"managedFields":[{}]}},{"metadata":{}}],"metadata":{}})"),
            R"({"items":[{"metadata":{}},{"metadata":{}}],"metadata":{}})");
  EXPECT_EQ(Cut(R"({"rows":[{"cells":["a"],"object":{"metadata":{"managedFields":[1]}}}]})"),
            R"({"rows":[{"cells":["a"],"object":{"metadata":{}}}]})");
  // Elsewhere they are data.
  EXPECT_EQ(Cut(R"({"spec":{"metadata":{"managedFields":[1]}}})"),
            R"({"spec":{"metadata":{"managedFields":[1]}}})");
  EXPECT_EQ(Cut(R"({"managedFields")"), R"({"managedFields")");
}

TEST(EncodingTest, CompactedTextStandsOnOneLine) {
  const auto compact = [](std::string_view text) {
    return std::string(Compacted(base::Slice::Copy(text)).view());
  };
  EXPECT_EQ(compact("{\n  \"a b\": [1, 2],\r\n\t\"c\": \"\\\" x\"\n}"), R"({"a b":[1,2],"c":"\" x"})");
  EXPECT_EQ(compact("{}"), "{}");
}

}  // namespace
}  // namespace keelson::audit
