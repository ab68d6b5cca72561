#include "net/server.h"

#include <gtest/gtest.h>

#include <future>

#include "net/testing/server_fixture.h"

namespace keelson::net {
namespace {

using namespace std::chrono_literals;
using testing::Eventually;
using testing::H2Client;
using testing::HttpsClient;
using testing::ServerTest;

TEST_F(ServerTest, AnswersOverHttp11AndKeepsTheConnection) {
  StartServer();
  auto client = Http1();
  for (int i = 0; i < 3; ++i) {
    auto response = client->Do("GET", "/hello?a=b");
    ASSERT_TRUE(response) << response.error();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "GET /hello a=b HTTP/1.1 127.0.0.1");
    EXPECT_TRUE(response->headers.Get("date"));
  }
}

TEST_F(ServerTest, AnswersOverHttp2) {
  StartServer();
  auto client = Http2();
  auto response = client->Do("GET", "/hello?a=b");
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "GET /hello a=b HTTP/2.0 localhost");
  EXPECT_EQ(response->headers.Get("content-length"), std::to_string(response->body.size()));
}

TEST_F(ServerTest, PrefersHttp2WhenTheClientOffersBoth) {
  StartServer();
  auto both = testing::TlsSocket::Connect("127.0.0.1", server->port(), Trusting({.alpn = "http/1.1,h2"}));
  ASSERT_TRUE(both) << both.error();
  EXPECT_EQ((*both)->alpn_protocol(), "h2");
  auto none = testing::TlsSocket::Connect("127.0.0.1", server->port(), Trusting({.alpn = ""}));
  ASSERT_TRUE(none) << none.error();
  EXPECT_EQ((*none)->alpn_protocol(), "");
  EXPECT_FALSE(testing::TlsSocket::Connect("127.0.0.1", server->port(), Trusting({.alpn = "spdy/3"})));
}

TEST_F(ServerTest, SpreadsConnectionsOverTheLoops) {
  config.threads = 3;
  StartServer();
  EXPECT_EQ(server->loops().size(), 3u);
  std::vector<std::unique_ptr<H2Client>> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(Http2());
  for (auto& c : clients) EXPECT_EQ(c->Do("GET", "/hello")->status, 200);
}

TEST_F(ServerTest, NewcomersDoNotWaitForALoopThatIsHeldUp) {
  config.threads = 2;
  StartServer();
  for (base::Executor* held_up : server->loops()) {
    std::promise<void> begun, release;
    held_up->Post([&] {
      begun.set_value();
      release.get_future().wait();
    });
    begun.get_future().wait();
    const auto since = std::chrono::steady_clock::now();
    ASSERT_TRUE(Eventually([&] { return std::chrono::steady_clock::now() - since > 20ms; }));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
    release.set_value();
  }
}

TEST_F(ServerTest, StartTellsWhichAddressItCouldNotBind) {
  StartServer();
  testing::TestHandler other_handler;
  ServerConfig taken = config;
  taken.port = server->port();
  auto second = Server::Create(taken, other_handler, metrics);
  ASSERT_TRUE(second) << second.error();
  auto started = (*second)->Start();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().find("127.0.0.1:" + std::to_string(server->port())), std::string::npos);
}

// ---- bodies

class BodiesTest : public ServerTest, public ::testing::WithParamInterface<bool> {
 protected:
  // The status and the body's size and bytes, over the protocol under test.
  struct Answer {
    int status = 0;
    std::string body;
  };
  Answer Do(std::string_view method, std::string_view target, std::string body = {}) {
    if (GetParam()) {
      if (!h2_) h2_ = Http2();
      auto r = h2_->Do(method, target, {}, std::move(body));
      EXPECT_TRUE(r) << r.error();
      return r ? Answer{r->status, r->body} : Answer{};
    }
    if (!h1_) h1_ = Http1();
    auto r = h1_->Do(method, target, {}, body);
    EXPECT_TRUE(r) << r.error();
    return r ? Answer{r->status, r->body} : Answer{};
  }

 private:
  std::unique_ptr<H2Client> h2_;
  std::unique_ptr<HttpsClient> h1_;
};

INSTANTIATE_TEST_SUITE_P(Protocols, BodiesTest, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "Http2" : "Http1"; });

TEST_P(BodiesTest, EchoesBodiesOfAllSizes) {
  StartServer();
  for (size_t size :
       {size_t{0}, size_t{1}, size_t{16'384}, size_t{100'000}, size_t{2'500'000}, size_t{3} << 20}) {
    std::string body(size, 'q');
    for (size_t i = 0; i < size; i += 97) body[i] = static_cast<char>('a' + i % 26);
    auto answer = Do("POST", "/echo", body);
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(answer.body == body) << size;
  }
}

TEST_P(BodiesTest, ABodyOverTheLimitIs413) {
  StartServer();
  auto answer = Do("POST", "/echo", std::string((3 << 20) + 1, 'q'));
  EXPECT_EQ(answer.status, 413);
}

TEST_P(BodiesTest, StreamsResponsesOfUnknownAndKnownSize) {
  StartServer();
  for (const char* path : {"/big", "/fixed"}) {
    for (size_t size : {1, 16'384, 1'000'000}) {
      auto answer = Do("GET", path + ("?" + std::to_string(size)));
      EXPECT_EQ(answer.status, 200);
      EXPECT_EQ(answer.body.size(), size);
      for (size_t i = 0; i < answer.body.size(); i += 1) {
        if (answer.body[i] < 'a' || answer.body[i] > 'z') FAIL() << i;
      }
    }
  }
  EXPECT_TRUE(Eventually([&] { return handler.bodies_alive == 0; }));
}

TEST_P(BodiesTest, HeadHasNoBody) {
  StartServer();
  EXPECT_EQ(Do("HEAD", "/fixed?1000").body, "");
  EXPECT_EQ(Do("HEAD", "/big?1000").body, "");
  EXPECT_EQ(Do("GET", "/hello").status, 200);
}

TEST_P(BodiesTest, ARequestWhoseBodyIsNotReadIsAnswered) {
  StartServer();
  EXPECT_EQ(Do("POST", "/ignore", std::string(1000, 'x')).status, 401);
  EXPECT_EQ(Do("POST", "/ignore", std::string(200'000, 'x')).status, 401);
  EXPECT_EQ(Do("GET", "/hello").status, 200);
}

TEST_P(BodiesTest, AFieldCannotBeSplitIntoTwo) {
  StartServer();
  if (GetParam()) {
    auto r = Http2()->Do("GET", "/split");
    EXPECT_EQ(r->headers.Get("x-split"), "a  x-injected: b");
  } else {
    auto r = Http1()->Do("GET", "/split");
    EXPECT_EQ(r->headers.Get("x-split"), "a  x-injected: b");
    EXPECT_FALSE(r->headers.Get("x-injected"));
  }
}

TEST_F(ServerTest, Sends100MegabytesOverBothProtocols) {
  StartServer();
  constexpr uint64_t kSize = 100'000'000;
  auto h2 = Http2({.discard_bodies = true});
  auto r2 = h2->Do("GET", "/big?" + std::to_string(kSize));
  ASSERT_TRUE(r2) << r2.error();
  EXPECT_EQ(r2->body_bytes, kSize);

  auto h1 = Http1();
  auto reader = h1->Open("GET", "/fixed?" + std::to_string(kSize));
  ASSERT_TRUE(reader) << reader.error();
  uint64_t got = 0;
  while (true) {
    auto piece = reader->ReadSome(10s);
    ASSERT_TRUE(piece) << piece.error();
    if (piece->empty()) break;
    got += piece->size();
  }
  EXPECT_EQ(got, kSize);
}

TEST_F(ServerTest, ALargeResponseDoesNotHoldUpOthersOnTheSameLoop) {
  config.threads = 1;
  StartServer();
  auto slow = Http1();
  auto reader = slow->Open("GET", "/big?100000000");  // never read
  ASSERT_TRUE(reader) << reader.error();
  EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
  EXPECT_EQ(Http2()->Do("GET", "/hello")->status, 200);
}

TEST_F(ServerTest, LargeResponsesTakeTurnsSoThatATurnOfTheLoopIsShort) {
  config.threads = 1;
  StartServer();
  constexpr int kClients = 32;
  std::vector<std::unique_ptr<H2Client>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(Http2());
    clients.back()->Submit("GET", "/wait-big?100000000");
    ASSERT_TRUE(clients.back()->RunUntil([&] { return handler.waiting == i + 1; }));
  }
  handler.Release();
  ASSERT_TRUE(Eventually([&] { return handler.produced >= kClients * 64 * 1024; }));
  EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
  // A first piece of each, and as much again: not 256 KB of each.
  EXPECT_LT(handler.most_in_turn.load(), kClients * 128 * 1024U);
}

// ---- watches

TEST_F(ServerTest, AWatchSendsLinesAsTheyAreMade) {
  StartServer();
  auto h1 = Http1();
  auto reader = h1->Open("GET", "/watch");
  ASSERT_TRUE(reader) << reader.error();
  EXPECT_EQ(reader->head.headers.Get("transfer-encoding"), "chunked");
  auto h2 = Http2();
  const int32_t id = h2->Submit("GET", "/watch");
  ASSERT_TRUE(h2->RunUntil([&] { return h2->stream(id).status == 200; }));
  ASSERT_TRUE(Eventually([&] { return handler.open_watches == 2; }));
  for (std::string line : {"one", "two", "three"}) {
    handler.Publish(line);
    EXPECT_EQ(reader->ReadLine(5s).value(), line);
    EXPECT_TRUE(h2->RunUntil([&] { return h2->stream(id).body.ends_with(line + "\n"); }));
  }
}

TEST_F(ServerTest, AWatchEndsWhenTheClientGoes) {
  StartServer();
  auto h1 = Http1();
  ASSERT_TRUE(h1->Open("GET", "/watch"));
  auto h2 = Http2();
  const int32_t gone = h2->Submit("GET", "/watch");
  const int32_t kept = h2->Submit("GET", "/watch");
  ASSERT_TRUE(h2->RunUntil([&] { return h2->stream(gone).status && h2->stream(kept).status; }));
  ASSERT_TRUE(Eventually([&] { return handler.open_watches == 3; }));
  h1.reset();
  EXPECT_TRUE(Eventually([&] { return handler.open_watches == 2; }));
  h2->Reset(gone, 8);
  EXPECT_TRUE(h2->RunUntil([&] { return handler.open_watches == 1; }));
  h2.reset();
  EXPECT_TRUE(Eventually([&] { return handler.open_watches == 0; }));
}

TEST_F(ServerTest, ThousandsOfSleepingWatchesWakeTogether) {
  config.max_concurrent_streams = 2000;
  StartServer();
  auto h2 = Http2();
  std::vector<int32_t> ids;
  for (int i = 0; i < 2000; ++i) ids.push_back(h2->Submit("GET", "/watch"));
  ASSERT_TRUE(h2->RunUntil([&] { return handler.open_watches == 2000; }));
  handler.Publish("all");
  EXPECT_TRUE(h2->RunUntil([&] {
    return std::all_of(ids.begin(), ids.end(), [&](int32_t id) { return h2->stream(id).body == "all\n"; });
  }));
}

// ---- stopping

TEST_F(ServerTest, ShutdownDrainsWatchesAndSaysGoAway) {
  StartServer();
  auto h2 = Http2();
  const int32_t id = h2->Submit("GET", "/watch");
  ASSERT_TRUE(h2->RunUntil([&] { return handler.open_watches == 1; }));
  auto h1 = Http1();
  auto reader = h1->Open("GET", "/watch");
  ASSERT_TRUE(reader);
  ASSERT_TRUE(Eventually([&] { return handler.open_watches == 2; }));

  const auto begun = std::chrono::steady_clock::now();
  auto stopped = std::async(std::launch::async, [&] { server->Shutdown(30s); });
  EXPECT_FALSE(h2->RunUntil([] { return false; }));  // until the server closes
  EXPECT_TRUE(h2->disconnected());
  EXPECT_EQ(h2->stream(id).body, "drained\n");
  EXPECT_TRUE(h2->stream(id).ended);
  EXPECT_GE(h2->goaways(), 1);
  EXPECT_EQ(h2->goaway_code(), 0u);
  EXPECT_EQ(reader->ReadLine(5s).value(), "drained");
  EXPECT_EQ(reader->ReadLine(5s).value(), std::nullopt);
  h2.reset();
  h1.reset();
  stopped.get();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s);
  EXPECT_FALSE(testing::TlsSocket::Connect("127.0.0.1", server->port(), Trusting({})));
}

TEST_F(ServerTest, ShutdownLetsRequestsFinish) {
  StartServer();
  auto h2 = Http2();
  const int32_t id = h2->Submit("GET", "/wait");
  ASSERT_TRUE(h2->RunUntil([&] { return handler.waiting == 1; }));
  auto stopped = std::async(std::launch::async, [&] { server->Shutdown(30s); });
  ASSERT_TRUE(h2->RunUntil([&] { return h2->goaways() == 2; }));
  EXPECT_EQ(h2->stream(id).status, 0);
  handler.Release();
  EXPECT_TRUE(h2->RunUntil([&] { return h2->stream(id).ended; }));
  EXPECT_EQ(h2->stream(id).body, "released");
  h2.reset();
  stopped.get();
}

TEST_F(ServerTest, ShutdownClosesWhatIsLeftAtTheDeadline) {
  StartServer();
  auto h1 = Http1();
  auto h2 = Http2();
  ASSERT_TRUE(h1->Open("GET", "/big?1000000000"));
  const int32_t id = h2->Submit("GET", "/wait");
  ASSERT_TRUE(h2->RunUntil([&] { return handler.waiting == 1; }));
  auto stopped = std::async(std::launch::async, [&] { server->Shutdown(50ms); });
  EXPECT_FALSE(h2->RunUntil([&] { return h2->stream(id).ended; }));
  EXPECT_TRUE(h2->disconnected());
  handler.Release();
  stopped.get();
  EXPECT_EQ(handler.bodies_alive, 0);
}

TEST_F(ServerTest, AnIdleHttp11ConnectionClosesAtShutdown) {
  StartServer();
  auto h1 = Http1();
  ASSERT_EQ(h1->Do("GET", "/hello")->status, 200);
  auto stopped = std::async(std::launch::async, [&] { server->Shutdown(30s); });
  char c;
  auto end = h1->socket().Read(&c, 1, 10s);
  EXPECT_TRUE(end && *end == 0);
  h1.reset();
  stopped.get();
}

// ---- slow and silent clients

TEST_F(ServerTest, AClientThatNeverShakesHandsIsCutOff) {
  config.handshake_timeout = 50ms;
  StartServer();
  testing::RawSocket raw(server->port());
  EXPECT_EQ(raw.ReadToEnd(5s), "");
  EXPECT_TRUE(raw.ended());
}

TEST_F(ServerTest, AHeadThatTricklesInIsCutOff) {
  config.header_timeout = 100ms;
  StartServer();
  auto h1 = Http1();
  ASSERT_TRUE(h1->socket().Write("GET / HTTP/1.1\r\nHost: x\r\n"));
  char c;
  auto end = h1->socket().Read(&c, 1, 10s);
  EXPECT_TRUE(end && *end == 0);

  auto h2 = Http2();
  ASSERT_EQ(h2->Do("GET", "/hello")->status, 200);
  // A HEADERS frame of 100 bytes without END_HEADERS, of which one byte comes.
  ASSERT_TRUE(h2->SendRaw(std::string("\0\0\x64\x01\0\0\0\0\x05\x82", 10)));
  EXPECT_FALSE(h2->RunUntil([] { return false; }));
  EXPECT_TRUE(h2->disconnected());
}

TEST_F(ServerTest, AnIdleConnectionIsClosed) {
  config.idle_timeout = 100ms;
  StartServer();
  auto h1 = Http1();
  auto h2 = Http2();
  ASSERT_EQ(h2->Do("GET", "/hello")->status, 200);
  char c;
  auto end = h1->socket().Read(&c, 1, 10s);
  EXPECT_TRUE(end && *end == 0);
  EXPECT_FALSE(h2->RunUntil([] { return false; }));
  EXPECT_TRUE(h2->disconnected());
  EXPECT_EQ(h2->goaway_code(), 0u);
}

TEST_F(ServerTest, ASleepingWatchIsNotIdle) {
  config.idle_timeout = 400ms;
  config.write_timeout = 400ms;
  config.header_timeout = 400ms;
  config.body_idle_timeout = 400ms;
  StartServer();
  auto h2 = Http2();
  const int32_t id = h2->Submit("GET", "/watch");
  ASSERT_TRUE(h2->RunUntil([&] { return handler.open_watches == 1; }));
  auto h1 = Http1();
  auto reader = h1->Open("GET", "/watch");
  ASSERT_TRUE(h2->RunUntil([&] { return handler.open_watches == 2; }));
  EXPECT_FALSE(h2->RunUntil([] { return false; }, 1200ms));
  handler.Publish("late");
  EXPECT_TRUE(h2->RunUntil([&] { return h2->stream(id).body == "late\n"; }));
  EXPECT_EQ(reader->ReadLine(5s).value(), "late");
}

TEST_F(ServerTest, ABodyThatStopsArrivingTimesOut) {
  config.body_idle_timeout = 50ms;
  StartServer();
  auto h1 = Http1();
  auto response = h1->Do(
      "POST", "/echo",
      [] {
        http::Headers h;
        h.Add("content-length", "100");
        return h;
      }(),
      "only this");
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->status, 400);
  EXPECT_EQ(handler.last_body_error, static_cast<int>(http::BodyError::kTimeout));
}

TEST_F(ServerTest, AClientThatDoesNotReadIsCutOff) {
  config.write_timeout = 100ms;
  StartServer();
  auto h1 = Http1();
  ASSERT_TRUE(h1->Open("GET", "/big?1000000000"));
  EXPECT_TRUE(Eventually([&] { return handler.bodies_alive == 0; }));
  EXPECT_LT(handler.produced, 100'000'000u);
}

TEST_F(ServerTest, AStreamWhoseWindowStaysShutIsReset) {
  config.write_timeout = 100ms;
  StartServer();
  auto h2 = Http2({.stream_window = 100'000, .hold_windows = true});
  const int32_t id = h2->Submit("GET", "/big?1000000000");
  EXPECT_TRUE(h2->RunUntil([&] { return h2->stream(id).closed; }));
  EXPECT_EQ(h2->stream(id).body_bytes, 100'000u);
  EXPECT_NE(h2->stream(id).error_code, 0u);
  EXPECT_TRUE(Eventually([&] { return handler.bodies_alive == 0; }));
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
}

}  // namespace
}  // namespace keelson::net
