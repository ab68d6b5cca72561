#include "net/outbound/http_client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <thread>

#include "net/testing/asking.h"
#include "net/testing/listener.h"
#include "net/testing/server_fixture.h"

namespace keelson::net::outbound {
namespace {

using http::ClientError;
using http::ClientRequest;
using http::Destination;
using testing::Answer;
using testing::Ask;
using testing::Pieces;

// A client that a test sends away.
class Leaver final : public http::BodyReader {
 public:
  base::Task<base::Result<std::optional<base::Slice>, http::BodyError>> Read() override {
    co_return base::Result<std::optional<base::Slice>, http::BodyError>(std::nullopt);
  }
  std::optional<uint64_t> Size() const override { return 0; }
  void WhenGone(std::function<void()> gone) override { gone_ = std::move(gone); }
  void Leave() {
    if (gone_) gone_();
  }

 private:
  std::function<void()> gone_;
};

// A server on a free port of this host that serves one connection after another on a thread of its own.
class OneByOne {
 public:
  explicit OneByOne(std::function<void(int fd)> serve) : serve_(std::move(serve)) {
    thread_ = std::thread([this] {
      for (int fd; (fd = accept(listener_.fd, nullptr, nullptr)) >= 0; close(fd)) serve_(fd);
    });
  }
  ~OneByOne() {
    shutdown(listener_.fd, SHUT_RDWR);
    thread_.join();
    close(listener_.fd);
  }

  Destination destination() const { return {.tls = false, .host = "127.0.0.1", .port = listener_.port}; }

 private:
  const std::function<void(int fd)> serve_;
  const testing::Listener listener_ = testing::ListenOnLoopback(16);
  std::thread thread_;
};

// A server that answers any request with the same bytes and then ends the connection, or holds it.
class RawBackend {
 public:
  RawBackend(std::string answer, bool hold)
      : answer_(std::move(answer)), hold_(hold), server_([this](int fd) { Serve(fd); }) {}

  Destination destination() const { return server_.destination(); }
  std::atomic<int> asked{0}, ended{0};  // heads that have come, connections that are over

 private:
  void Serve(int fd) {
    std::string head;
    char bytes[4096];
    ssize_t n = 0;
    while (head.find("\r\n\r\n") == head.npos && (n = recv(fd, bytes, sizeof(bytes), 0)) > 0)
      head.append(bytes, static_cast<size_t>(n));
    ++asked;
    send(fd, answer_.data(), answer_.size(), MSG_NOSIGNAL);
    while (hold_ && recv(fd, bytes, sizeof(bytes), 0) > 0) continue;
    shutdown(fd, SHUT_RDWR);
    ++ended;
  }

  const std::string answer_;
  const bool hold_;
  OneByOne server_;
};

// Answers `each` requests on a connection, and ends it when the next one comes.
class KeepingBackend {
 public:
  explicit KeepingBackend(int each) : each_(each), server_([this](int fd) { Serve(fd); }) {}

  Destination destination() const { return server_.destination(); }
  std::atomic<int> connections{0};

 private:
  void Serve(int fd) {
    constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    ++connections;
    char bytes[4096];  // a request comes in one piece
    for (int i = 0; recv(fd, bytes, sizeof(bytes), 0) > 0 && i < each_; ++i)
      send(fd, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
  }

  const int each_;
  OneByOne server_;
};

class HttpClientTest : public testing::ServerTest {
 protected:
  HttpClientTest() {
    StartServer();
    trusting_ = *tls::ClientContext::Create({.ca_pem = ca.certificate_pem});
    client_ = MakeHttpClient(*trusting_, resolver_);
  }

  Answer Do(std::string method, std::string target, http::BodyReader* body = nullptr) {
    ClientRequest request{.method = std::move(method), .target = std::move(target), .body = body};
    request.headers.Add("host", "127.0.0.1");
    return Do(*client_, {.host = "127.0.0.1", .port = static_cast<uint16_t>(server->port())},
              std::move(request));
  }
  Answer Do(http::Client& client, Destination destination, ClientRequest request) {
    std::promise<Answer> result;
    server->loops().front()->Post(
        [&] { base::Spawn(Ask(client, std::move(destination), std::move(request), result)); });
    return result.get_future().get();
  }
  ClientRequest Get(std::string target) {
    ClientRequest request{.method = "GET", .target = std::move(target)};
    request.headers.Add("host", "127.0.0.1");
    return request;
  }

  Resolver resolver_{{}};
  std::unique_ptr<tls::ClientContext> trusting_;
  std::unique_ptr<http::Client> client_;
};

TEST_F(HttpClientTest, GetsBodiesOfKnownAndUnknownSize) {
  EXPECT_EQ(Do("GET", "/hello?a=b").body, "GET /hello a=b HTTP/1.1 127.0.0.1");
  EXPECT_EQ(Do("GET", "/fixed?1000000").body.size(), 1'000'000u);
  EXPECT_EQ(Do("GET", "/big?3000000").body.size(), 3'000'000u);
  const Answer head = Do("HEAD", "/hello");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
}

TEST_F(HttpClientTest, SendsBodiesAsTheyCome) {
  const std::string large(300'000, 'x');
  Pieces unknown({"a", large, "b"});
  EXPECT_EQ(Do("POST", "/echo", &unknown).body, "a" + large + "b");
  Pieces known({"abc", "def"}, 6);
  EXPECT_EQ(Do("POST", "/echo", &known).body, "abcdef");
  Pieces none({}, 0);
  EXPECT_EQ(Do("GET", "/hello", &none).status, 200);
}

TEST_F(HttpClientTest, AConnectionServesTheNextRequestWhereItIsKept) {
  KeepingBackend backend(3);
  const auto client = MakeHttpClient(*trusting_, resolver_, {.keep_connections = true});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Do(*client, backend.destination(), Get("/")).body, "ok");
  EXPECT_EQ(backend.connections, 1);
  // One that ends under the next request says so, and is not taken again.
  const Answer ended = Do(*client, backend.destination(), Get("/"));
  ASSERT_TRUE(ended.error);
  EXPECT_TRUE(ended.error->reused);
  EXPECT_EQ(Do(*client, backend.destination(), Get("/")).body, "ok");
  EXPECT_EQ(backend.connections, 2);
}

TEST_F(HttpClientTest, TheCertificateMayBeForAnotherNameThanTheAddress) {
  const uint16_t port = static_cast<uint16_t>(server->port());
  const Answer refused =
      Do(*client_, {.host = "127.0.0.1", .port = port, .tls_name = "a.b.svc"}, Get("/hello"));
  ASSERT_TRUE(refused.error);
  EXPECT_TRUE(refused.error->message.ends_with(", not a.b.svc")) << refused.error->message;
  EXPECT_EQ(Do(*client_, {.host = "127.0.0.1", .port = port, .tls_name = "localhost"}, Get("/hello")).status,
            200);
}

TEST_F(HttpClientTest, TellsWhoCouldNotBeReached) {
  const Answer refused = Do(*client_, {.host = "127.0.0.1", .port = 1}, Get("/"));
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->kind, ClientError::Kind::kUnreachable);
  EXPECT_EQ(refused.error->message, "dial tcp 127.0.0.1:1: connect: connection refused");
}

TEST_F(HttpClientTest, BelievesOnlyWhomItsAuthoritiesVouchFor) {
  const auto stranger = *tls::ClientContext::Create({.ca_pem = testing::MakeCa("other").certificate_pem});
  const auto client = MakeHttpClient(*stranger, resolver_);
  const Destination here{.host = "127.0.0.1", .port = static_cast<uint16_t>(server->port())};
  const Answer refused = Do(*client, here, Get("/hello"));
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->message,
            "tls: failed to verify certificate: x509: certificate signed by unknown authority");

  const auto credulous = *tls::ClientContext::Create({.verify = false});
  EXPECT_EQ(Do(*MakeHttpClient(*credulous, resolver_), here, Get("/hello")).status, 200);
}

TEST_F(HttpClientTest, AddressesOfThisMachineCanBeForbidden) {
  for (const char* host : {"127.0.0.1", "localhost", "::1", "169.254.1.1", "0.0.0.0", "::ffff:127.0.0.1"}) {
    const Answer answer = Do(*client_, {.host = host, .port = 1, .global_only = true}, Get("/"));
    ASSERT_TRUE(answer.error) << host;
    EXPECT_EQ(answer.error->kind, ClientError::Kind::kNotAllowed) << host << ": " << answer.error->message;
  }
}

TEST_F(HttpClientTest, AddressesOfThisMachineAloneCanBeAllowedAgain) {
  const auto client = MakeHttpClient(*trusting_, resolver_, {.allow_loopback = true});
  const Destination here{
      .host = "127.0.0.1", .port = static_cast<uint16_t>(server->port()), .global_only = true};
  EXPECT_EQ(Do(*client, here, Get("/hello")).status, 200);
  const Answer answer = Do(*client, {.host = "169.254.1.1", .port = 1, .global_only = true}, Get("/"));
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->kind, ClientError::Kind::kNotAllowed);
}

TEST_F(HttpClientTest, NothingIsSentOfAHeadThatWouldEndItsLine) {
  RawBackend backend("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", /*hold=*/false);
  std::vector<ClientRequest> requests;
  for (const char* target : {"/a\r\nX-Injected: 1\r\n\r\nGET /b", "/a b", "/a\nb", "/a\tb", "a", "", "/a#b"})
    requests.push_back(Get(target));
  requests.push_back(Get(std::string("/a\0b", 4)));
  for (const char* value : {"x\r\nX-Injected: 1", "x\n", "\x7f"}) {
    requests.push_back(Get("/"));
    requests.back().headers.Add("x-field", value);
  }
  requests.push_back(Get("/"));
  requests.back().headers.Add("x-field: 1\r\nx-injected", "1");
  requests.push_back(Get("/"));
  requests.back().method = "GET / HTTP/1.1\r\n";
  for (ClientRequest& request : requests) {
    const std::string what = request.method + "|" + request.target;
    const Answer answer = Do(*client_, backend.destination(), std::move(request));
    ASSERT_TRUE(answer.error) << what;
    EXPECT_EQ(answer.error->kind, ClientError::Kind::kMalformed) << what;
  }
  EXPECT_EQ(backend.asked, 0);
}

TEST_F(HttpClientTest, ASwitchOfProtocolsThatNobodyAskedForIsAnError) {
  RawBackend backend("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n",
                     /*hold=*/true);
  const Answer unasked = Do(*client_, backend.destination(), Get("/"));
  ASSERT_TRUE(unasked.error);
  EXPECT_EQ(unasked.error->kind, ClientError::Kind::kUnasked);
  EXPECT_EQ(unasked.error->message, "backend tried to switch protocol \"foo\" when \"\" was requested");
  ClientRequest other = Get("/");
  other.headers.Add("upgrade", "websocket");
  const Answer unlike = Do(*client_, backend.destination(), std::move(other));
  ASSERT_TRUE(unlike.error);
  EXPECT_EQ(unlike.error->message,
            "backend tried to switch protocol \"foo\" when \"websocket\" was requested");
  EXPECT_TRUE(testing::Eventually([&] { return backend.ended == 2; }));

  RawBackend silent("HTTP/1.1 101 Switching Protocols\r\n\r\nbytes", /*hold=*/false);
  EXPECT_TRUE(Do(*client_, silent.destination(), Get("/")).error);
}

TEST_F(HttpClientTest, ASwitchToWhatWasAskedForIsATunnel) {
  RawBackend backend("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: Foo\r\n\r\nbytes",
                     /*hold=*/false);
  Pieces none({});
  ClientRequest request = Get("/");
  request.headers.Add("upgrade", "bar, foo");
  request.body = &none;
  const Answer answer = Do(*client_, backend.destination(), std::move(request));
  EXPECT_EQ(answer.status, 101);
  EXPECT_EQ(answer.body, "bytes");
  EXPECT_FALSE(answer.broken);
}

TEST_F(HttpClientTest, AnAnswerThatBreaksOffFails) {
  const std::string head = "HTTP/1.1 200 OK\r\n", chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  const struct {
    std::string answer;
    std::string body;
    bool broken;
  } cases[] = {
      {chunked + "4\r\nwhol\r\n0\r\n\r\n", "whol", false},
      {chunked + "4\r\npart\r\n", "part", true},
      {chunked + "8\r\npart", "part", true},
      {chunked, "", true},
      {chunked + "4\r\npart\r\nzz\r\n", "part", true},
      {head + "Content-Length: 8\r\n\r\npart", "part", true},
      {head + "\r\nwhole", "whole", false},
  };
  for (const auto& c : cases) {
    RawBackend backend(c.answer, /*hold=*/false);
    const Answer answer = Do(*client_, backend.destination(), Get("/"));
    EXPECT_EQ(answer.body, c.body) << c.answer;
    EXPECT_EQ(answer.broken, c.broken) << c.answer;
  }
}

TEST_F(HttpClientTest, AServerThatDoesNotAnswerIsGivenUp) {
  RawBackend silent("", /*hold=*/true);
  ClientRequest request = Get("/");
  request.head_timeout = std::chrono::milliseconds(50);
  const Answer answer = Do(*client_, silent.destination(), std::move(request));
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->message, "net/http: timeout awaiting response headers");
  EXPECT_TRUE(answer.error->timed_out);
  EXPECT_TRUE(testing::Eventually([&] { return silent.ended == 1; }));

  RawBackend stalling("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npart", /*hold=*/true);
  request = Get("/");
  request.whole_timeout = std::chrono::milliseconds(50);
  EXPECT_TRUE(Do(*client_, stalling.destination(), std::move(request)).broken);
  EXPECT_TRUE(testing::Eventually([&] { return stalling.ended == 1; }));
}

TEST_F(HttpClientTest, ARequestEndsWhenItsClientIsGone) {
  RawBackend silent("", /*hold=*/true);
  Leaver leaver;
  ClientRequest request = Get("/");
  request.on_behalf_of = &leaver;
  std::promise<Answer> result;
  auto& loop = *server->loops().front();
  loop.Post([&] { base::Spawn(Ask(*client_, silent.destination(), std::move(request), result)); });
  ASSERT_TRUE(testing::Eventually([&] { return silent.asked == 1; }));
  EXPECT_EQ(silent.ended, 0);
  loop.Post([&] { leaver.Leave(); });
  const Answer answer = result.get_future().get();
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->message, "context canceled");
  EXPECT_TRUE(testing::Eventually([&] { return silent.ended == 1; }));
}

TEST_F(HttpClientTest, InterimAnswersAreNotEndless) {
  std::string interim;
  for (int i = 0; i < 10; ++i) interim += "HTTP/1.1 103 Early Hints\r\n\r\n";
  RawBackend backend(interim + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", /*hold=*/false);
  ASSERT_TRUE(Do(*client_, backend.destination(), Get("/")).error);
}

}  // namespace
}  // namespace keelson::net::outbound
