#include "net/outbound/http_client.h"

#include <gtest/gtest.h>

#include <future>

#include "net/outbound/link.h"
#include "net/testing/server_fixture.h"

namespace keelson::net::outbound {
namespace {

using http::ClientError;
using http::ClientRequest;
using http::Destination;

struct Answer {
  int status = 0;
  http::Headers headers;
  std::string body;
  std::optional<ClientError> error;
};

// A body that a test gives piece by piece.
class Pieces final : public http::BodyReader {
 public:
  explicit Pieces(std::vector<std::string> pieces, std::optional<uint64_t> size = std::nullopt)
      : pieces_(std::move(pieces)), size_(size) {}
  base::Task<base::Result<std::optional<base::Slice>, http::BodyError>> Read() override {
    using Piece = base::Result<std::optional<base::Slice>, http::BodyError>;
    if (next_ == pieces_.size()) co_return Piece(std::nullopt);
    co_return Piece(std::optional(base::Slice::Copy(pieces_[next_++])));
  }
  std::optional<uint64_t> Size() const override { return size_; }

 private:
  const std::vector<std::string> pieces_;
  const std::optional<uint64_t> size_;
  size_t next_ = 0;
};

base::Task<void> Ask(http::Client& client, Destination destination, ClientRequest request,
                     std::promise<Answer>& result) {
  Answer answer;
  auto sending = client.Send(std::move(destination), std::move(request));
  auto response = co_await std::move(sending);
  if (!response) {
    answer.error = response.error();
    co_return result.set_value(std::move(answer));
  }
  answer.status = response->status;
  answer.headers = response->headers;
  for (bool more = response->body != nullptr; more;) {
    base::Completion<bool> woken;
    response->body->set_waker([woken, once = false]() mutable {
      if (!std::exchange(once, true)) woken.Set(true);
    });
    std::vector<base::Slice> slices;
    const auto state = response->body->Next(10'000, slices);
    for (const base::Slice& slice : slices) answer.body += slice.view();
    if (state == http::BodySource::State::kSleep) co_await woken;
    more = state != http::BodySource::State::kEnd;
  }
  response->body.reset();
  result.set_value(std::move(answer));
}

class HttpClientTest : public testing::ServerTest {
 protected:
  HttpClientTest() {
    StartServer();
    trusting_ = *tls::ClientContext::Create({.ca_pem = ca.certificate_pem});
    client_ = MakeHttpClient(*trusting_);
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

TEST_F(HttpClientTest, TellsWhoCouldNotBeReached) {
  const Answer refused = Do(*client_, {.host = "127.0.0.1", .port = 1}, Get("/"));
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->kind, ClientError::Kind::kUnreachable);
  EXPECT_EQ(refused.error->message, "dial tcp 127.0.0.1:1: connect: connection refused");
}

TEST_F(HttpClientTest, BelievesOnlyWhomItsAuthoritiesVouchFor) {
  const auto stranger = *tls::ClientContext::Create({.ca_pem = testing::MakeCa("other").certificate_pem});
  const auto client = MakeHttpClient(*stranger);
  const Destination here{.host = "127.0.0.1", .port = static_cast<uint16_t>(server->port())};
  const Answer refused = Do(*client, here, Get("/hello"));
  ASSERT_TRUE(refused.error);
  EXPECT_TRUE(refused.error->message.starts_with("tls: ")) << refused.error->message;

  const auto credulous = *tls::ClientContext::Create({.verify = false});
  EXPECT_EQ(Do(*MakeHttpClient(*credulous), here, Get("/hello")).status, 200);
}

TEST_F(HttpClientTest, AddressesOfThisMachineCanBeForbidden) {
  for (const char* host : {"127.0.0.1", "localhost", "::1", "169.254.1.1", "0.0.0.0", "::ffff:127.0.0.1"}) {
    const Answer answer = Do(*client_, {.host = host, .port = 1, .global_only = true}, Get("/"));
    ASSERT_TRUE(answer.error) << host;
    EXPECT_EQ(answer.error->kind, ClientError::Kind::kNotAllowed) << host << ": " << answer.error->message;
  }
}

}  // namespace
}  // namespace keelson::net::outbound
