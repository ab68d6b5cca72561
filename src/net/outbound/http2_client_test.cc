// Requests of ours over HTTP/2, to this project's server and to one that plays any part.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <list>
#include <string>
#include <vector>

#include "net/outbound/http_client.h"
#include "net/testing/asking.h"
#include "net/testing/frame_server.h"
#include "net/testing/server_fixture.h"

namespace keelson::net::outbound {
namespace {

using namespace std::chrono_literals;
namespace frames = testing::frames;
using http::ClientError;
using http::ClientRequest;
using http::Destination;
using testing::BigEndian;
using testing::Eventually;
using testing::FramePeer;
using testing::FrameServer;
using testing::LiteralField;
using testing::StatusOk;

constexpr uint32_t kRefusedStream = 7;
constexpr uint16_t kMaxConcurrentStreams = 3;

class Http2ClientTest : public testing::ServerTest {
 protected:
  using Asked = std::future<testing::Answer>;

  void Start(HttpClientOptions options = {}) {
    StartServer();
    trusting_ = *tls::ClientContext::Create({.ca_pem = ca.certificate_pem});
    options.http2 = options.keep_connections = true;
    client_ = MakeHttpClient(*trusting_, resolver_, options);
  }

  static ClientRequest Request(std::string target, http::BodyReader* body = nullptr) {
    ClientRequest request{.method = body ? "POST" : "GET", .target = std::move(target), .body = body};
    request.headers.Add("host", "127.0.0.1");
    request.headers.Add("connection", "keep-alive");  // which HTTP/2 does not have
    return request;
  }
  // What is asked in one call of this leaves in one turn of the loop.
  std::list<Asked> Ask(uint16_t port, std::vector<ClientRequest> requests, size_t limit = SIZE_MAX) {
    std::list<Asked> asked;
    std::vector<std::promise<testing::Answer>*> results;
    for (size_t i = 0; i < requests.size(); ++i) {
      results.push_back(&promises_.emplace_back());
      asked.push_back(results.back()->get_future());
    }
    server->loops().front()->Post([this, port, limit, results, all = std::move(requests)]() mutable {
      const Destination there{.host = "127.0.0.1", .port = port};
      for (size_t i = 0; i < all.size(); ++i)
        base::Spawn(testing::Ask(*client_, there, std::move(all[i]), *results[i], limit));
    });
    return asked;
  }
  Asked Begin(const FrameServer& there, ClientRequest request = Request("/")) {
    std::vector<ClientRequest> requests;
    requests.push_back(std::move(request));
    return std::move(Ask(there.port(), std::move(requests)).front());
  }
  testing::Answer Do(const FrameServer& there, ClientRequest request = Request("/")) {
    return Begin(there, std::move(request)).get();
  }
  testing::Answer Do(ClientRequest request) {
    std::vector<ClientRequest> requests;
    requests.push_back(std::move(request));
    return Ask(server->port(), std::move(requests)).front().get();
  }
  // The error of a call to a server that answers each with what `answer` writes.
  std::string ErrorOf(const std::function<void(FramePeer& peer, uint32_t stream)>& answer) {
    FrameServer hostile(config.tls, [&](FramePeer& peer, int) {
      while (const auto request = peer.ReadRequest()) answer(peer, request->stream);
    });
    const testing::Answer answered = Do(hostile);
    return answered.error ? answered.error->message : answered.broken ? "broken" : "none";
  }

  Resolver resolver_{{}};
  std::unique_ptr<tls::ClientContext> trusting_;
  std::unique_ptr<http::Client> client_;
  std::list<std::promise<testing::Answer>> promises_;
};

TEST_F(Http2ClientTest, IsSpokenWithServersThatChooseIt) {
  Start();
  EXPECT_EQ(Do(Request("/hello?a=b")).body, "GET /hello a=b HTTP/2.0 127.0.0.1");
  const testing::Answer head =
      Do(ClientRequest{.method = "HEAD", .target = "/hello", .headers = Request("").headers});
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(Do(Request("/ignore")).status, 401);
}

TEST_F(Http2ClientTest, IsNotOfferedUnlessAskedFor) {
  Start();
  client_ = MakeHttpClient(*trusting_, resolver_, {.keep_connections = true});
  EXPECT_EQ(Do(Request("/hello")).body, "GET /hello  HTTP/1.1 127.0.0.1");
}

TEST_F(Http2ClientTest, ServersThatChooseHttp11AreAskedOverThat) {
  config.tls.http2 = false;
  Start();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Do(Request("/hello")).body, "GET /hello  HTTP/1.1 127.0.0.1");
  // Nobody waits for the connections of others.
  std::vector<ClientRequest> many;
  for (int i = 0; i < 5; ++i) many.push_back(Request("/wait"));
  auto asked = Ask(server->port(), std::move(many));
  ASSERT_TRUE(Eventually([&] { return handler.waiting == 5; }));
  handler.Release();
  for (Asked& each : asked) EXPECT_EQ(each.get().body, "released");
}

TEST_F(Http2ClientTest, RequestsForAnUpgradeAreSentOverHttp11) {
  Start();
  EXPECT_EQ(Do(Request("/hello")).body, "GET /hello  HTTP/2.0 127.0.0.1");
  ClientRequest upgrade = Request("/hello");
  upgrade.headers.Add("upgrade", "foo");
  EXPECT_EQ(Do(std::move(upgrade)).body, "GET /hello  HTTP/1.1 127.0.0.1");
}

TEST_F(Http2ClientTest, LargeBodiesAndAnswersPass) {
  Start();
  const std::string large(3'000'000, 'x');
  testing::Pieces known({large}, large.size());
  EXPECT_EQ(Do(Request("/echo", &known)).body, large);
  testing::Pieces unknown({"a", large.substr(0, 1'000'000), "", "b"});
  EXPECT_EQ(Do(Request("/echo", &unknown)).body, "a" + large.substr(0, 1'000'000) + "b");
  testing::Pieces none({}, 0);
  EXPECT_EQ(Do(Request("/echo", &none)).status, 200);
  EXPECT_EQ(Do(Request("/big?8000000")).body.size(), 8'000'000u);
  const testing::Answer fixed = Do(Request("/fixed?8000000"));
  EXPECT_EQ(fixed.body.size(), 8'000'000u);
  EXPECT_EQ(fixed.headers.Get("content-length"), "8000000");
}

TEST_F(Http2ClientTest, ABodyOfAnotherLengthThanItsOwnIsNotSentAsTheWhole) {
  Start();
  testing::Pieces shorter({"abc"}, 4), longer({"abcde"}, 4);
  EXPECT_EQ(Do(Request("/echo", &shorter)).error->message,
            "http: the body is shorter than its Content-Length");
  EXPECT_EQ(Do(Request("/echo", &longer)).error->message, "http: the body is longer than its Content-Length");
  EXPECT_EQ(Do(Request("/hello")).status, 200);
}

TEST_F(Http2ClientTest, ManyLargeCallsAtOncePass) {
  Start();
  const std::string large(1'000'000, 'x');
  std::list<testing::Pieces> bodies;
  std::vector<ClientRequest> requests;
  for (int i = 0; i < 20; ++i)
    requests.push_back(Request("/echo", &bodies.emplace_back(std::vector{large}, large.size())));
  for (Asked& each : Ask(server->port(), std::move(requests))) EXPECT_EQ(each.get().body, large);
}

TEST_F(Http2ClientTest, CallsShareOneConnection) {
  Start();
  FrameServer there(config.tls, [](FramePeer& peer, int) {
    std::vector<uint32_t> streams;
    while (const auto request = peer.ReadRequest()) {
      streams.push_back(request->stream);
      // Nobody is answered before all have asked, and the last one is the first.
      if (streams.size() < 20) continue;
      for (; !streams.empty(); streams.pop_back())
        peer.Answer(streams.back(), std::to_string(streams.back()));
    }
  });
  std::vector<ClientRequest> requests;
  for (int i = 0; i < 20; ++i) requests.push_back(Request("/"));
  uint32_t stream = 1;
  for (Asked& each : Ask(there.port(), std::move(requests))) {
    EXPECT_EQ(each.get().body, std::to_string(stream));
    stream += 2;
  }
  EXPECT_EQ(there.connections, 1);
}

TEST_F(Http2ClientTest, AsManyCallsShareAConnectionAsTheServerAllows) {
  Start();
  std::promise<void> released;
  FrameServer there(
      config.tls,
      [wait = released.get_future().share()](FramePeer& peer, int) {
        while (const auto request = peer.ReadRequest()) {
          if (request->body == "wait") wait.wait();
          peer.Answer(request->stream, "ok");
        }
      },
      BigEndian(kMaxConcurrentStreams, 2) + BigEndian(1, 4));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Do(there).body, "ok");
  EXPECT_EQ(there.connections, 1);
  testing::Pieces wait({"wait"}, 4);
  Asked waiting = Begin(there, Request("/", &wait));
  EXPECT_EQ(Do(there).body, "ok");
  EXPECT_EQ(there.connections, 2);
  released.set_value();
  EXPECT_EQ(waiting.get().body, "ok");
}

TEST_F(Http2ClientTest, TheDeadlineOfOneCallEndsThatCallAlone) {
  Start();
  EXPECT_EQ(Do(Request("/hello")).status, 200);
  std::vector<ClientRequest> requests;
  requests.push_back(Request("/wait"));
  requests.push_back(Request("/until-gone"));
  requests.back().whole_timeout = 200ms;
  auto asked = Ask(server->port(), std::move(requests));
  const testing::Answer late = asked.back().get();
  ASSERT_TRUE(late.error);
  EXPECT_EQ(late.error->message, "context deadline exceeded");
  EXPECT_TRUE(late.error->timed_out);
  EXPECT_FALSE(late.error->unprocessed || late.error->reused);
  EXPECT_TRUE(Eventually([&] { return handler.waiting == 1; }));  // the server has heard that it is over
  handler.Release();
  EXPECT_EQ(asked.front().get().body, "released");
}

TEST_F(Http2ClientTest, ADeadlineEndsAnAnswerThatHasBegun) {
  Start();
  EXPECT_EQ(Do(Request("/hello")).status, 200);
  ClientRequest request = Request("/watch");
  request.whole_timeout = 200ms;
  const testing::Answer answer = Do(std::move(request));
  EXPECT_TRUE(answer.broken || answer.error->timed_out);
  EXPECT_TRUE(Eventually([&] { return handler.open_watches == 0; }));
}

TEST_F(Http2ClientTest, ADeadlineEndsTheWaitForAConnectionOfAnother) {
  Start();
  // Accepts connections, and says nothing.
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{
      .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 16), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::vector<ClientRequest> requests;
  for (const auto timeout : {200ms, 50ms}) {
    requests.push_back(Request("/"));
    requests.back().whole_timeout = timeout;
  }
  for (Asked& each : Ask(ntohs(address.sin_port), std::move(requests))) {
    const testing::Answer answer = each.get();
    ASSERT_TRUE(answer.error);
    EXPECT_EQ(answer.error->message, "context deadline exceeded");
    EXPECT_TRUE(answer.error->timed_out);
  }
  close(listener);
}

TEST_F(Http2ClientTest, WhoWaitsForAConnectionOfAnotherLearnsThatThereIsNone) {
  Start();
  std::vector<ClientRequest> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(Request("/"));
  for (Asked& each : Ask(1, std::move(requests))) {
    const testing::Answer answer = each.get();
    ASSERT_TRUE(answer.error);
    EXPECT_EQ(answer.error->message, "dial tcp 127.0.0.1:1: connect: connection refused");
    EXPECT_EQ(answer.error->kind, ClientError::Kind::kUnreachable);
  }
}

TEST_F(Http2ClientTest, AConnectionOnWhichNothingIsHeardIsNotUsedAgain) {
  Start();
  FrameServer silent(config.tls, [](FramePeer& peer, int number) {
    for (bool first = true; const auto request = peer.ReadRequest(); first = false)
      if (number > 1 || first) peer.Answer(request->stream, std::to_string(number));
  });
  EXPECT_EQ(Do(silent).body, "1");
  ClientRequest impatient = Request("/");
  impatient.whole_timeout = 50ms;
  EXPECT_TRUE(Do(silent, std::move(impatient)).error->timed_out);
  EXPECT_EQ(Do(silent).body, "2");
  EXPECT_TRUE(Eventually([&] { return silent.ended == 1; }));
}

TEST_F(Http2ClientTest, ACallThatTheServerHasNotBegunMayBeSentAgain) {
  Start();
  FrameServer there(config.tls, [](FramePeer& peer, int number) {
    while (const auto request = peer.ReadRequest())
      if (number == 1 && request->stream == 1) {
        peer.Write(frames::kReset, 0, 1, BigEndian(kRefusedStream, 4));
      } else {
        peer.Answer(request->stream, std::to_string(number));
      }
  });
  const testing::Answer refused = Do(there);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->message, "stream error: stream ID 1; REFUSED_STREAM; received from peer");
  EXPECT_TRUE(refused.error->unprocessed);
  EXPECT_FALSE(refused.error->reused);
  EXPECT_EQ(Do(there).body, "1");  // on the same connection
}

TEST_F(Http2ClientTest, AServerThatLeavesFinishesWhatItHasBegun) {
  Start();
  std::promise<void> released;
  FrameServer there(config.tls, [wait = released.get_future().share()](FramePeer& peer, int number) {
    if (number > 1) {
      while (const auto request = peer.ReadRequest()) peer.Answer(request->stream, "second");
      return;
    }
    const auto begun = peer.ReadRequest(), late = peer.ReadRequest();
    if (!begun || !late) return;
    peer.Write(frames::kGoAway, 0, 0, BigEndian(begun->stream, 4) + BigEndian(0, 4) + "bye");
    wait.wait();
    peer.Answer(begun->stream, "first");
    peer.ReadToEnd();
  });
  std::vector<ClientRequest> requests;
  for (int i = 0; i < 2; ++i) requests.push_back(Request("/"));
  auto asked = Ask(there.port(), std::move(requests));
  const testing::Answer late = asked.back().get();
  ASSERT_TRUE(late.error);
  EXPECT_TRUE(late.error->unprocessed);
  EXPECT_EQ(late.error->message, "http2: Transport received Server's graceful shutdown GOAWAY");
  EXPECT_EQ(Do(there).body, "second");
  released.set_value();
  EXPECT_EQ(asked.front().get().body, "first");
  EXPECT_TRUE(Eventually([&] { return there.ended == 1; }));  // it has nothing more to do
  EXPECT_EQ(there.connections, 2);
}

TEST_F(Http2ClientTest, AConnectionThatBreaksEndsItsCalls) {
  Start();
  FrameServer there(config.tls, [](FramePeer& peer, int) {
    if (peer.ReadRequest() && peer.ReadRequest()) peer.End();
  });
  std::vector<ClientRequest> requests;
  for (int i = 0; i < 2; ++i) requests.push_back(Request("/"));
  for (Asked& each : Ask(there.port(), std::move(requests))) {
    const testing::Answer answer = each.get();
    ASSERT_TRUE(answer.error);
    EXPECT_EQ(answer.error->kind, ClientError::Kind::kBroken);
    EXPECT_EQ(answer.error->message, "unexpected EOF");
    EXPECT_FALSE(answer.error->reused || answer.error->unprocessed || answer.error->timed_out);
  }
}

TEST_F(Http2ClientTest, AnAnswerThatBreaksOffFails) {
  Start();
  for (const bool whole_connection : {true, false}) {
    FrameServer there(config.tls, [&](FramePeer& peer, int) {
      const auto request = peer.ReadRequest();
      if (!request) return;
      peer.Write(frames::kHeaders, frames::kEndHeaders, request->stream, StatusOk());
      peer.Write(frames::kData, 0, request->stream, "part");
      if (!whole_connection) peer.Write(frames::kReset, 0, request->stream, BigEndian(2, 4));
      whole_connection ? peer.End() : peer.ReadToEnd();
    });
    const testing::Answer answer = Do(there);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "part");
    EXPECT_TRUE(answer.broken);
  }
  EXPECT_TRUE(Do(Request("/broken?1000")).broken);
  EXPECT_TRUE(Do(Request("/broken-fixed?1000")).broken);
}

TEST_F(Http2ClientTest, AConnectionThatWasGoneBeforeItWasUsedAgainIsSaidToBe) {
  Start();
  FrameServer there(config.tls, [](FramePeer& peer, int) {
    const auto first = peer.ReadRequest();
    if (!first) return;
    peer.Answer(first->stream, "ok");
    if (peer.ReadRequest()) peer.End();
  });
  EXPECT_EQ(Do(there).body, "ok");
  const testing::Answer gone = Do(there);
  ASSERT_TRUE(gone.error);
  EXPECT_TRUE(gone.error->reused);
  EXPECT_EQ(Do(there).body, "ok");
  EXPECT_EQ(there.connections, 2);
}

TEST_F(Http2ClientTest, WhatAServerSaysAsItLeavesIsTold) {
  Start();
  FrameServer there(config.tls, [](FramePeer& peer, int) {
    if (!peer.ReadRequest()) return;
    peer.Write(frames::kGoAway, 0, 0, BigEndian(1, 4) + BigEndian(11, 4) + "so \"loud\"\n");
    peer.End();
  });
  EXPECT_EQ(Do(there).error->message,
            "http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=ENHANCE_YOUR_CALM, "
            "debug=\"so \\\"loud\\\"\\x0a\"");
}

TEST_F(Http2ClientTest, AnAnswerThatNobodyReadsToItsEndIsStopped) {
  Start();
  std::vector<ClientRequest> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(Request("/big?4000000000"));
  for (Asked& each : Ask(server->port(), std::move(requests), 100'000))
    EXPECT_GE(each.get().body.size(), 100'000u);
  EXPECT_TRUE(Eventually([&] { return handler.bodies_alive == 0; }));
  EXPECT_EQ(Do(Request("/hello")).status, 200);
}

TEST_F(Http2ClientTest, AConnectionWithoutCallsIsClosedAfterAWhile) {
  Start({.idle_timeout = 50ms});
  std::atomic<bool> told = false;
  FrameServer there(config.tls, [&](FramePeer& peer, int) {
    if (const auto request = peer.ReadRequest()) peer.Answer(request->stream, "ok");
    told = peer.ReadUntil(frames::kGoAway, 0);
    peer.ReadToEnd();
  });
  EXPECT_EQ(Do(there).body, "ok");
  EXPECT_TRUE(Eventually([&] { return there.ended == 1; }));
  EXPECT_TRUE(told);
  EXPECT_EQ(Do(there).body, "ok");
  EXPECT_EQ(there.connections, 2);
}

TEST_F(Http2ClientTest, ConnectionsEndWithTheirClient) {
  Start();
  FrameServer there(config.tls, [](FramePeer& peer, int) {
    while (const auto request = peer.ReadRequest()) peer.Answer(request->stream, "ok");
  });
  EXPECT_EQ(Do(there).body, "ok");
  client_.reset();
  EXPECT_TRUE(Eventually([&] { return there.ended == 1; }));
}

TEST_F(Http2ClientTest, WhatServersMayDoIsUnderstood) {
  Start();
  FrameServer there(config.tls, [](FramePeer& peer, int) {
    while (const auto request = peer.ReadRequest()) {
      const uint32_t stream = request->stream;
      const std::string interim = LiteralField(":status", "103") + LiteralField("link", "</a>");
      for (int i = 0; i < 3; ++i) peer.Write(frames::kHeaders, frames::kEndHeaders, stream, interim);
      peer.Write(frames::kHeaders, 0, stream, StatusOk());
      peer.Write(frames::kContinuation, frames::kEndHeaders, stream, LiteralField("content-length", "4"));
      const auto padded = static_cast<uint8_t>(frames::kPadded);
      peer.Write(frames::kData, padded, stream, std::string(1, '\xff') + "ab" + std::string(255, '\0'));
      peer.Write(frames::kPing, 0, 0, "12345678");
      peer.Write(0x77, 0xff, stream, "an extension");
      peer.Write(frames::kData, 0, stream, "cd");
      peer.Write(frames::kHeaders, frames::kEndHeaders | frames::kEndStream, stream,
                 LiteralField("x-sum", "1"));
    }
  });
  for (int i = 0; i < 3; ++i) {
    const testing::Answer answer = Do(there);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "abcd");
    EXPECT_FALSE(answer.broken);
    EXPECT_EQ(answer.headers.size(), 1u);
  }
  EXPECT_EQ(there.connections, 1);
}

TEST_F(Http2ClientTest, HostileAnswersEndTheCallAndNothingElse) {
  Start();
  const auto head = [](FramePeer& peer, uint32_t stream, const std::string& fields) {
    peer.Write(frames::kHeaders, frames::kEndHeaders | frames::kEndStream, stream, fields);
  };
  // One field that goes into the table, and then again and again by a single byte.
  const std::string bomb = StatusOk() + "\x40" + LiteralField("x-bomb", std::string(4000, 'x')).substr(1) +
                           std::string(100, '\xbe');
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t stream) { head(peer, stream, bomb); }),
            "http2: response header list larger than advertised limit");
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t stream) {
              peer.Write(frames::kHeaders, 0, stream, StatusOk());
              for (int i = 0; i < 100; ++i)
                peer.Write(frames::kContinuation, 0, stream, LiteralField("x", "y"));
            }),
            "http2: Too many CONTINUATION frames following a HEADER frame");
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t stream) {
              for (int i = 0; i < 100; ++i)
                peer.Write(frames::kHeaders, frames::kEndHeaders, stream, LiteralField(":status", "103"));
            }),
            "http2: too many 1xx informational responses");
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t) {
              for (int i = 0; i < 3000; ++i) peer.Write(frames::kPing, 0, 0, "12345678");
            }),
            "connection error: ENHANCE_YOUR_CALM");
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t stream) {
              for (int i = 0; i < 3000; ++i) peer.Write(frames::kData, 0, stream, "");
            }),
            "connection error: PROTOCOL_ERROR");  // a body without a head
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t stream) {
              peer.Write(frames::kHeaders, frames::kEndHeaders, stream, StatusOk());
              for (int i = 0; i < 3000; ++i) peer.Write(frames::kData, 0, stream, "");
            }),
            "broken");
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t stream) {
              peer.Write(frames::kPushPromise, frames::kEndHeaders, stream, BigEndian(2, 4) + "\x82\x87\x84");
            }),
            "connection error: PROTOCOL_ERROR");
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t) { peer.WriteRaw("HTTP/1.1 200 OK\r\n\r\n"); }),
            "connection error: FRAME_SIZE_ERROR");
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t stream) {
              head(peer, stream, StatusOk() + LiteralField("X-Upper", "1"));
            }),
            "stream error: stream ID 1; PROTOCOL_ERROR");
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t stream) { head(peer, stream, LiteralField("a", "b")); }),
            "stream error: stream ID 1; PROTOCOL_ERROR");
  EXPECT_EQ(
      ErrorOf([&](FramePeer& peer, uint32_t stream) { head(peer, stream, LiteralField(":status", "101")); }),
      "stream error: stream ID 1; PROTOCOL_ERROR");
  EXPECT_EQ(ErrorOf([&](FramePeer& peer, uint32_t stream) {
              peer.Write(frames::kHeaders, frames::kEndHeaders, stream,
                         StatusOk() + LiteralField("content-length", "2"));
              peer.Write(frames::kData, frames::kEndStream, stream, "abc");
            }),
            "broken");
  EXPECT_EQ(Do(Request("/hello")).status, 200);
}

}  // namespace
}  // namespace keelson::net::outbound
