#include "net/server.h"

#include <gtest/gtest.h>

#include "net/testing/server_fixture.h"

namespace keelson::net {
namespace {

using namespace std::chrono_literals;
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

}  // namespace
}  // namespace keelson::net
