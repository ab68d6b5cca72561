#include <gmock/gmock.h>

#include "api/codec/protobuf.h"
#include "endpoints/testing/api_fixture.h"

namespace keelson::endpoints {
namespace {

using net::http::BodySource;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

class WatchTest : public ApiFixture {
 protected:
  void Create(const std::string& name) {
    EXPECT_EQ(Send("POST", kMaps, R"({"metadata":{"name":")" + name + R"("}})").status, 201);
  }
  net::http::Response Watch(const std::string& query, HeaderList headers = {}) {
    return Open("GET", std::string(kMaps) + "?watch=1" + query, "", std::move(headers));
  }
  std::string Version() {
    std::string list = Do("GET", kMaps).body;
    size_t at = list.find(R"("resourceVersion":")") + 19;
    return list.substr(at, list.find('"', at) - at);
  }
  // Reads once the watch has been woken, which the cache does from its own thread.
  std::string ReadWoken(BodySource& body) {
    std::string text = ReadAvailable(body);
    loop_.RunUntil([&] { return !text.empty() || !(text = ReadAvailable(body)).empty(); });
    return text;
  }
};

TEST_F(WatchTest, EventsAreLinesOfJson) {
  Create("a");
  auto response = Watch("&resourceVersion=0");
  EXPECT_EQ(response.headers.Get("content-type"), "application/json");
  EXPECT_THAT(
      ReadAvailable(*response.body),
      MatchesRegex(
          R"(\{"type":"ADDED","object":\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"a".*\}\}\})"
          "\n"));
  Create("b");
  EXPECT_THAT(
      ReadWoken(*response.body),
      StartsWith(R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b")"));
  Do("DELETE", std::string(kMaps) + "/a");
  EXPECT_THAT(
      ReadWoken(*response.body),
      StartsWith(
          R"({"type":"DELETED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a")"));
}

TEST_F(WatchTest, TwoWatchersGetTheSameBytes) {
  auto one = Watch("&resourceVersion=" + Version());
  auto two = Watch("&resourceVersion=" + Version());
  EXPECT_THAT(ReadAvailable(*one.body), IsEmpty());
  EXPECT_THAT(ReadAvailable(*two.body), IsEmpty());
  Create("a");
  EXPECT_EQ(ReadWoken(*one.body), ReadWoken(*two.body));
}

TEST_F(WatchTest, ProtobufEventsAreFramed) {
  Create("a");
  auto response =
      Watch("&resourceVersion=0", {{"accept", "application/vnd.kubernetes.protobuf;stream=watch"}});
  EXPECT_EQ(response.headers.Get("content-type"), "application/vnd.kubernetes.protobuf;stream=watch");
  std::string frame = ReadAvailable(*response.body);
  ASSERT_GT(frame.size(), 4u);
  uint32_t size = 0;
  for (int i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(frame[i]);
  EXPECT_EQ(size, frame.size() - 4);
  std::string_view event = std::string_view(frame).substr(4);
  EXPECT_EQ(*api::protobuf::FindBytes(event, {1}), "ADDED");
  auto envelope = api::protobuf::ParseEnvelope(*api::protobuf::FindBytes(event, {2, 1}));
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->kind, "ConfigMap");
}

TEST_F(WatchTest, MetadataAndTablesCanBeWatchedToo) {
  Create("a");
  auto partial = Watch("&resourceVersion=0",
                       {{"accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}});
  EXPECT_THAT(
      ReadAvailable(*partial.body),
      StartsWith(
          R"({"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a")"));
  auto table = Watch("&resourceVersion=0", {{"accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
  EXPECT_THAT(ReadAvailable(*table.body), HasSubstr(R"("columnDefinitions":[{"name":"Name")"));
  Create("b");
  EXPECT_THAT(ReadWoken(*table.body), HasSubstr(R"("columnDefinitions":null,"rows":[{"cells":["b",)"));
}

TEST_F(WatchTest, BookmarksComeInIntervals) {
  auto response = Watch("&allowWatchBookmarks=true&resourceVersion=" + Version());
  EXPECT_THAT(ReadAvailable(*response.body), IsEmpty());
  Create("a");
  EXPECT_THAT(ReadWoken(*response.body), HasSubstr("ADDED"));
  std::string version = Version();
  bool woken = false;
  response.body->set_waker([&] { woken = true; });
  loop_.Advance(std::chrono::seconds(66));
  EXPECT_TRUE(woken);
  EXPECT_EQ(
      ReadAvailable(*response.body),
      R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":")" +
          version + "\"}}}\n");
}

TEST_F(WatchTest, AWatchEndsAtItsTimeout) {
  Create("a");
  auto response = Watch("&timeoutSeconds=5&allowWatchBookmarks=true&resourceVersion=" + Version());
  bool woken = false;
  response.body->set_waker([&] { woken = true; });
  BodySource::State state;
  EXPECT_THAT(ReadAvailable(*response.body, &state), IsEmpty());
  EXPECT_EQ(state, BodySource::State::kSleep);
  loop_.Advance(std::chrono::seconds(6));
  EXPECT_TRUE(woken);
  EXPECT_THAT(ReadAvailable(*response.body, &state), StartsWith(R"({"type":"BOOKMARK")"));
  EXPECT_EQ(state, BodySource::State::kEnd);
}

TEST_F(WatchTest, DrainingEndsAWatch) {
  auto response = Watch("&resourceVersion=" + Version());
  BodySource::State state;
  ReadAvailable(*response.body, &state);
  EXPECT_EQ(state, BodySource::State::kSleep);
  bool woken = false;
  response.body->set_waker([&] { woken = true; });
  response.body->Drain();
  EXPECT_TRUE(woken);
  ReadAvailable(*response.body, &state);
  EXPECT_EQ(state, BodySource::State::kEnd);
}

TEST_F(WatchTest, InitialEventsEndWithABookmark) {
  Create("a");
  auto response = Watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  std::string text = ReadAvailable(*response.body);
  EXPECT_THAT(text, StartsWith(R"({"type":"ADDED")"));
  EXPECT_THAT(text, EndsWith(R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
                             "\n"));
}

TEST_F(WatchTest, InitialEventsCanBeLeftOut) {
  Create("a");
  auto response =
      Watch("&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  EXPECT_THAT(ReadAvailable(*response.body), IsEmpty());
}

TEST_F(WatchTest, OptionsThatMakeNoSenseAreRefused) {
  auto message = [&](const std::string& query) {
    return Do("GET", std::string(kMaps) + "?watch=1" + query).body;
  };
  EXPECT_THAT(message("&sendInitialEvents=true"),
              HasSubstr("resourceVersionMatch: Forbidden: sendInitialEvents requires setting "
                        "resourceVersionMatch to NotOlderThan"));
  EXPECT_THAT(message("&resourceVersionMatch=Exact"),
              HasSubstr("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  Reply yaml = Do("GET", std::string(kMaps) + "?watch=1", "", {{"accept", "application/yaml"}});
  EXPECT_EQ(yaml.status, 406);
  EXPECT_THAT(yaml.body, HasSubstr("application/json;stream=watch"));
}

}  // namespace
}  // namespace keelson::endpoints
