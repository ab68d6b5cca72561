// HTTP/1.1 as a client sees it over a real connection.
#include <gtest/gtest.h>

#include "net/testing/server_fixture.h"

namespace keelson::net {
namespace {

using namespace std::chrono_literals;
using testing::Eventually;

class Http1Test : public testing::ServerTest {
 protected:
  // Sends `bytes` on a new connection and reads until the server closes it.
  std::string Exchange(std::string_view bytes) {
    auto client = Http1();
    if (!client || !client->socket().Write(bytes)) return "not sent";
    std::string answer;
    char buffer[4096];
    while (true) {
      auto n = client->socket().Read(buffer, sizeof(buffer), 10s);
      if (!n) return answer + "!" + n.error();
      if (*n == 0) return answer;
      answer.append(buffer, *n);
    }
  }
  static std::string StatusLine(const std::string& answer) { return answer.substr(0, answer.find("\r\n")); }
};

TEST_F(Http1Test, PipelinedRequestsAreAnsweredInOrder) {
  StartServer();
  const std::string answer = Exchange(
      "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"
      "GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const size_t a = answer.find("GET /a"), body = answer.find("\r\n\r\nbody"), b = answer.find("GET /b");
  ASSERT_NE(a, std::string::npos) << answer;
  ASSERT_NE(body, std::string::npos) << answer;
  ASSERT_NE(b, std::string::npos) << answer;
  EXPECT_LT(a, body);
  EXPECT_LT(body, b);
}

TEST_F(Http1Test, ThousandPipelinedRequestsAreAllAnswered) {
  StartServer();
  std::string requests;
  for (int i = 0; i < 5000; ++i) requests += "GET /hello HTTP/1.1\r\nHost: x\r\nX-Pad: 0123456789\r\n\r\n";
  requests += "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const std::string answer = Exchange(requests);
  EXPECT_NE(answer.find("GET /last"), std::string::npos);
  EXPECT_EQ(handler.finished, 5001);
}

TEST_F(Http1Test, ChunkedBodiesAreRead) {
  StartServer();
  auto client = Http1();
  auto response =
      client->Do("POST", "/echo", testing::OneHeader("transfer-encoding", "chunked"),
                 "4\r\nWiki\r\n6;ext=1\r\npedia \r\nB\r\nin chunks.\n\r\n0\r\nTrailer: x\r\n\r\n");
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->body, "Wikipedia in chunks.\n");
  EXPECT_EQ(client->Do("GET", "/hello")->status, 200);
}

TEST_F(Http1Test, ABadChunkIs400) {
  StartServer();
  const std::string answer =
      Exchange("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
  EXPECT_EQ(StatusLine(answer), "HTTP/1.1 400 Bad Request");
  EXPECT_TRUE(Eventually([&] { return handler.finished == 1; }));
}

TEST_F(Http1Test, ContinueIsSentWhenTheHandlerReads) {
  StartServer();
  auto client = Http1();
  auto& socket = client->socket();
  ASSERT_TRUE(
      socket.Write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  char buffer[1024];
  auto n = socket.Read(buffer, sizeof(buffer), 10s);
  ASSERT_TRUE(n) << n.error();
  EXPECT_EQ(std::string(buffer, *n), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(socket.Write("body"));
  n = socket.Read(buffer, sizeof(buffer), 10s);
  ASSERT_TRUE(n) << n.error();
  EXPECT_TRUE(std::string(buffer, *n).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(Http1Test, AnExpectationIsRefusedWithoutTheBody) {
  StartServer();
  // The client holds the body back; the refusal ends the connection, or it would be
  // taken for the next request.
  const std::string answer =
      Exchange("POST /ignore HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(StatusLine(answer), "HTTP/1.1 401 Unauthorized");
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST_F(Http1Test, Http10EndsTheBodyWithTheConnection) {
  StartServer();
  const std::string answer = Exchange("GET /big?100000 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(StatusLine(answer), "HTTP/1.1 200 OK");
  EXPECT_EQ(answer.find("chunked"), std::string::npos);
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, 100'000u);
}

TEST_F(Http1Test, ABodyThatFailsIsCutWhereTheClientSeesIt) {
  StartServer();
  const std::string chunked = Exchange("GET /broken?100000 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(StatusLine(chunked), "HTTP/1.1 200 OK");
  EXPECT_GT(chunked.size(), 100'000u);
  EXPECT_FALSE(chunked.ends_with("0\r\n\r\n"));
  const std::string known = Exchange("GET /broken-fixed?100000 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(known.find("Content-Length: 100001\r\n"), std::string::npos);
  EXPECT_EQ(known.size() - known.find("\r\n\r\n") - 4, 100'000u);
  EXPECT_TRUE(Eventually([&] { return handler.bodies_alive == 0; }));
}

TEST_F(Http1Test, AHandlerIsToldThatItsClientHasGone) {
  StartServer();
  auto client = Http1();
  ASSERT_TRUE(client->socket().Write("GET /until-gone HTTP/1.1\r\nHost: x\r\n\r\n"));
  ASSERT_TRUE(Eventually([&] { return handler.waiting == 1; }));
  client.reset();
  EXPECT_TRUE(Eventually([&] { return handler.waiting == 0; }));
}

TEST_F(Http1Test, TooLargeAHeadIs431) {
  config.max_header_bytes = 8192;
  StartServer();
  EXPECT_EQ(
      StatusLine(Exchange("GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + std::string(10'000, 'x') + "\r\n\r\n")),
      "HTTP/1.1 431 Request Header Fields Too Large");
  // Also while it is still arriving.
  EXPECT_EQ(StatusLine(Exchange("GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + std::string(500'000, 'x'))),
            "HTTP/1.1 431 Request Header Fields Too Large");
}

TEST_F(Http1Test, MalformedRequestsAre400) {
  StartServer();
  for (const char* bytes : {
           "nonsense\r\n\r\n",
           "GET /\r\n\r\n",
           "GET / HTTP/1.1\r\n\r\n",
           "GET / HTTP/1.1\nHost: x\n\n",
           "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
           "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
           "GET relative HTTP/1.1\r\nHost: x\r\n\r\n",
       }) {
    EXPECT_EQ(StatusLine(Exchange(bytes)), "HTTP/1.1 400 Bad Request") << bytes;
  }
  EXPECT_EQ(handler.finished, 0);
}

TEST_F(Http1Test, ARefusalReachesAClientThatIsStillSending) {
  StartServer();
  // Closing with this much unread would reset the connection under the answer.
  const std::string answer =
      Exchange("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: nonsense\r\n\r\n" + std::string(300'000, 'x'));
  EXPECT_EQ(StatusLine(answer), "HTTP/1.1 400 Bad Request");
}

TEST_F(Http1Test, UnsupportedVersionsAndCodingsAreNamed) {
  StartServer();
  EXPECT_EQ(StatusLine(Exchange("GET / HTTP/2.0\r\nHost: x\r\n\r\n")),
            "HTTP/1.1 505 HTTP Version Not Supported");
  EXPECT_EQ(StatusLine(Exchange("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n")),
            "HTTP/1.1 501 Not Implemented");
}

TEST_F(Http1Test, AHandlerCanAskToEndTheConnection) {
  StartServer();
  const std::string answer = Exchange("GET /close HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(StatusLine(answer), "HTTP/1.1 200 OK");
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
}

TEST_F(Http1Test, ABodyIsAskedForOnlyAsTheClientReads) {
  StartServer();
  auto client = Http1();
  auto reader = client->Open("GET", "/big?1000000000");
  ASSERT_TRUE(reader) << reader.error();
  uint64_t last = 0;
  // The socket's buffers fill up and then nothing more is asked for.
  ASSERT_TRUE(Eventually([&] {
    const uint64_t now = handler.produced;
    return now > 0 && now == std::exchange(last, now);
  }));
  EXPECT_LT(handler.produced, 50'000'000u);
}

TEST_F(Http1Test, AConnectionLostLeavesItsHandlerToFinish) {
  StartServer();
  {
    auto client = Http1();
    ASSERT_TRUE(client->socket().Write("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"));
    ASSERT_TRUE(Eventually([&] { return handler.waiting == 1; }));
  }
  EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
  handler.Release();
  EXPECT_TRUE(Eventually([&] { return handler.finished == 2; }));
}

}  // namespace
}  // namespace keelson::net
