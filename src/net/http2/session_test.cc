// HTTP/2 as a client sees it over a real connection.
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include "net/testing/server_fixture.h"

namespace keelson::net {
namespace {

using namespace std::chrono_literals;
using testing::Eventually;
using Http2Test = testing::ServerTest;

TEST_F(Http2Test, ABodyIsAskedForOnlyAsTheWindowOpens) {
  StartServer();
  auto h2 = Http2({.stream_window = 50'000, .hold_windows = true});
  const int32_t id = h2->Submit("GET", "/big?10000000");
  ASSERT_TRUE(h2->RunUntil([&] { return h2->stream(id).body_bytes == 50'000; }));
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
  EXPECT_LE(handler.produced, 50'000u + 16'384u);
}

TEST_F(Http2Test, AnUploadNobodyReadsStopsAtTheWindow) {
  StartServer();
  auto h2 = Http2();
  const int32_t id = h2->Submit("POST", "/wait", {}, std::string(3 << 20, 'u'));
  ASSERT_TRUE(h2->RunUntil([&] { return handler.waiting == 1; }));
  // A round trip later everything the window allowed has been sent.
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
  EXPECT_EQ(h2->stream(id).upload.size(), (3u << 20) - (1u << 20));
  handler.Release();
  EXPECT_TRUE(h2->RunUntil([&] { return h2->stream(id).closed; }));
  EXPECT_EQ(h2->stream(id).status, 200);
  // The window of the connection was given back.
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(h2->Do("POST", "/echo", {}, std::string(2 << 20, 'v'))->body.size(), 2u << 20);
}

TEST_F(Http2Test, ManyStreamsRunAtOnce) {
  StartServer();
  auto h2 = Http2();
  std::vector<int32_t> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(h2->Submit("GET", "/wait"));
  ASSERT_TRUE(h2->RunUntil([&] { return handler.waiting == 200; }));
  handler.Release();
  EXPECT_TRUE(h2->RunUntil([&] {
    return std::all_of(ids.begin(), ids.end(), [&](int32_t id) { return h2->stream(id).body == "released"; });
  }));
}

TEST_F(Http2Test, StreamsOverTheLimitWait) {
  config.max_concurrent_streams = 10;
  StartServer();
  auto h2 = Http2();
  ASSERT_EQ(h2->Do("GET", "/hello")->status, 200);  // the settings have come
  std::vector<int32_t> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(h2->Submit("GET", "/wait"));
  ASSERT_TRUE(h2->RunUntil([&] { return handler.waiting == 10; }));
  EXPECT_FALSE(h2->RunUntil([&] { return handler.waiting > 10; }, 50ms));
  handler.Release();
  EXPECT_TRUE(h2->RunUntil(
      [&] { return std::all_of(ids.begin(), ids.end(), [&](int32_t id) { return h2->stream(id).ended; }); }));
}

TEST_F(Http2Test, AResetStreamLeavesItsHandlerToFinish) {
  StartServer();
  auto h2 = Http2();
  const int32_t id = h2->Submit("GET", "/wait");
  ASSERT_TRUE(h2->RunUntil([&] { return handler.waiting == 1; }));
  h2->Reset(id, NGHTTP2_CANCEL);
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
  handler.Release();
  EXPECT_TRUE(Eventually([&] { return handler.finished == 2; }));
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
}

TEST_F(Http2Test, AConnectionLostLeavesItsHandlerToFinish) {
  StartServer();
  auto h2 = Http2();
  h2->Submit("GET", "/wait");
  ASSERT_TRUE(h2->RunUntil([&] { return handler.waiting == 1; }));
  h2.reset();
  auto other = Http2();
  EXPECT_EQ(other->Do("GET", "/hello")->status, 200);
  handler.Release();
  EXPECT_TRUE(Eventually([&] { return handler.finished == 2; }));
}

TEST_F(Http2Test, AResetInTheMiddleOfAnUploadTellsTheReader) {
  StartServer();
  auto h2 = Http2();
  // Announces more than it sends, so the stream stays open.
  const int32_t id =
      h2->Submit("POST", "/echo", testing::OneHeader("content-length", "5000000"), std::string(2 << 20, 'u'));
  EXPECT_TRUE(h2->RunUntil([&] { return h2->stream(id).closed || handler.last_body_error != -1; }));
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
  const int32_t second = h2->Submit("POST", "/echo", {}, std::string(2 << 20, 'u'));
  h2->Reset(second, NGHTTP2_CANCEL);
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
}

TEST_F(Http2Test, AResetInTheMiddleOfABodyDestroysItsSource) {
  StartServer();
  auto h2 = Http2({.stream_window = 50'000, .hold_windows = true});
  const int32_t id = h2->Submit("GET", "/big?10000000");
  ASSERT_TRUE(h2->RunUntil([&] { return h2->stream(id).body_bytes == 50'000; }));
  EXPECT_EQ(handler.bodies_alive, 1);
  h2->Reset(id, NGHTTP2_CANCEL);
  EXPECT_TRUE(h2->RunUntil([&] { return handler.bodies_alive == 0; }));
}

TEST_F(Http2Test, TooLargeAHeadIs431AndTheConnectionLives) {
  config.max_header_bytes = 8192;
  StartServer();
  auto h2 = Http2();
  auto response = h2->Do("GET", "/hello", testing::OneHeader("x-long", std::string(9000, 'x')));
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->status, 431);
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
}

TEST_F(Http2Test, FarTooLargeAHeadIsReset) {
  config.max_header_bytes = 8192;
  StartServer();
  auto h2 = Http2();
  const int32_t id = h2->Submit("GET", "/hello", testing::OneHeader("x-long", std::string(30'000, 'x')));
  EXPECT_TRUE(h2->RunUntil([&] { return h2->stream(id).closed; }));
  EXPECT_EQ(h2->stream(id).status, 0);
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
}

TEST_F(Http2Test, ATargetThatIsNoPathIs400) {
  StartServer();
  auto h2 = Http2();
  EXPECT_EQ(h2->Do("OPTIONS", "*")->status, 400);
}

TEST_F(Http2Test, HostComesFromTheAuthority) {
  StartServer();
  EXPECT_EQ(Http2()->Do("GET", "/hello", testing::OneHeader("host", "example.test:6443"))->body,
            "GET /hello  HTTP/2.0 example.test:6443");
}

TEST_F(Http2Test, ContinueIsSentWhenTheHandlerReads) {
  StartServer();
  auto h2 = Http2();
  http::Headers headers = testing::OneHeader("expect", "100-continue");
  const int32_t id = h2->Submit("POST", "/echo", headers, "body");
  ASSERT_TRUE(h2->RunUntil([&] { return h2->stream(id).ended; }));
  EXPECT_EQ(h2->stream(id).body, "body");
}

TEST_F(Http2Test, AHandlerCanAskToEndTheConnection) {
  StartServer();
  auto h2 = Http2();
  const int32_t watch = h2->Submit("GET", "/watch");
  ASSERT_TRUE(h2->RunUntil([&] { return handler.open_watches == 1; }));
  EXPECT_EQ(h2->Do("GET", "/close")->body, "bye");
  EXPECT_TRUE(h2->RunUntil([&] { return h2->goaways() == 2; }));
  // Others go on.
  handler.Publish("still here");
  EXPECT_TRUE(h2->RunUntil([&] { return h2->stream(watch).body == "still here\n"; }));
}

TEST_F(Http2Test, APingFloodEndsTheConnection) {
  StartServer();
  auto h2 = Http2();
  ASSERT_EQ(h2->Do("GET", "/hello")->status, 200);
  for (int i = 0; i < 5000; ++i) h2->Ping();
  EXPECT_FALSE(h2->RunUntil([] { return false; }));
  EXPECT_TRUE(h2->disconnected());
}

TEST_F(Http2Test, RapidResetEndsTheConnection) {
  StartServer();
  auto h2 = Http2();
  ASSERT_EQ(h2->Do("GET", "/hello")->status, 200);
  for (int round = 0; round < 100 && !h2->disconnected(); ++round) {
    std::vector<int32_t> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(h2->Submit("GET", "/wait"));
    h2->RunUntil([] { return true; });
    for (int32_t id : ids) h2->Reset(id, NGHTTP2_CANCEL);
    h2->RunUntil([] { return true; });
  }
  EXPECT_FALSE(h2->RunUntil([] { return false; }, 5s));
  EXPECT_TRUE(h2->disconnected());
  EXPECT_LE(handler.waiting, 1100);
  EXPECT_EQ(Http2()->Do("GET", "/hello")->status, 200);
}

TEST_F(Http2Test, ResettingStreamsDoesNotLiftTheLimitOnHandlers) {
  config.max_concurrent_streams = 10;
  StartServer();
  auto h2 = Http2();
  ASSERT_EQ(h2->Do("GET", "/hello")->status, 200);
  for (int i = 0; i < 50; ++i) {
    const int before = handler.waiting;
    const int32_t id = h2->Submit("GET", "/wait");
    h2->RunUntil([&] { return handler.waiting > before || h2->stream(id).closed; }, 5s);
    if (!h2->stream(id).closed) h2->Reset(id, NGHTTP2_CANCEL);
  }
  EXPECT_LE(handler.waiting, 20);
  handler.Release();
  ASSERT_TRUE(Eventually([&] { return handler.waiting == 0; }));
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
}

TEST_F(Http2Test, GarbageClosesTheConnectionOnly) {
  StartServer();
  auto h2 = Http2();
  ASSERT_EQ(h2->Do("GET", "/hello")->status, 200);
  ASSERT_TRUE(h2->SendRaw(std::string(100, '\xff')));
  EXPECT_FALSE(h2->RunUntil([] { return false; }));
  EXPECT_TRUE(h2->disconnected());
  auto preface = testing::TlsSocket::Connect("127.0.0.1", server->port(), Trusting({.alpn = "h2"}));
  ASSERT_TRUE((*preface)->Write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  char buffer[1024];
  while (true) {
    auto n = (*preface)->Read(buffer, sizeof(buffer), 10s);
    EXPECT_TRUE(n || n.error() != "timeout");
    if (!n || *n == 0) break;
  }
  EXPECT_EQ(Http2()->Do("GET", "/hello")->status, 200);
}

TEST_F(Http2Test, LongFieldsAreSent) {
  StartServer();
  auto response = Http2()->Do("GET", "/headers?20000");
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->headers.Get("x-long")->size(), 20'000u);
}

TEST_F(Http2Test, ABodyThatFailsResetsItsStream) {
  StartServer();
  auto client = Http2();
  for (const char* path : {"/broken?100000", "/broken-fixed?100000", "/broken?0"}) {
    const int32_t id = client->Submit("GET", path);
    ASSERT_TRUE(client->RunUntil([&] { return client->stream(id).closed; })) << path;
    EXPECT_FALSE(client->stream(id).ended) << path;
    EXPECT_EQ(client->stream(id).error_code, 2u) << path;  // INTERNAL_ERROR
    EXPECT_EQ(client->stream(id).body.size() % 100'000, 0u) << path;
  }
  EXPECT_EQ(client->Do("GET", "/hello")->status, 200);  // the connection goes on
}

TEST_F(Http2Test, AHandlerIsToldThatItsStreamIsReset) {
  StartServer();
  auto client = Http2();
  const int32_t id = client->Submit("GET", "/until-gone");
  ASSERT_TRUE(client->RunUntil([&] { return handler.waiting == 1; }));
  client->Reset(id, 8);
  EXPECT_TRUE(client->RunUntil([&] { return handler.waiting == 0; }));
}

}  // namespace
}  // namespace keelson::net
