// Clients that take what they can: connections, heads, bytes that nobody reads.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/connection_table.h"
#include "net/testing/server_fixture.h"

namespace keelson::net {
namespace {

using namespace std::chrono_literals;
using testing::Eventually;
using testing::RawSocket;
using HostileTest = testing::ServerTest;

// The first bytes of a ClientHello.
constexpr std::string_view kBegunHandshake("\x16\x03\x01\x02\x00\x01", 6);

http::Headers ManyFields(int count) {
  http::Headers headers;
  for (int i = 0; i < count; ++i) headers.Add("x-remote-extra-" + std::to_string(i), "v");
  return headers;
}

// 600 KB, of which HPACK makes 3.
http::Headers LargeHead() {
  http::Headers headers;
  for (int i = 0; i < 200; ++i) headers.Add("x-long", std::string(2900, 'x'));
  return headers;
}

// A HEADERS frame that does not end the head: one field of 4000 bytes, then `times` references to it.
std::string UnfinishedHead(int times) {
  const std::string value(4000, 'v');
  std::string block("\x82\x87\x84\x40\x03x-a\x7f", 9);  // GET, https, "/", a new indexed field
  block += static_cast<char>(0x80 | ((value.size() - 127) & 0x7f));
  block += static_cast<char>((value.size() - 127) >> 7);
  block += value + std::string(static_cast<size_t>(times), '\xbe');
  std::string frame;
  for (int shift : {16, 8, 0}) frame += static_cast<char>((block.size() >> shift) & 0xff);
  return frame + std::string("\x01\x00\x00\x00\x00\x01", 6) + block;
}

TEST_F(HostileTest, AFloodAfterAFailedHandshakeIsCutOff) {
  StartServer();
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  const std::string garbage(64 * 1024, 'g');
  size_t taken = 0;
  constexpr size_t kFlood = size_t{512} << 20;
  while (taken < kFlood) {
    const ssize_t n = send(fd, garbage.data(), garbage.size(), MSG_NOSIGNAL);
    if (n <= 0) break;
    taken += static_cast<size_t>(n);
  }
  close(fd);
  // What the two sockets buffer, and little more.
  EXPECT_LT(taken, size_t{64} << 20);
}

TEST_F(HostileTest, TooManyFieldsAre431) {
  StartServer();
  auto h1 = Http1()->Do("GET", "/hello", ManyFields(1100));
  ASSERT_TRUE(h1) << h1.error();
  EXPECT_EQ(h1->status, 431);
  auto h2 = Http2();
  EXPECT_EQ(h2->Do("GET", "/hello", ManyFields(1100))->status, 431);
  EXPECT_EQ(h2->Do("GET", "/hello", ManyFields(900))->status, 200);
}

TEST_F(HostileTest, LongHeadsOfAnswersAreSentOverHttp2) {
  StartServer();
  auto h2 = Http2();
  auto long_head = h2->Do("GET", "/headers?100000");
  ASSERT_TRUE(long_head) << long_head.error();
  EXPECT_EQ(long_head->status, 200);
  auto too_long = h2->Do("GET", "/headers?3000000");
  ASSERT_TRUE(too_long) << too_long.error();
  EXPECT_EQ(too_long->status, 500);
  EXPECT_EQ(h2->Do("GET", "/hello")->status, 200);
}

TEST_F(HostileTest, UnfinishedHeadsHoldNoMoreThanTheirBudget) {
  config.threads = 1;
  config.max_held_head_bytes = 2 << 20;
  StartServer();
  std::vector<std::unique_ptr<testing::H2Client>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(Http2());
    ASSERT_TRUE(clients.back()->SendRaw(UnfinishedHead(200)));  // 800 KB in 4
  }
  // What is small is free, whoever holds the rest.
  auto other = Http2();
  ASSERT_EQ(other->Do("GET", "/hello")->status, 200);
  auto refused = other->Do("GET", "/hello", LargeHead());
  ASSERT_TRUE(refused) << refused.error();
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->headers.Get("retry-after"), "1");
  // It comes back when they are gone.
  clients.clear();
  EXPECT_TRUE(Eventually([&] { return other->Do("GET", "/hello", LargeHead())->status == 200; }));
}

TEST_F(HostileTest, AHeadIsCountedUntilItsRequestIsAnswered) {
  config.threads = 1;
  config.max_held_head_bytes = 1 << 20;
  StartServer();
  auto h2 = Http2();
  const http::Headers large = LargeHead();
  const int32_t waiting = h2->Submit("GET", "/wait", large);
  ASSERT_TRUE(h2->RunUntil([&] { return handler.waiting == 1; }));
  EXPECT_EQ(h2->Do("GET", "/hello", large)->status, 429);
  auto h1 = Http1();
  EXPECT_EQ(h1->Do("GET", "/hello", large)->status, 429);
  handler.Release();
  ASSERT_TRUE(h2->RunUntil([&] { return h2->stream(waiting).closed; }));
  EXPECT_EQ(h2->Do("GET", "/hello", large)->status, 200);
  EXPECT_EQ(Http1()->Do("GET", "/hello", large)->status, 200);
  // A watch keeps nothing of its head.
  for (int i = 1; i <= 5; ++i) {
    h2->Submit("GET", "/watch", large);
    EXPECT_TRUE(h2->RunUntil([&] { return handler.open_watches == i; }));
  }
}

TEST_F(HostileTest, StrangersOfOneAddressMakeRoomForOneAnother) {
  config.threads = 1;
  config.max_strangers_per_address = 4;
  StartServer();
  auto certified = Http1(WithCertificate({.common_name = "known"}));
  ASSERT_EQ(certified->Do("GET", "/hello")->status, 200);
  auto logged_in = Http1();
  ASSERT_EQ(logged_in->Do("GET", "/login")->status, 200);
  std::vector<std::unique_ptr<RawSocket>> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(std::make_unique<RawSocket>(server->port()));
  for (int i = 0; i < 6; ++i) {
    silent[i]->ReadToEnd(10s);
    EXPECT_TRUE(silent[i]->ended()) << i;
  }
  // A newcomer is let in, and who is known stays.
  EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
  EXPECT_EQ(certified->Do("GET", "/hello")->status, 200);
  EXPECT_EQ(logged_in->Do("GET", "/hello")->status, 200);
}

TEST_F(HostileTest, UnfinishedHandshakesMakeRoomForOneAnother) {
  config.threads = 1;
  config.max_handshakes = 4;
  StartServer();
  std::vector<std::unique_ptr<RawSocket>> begun;
  for (int i = 0; i < 10; ++i) {
    begun.push_back(std::make_unique<RawSocket>(server->port()));
    begun.back()->Write(kBegunHandshake);
  }
  // The oldest are forgotten, and learn it when they go on.
  auto newcomer = Http1();
  EXPECT_EQ(newcomer->Do("GET", "/hello")->status, 200);
  for (int i = 0; i < 6; ++i) {
    begun[i]->Write("x");
    begun[i]->ReadToEnd(10s);
    EXPECT_TRUE(begun[i]->ended()) << i;
  }
}

TEST_F(HostileTest, AHandshakeThatIsGivenUpIsNotTold) {
  config.threads = 1;
  config.max_handshakes = 1;
  StartServer();
  RawSocket given_up(server->port());
  given_up.Write(kBegunHandshake);
  auto newcomer = Http1();
  EXPECT_EQ(newcomer->Do("GET", "/hello")->status, 200);
  // Both are open: the one that was given up has ended nothing.
  EXPECT_EQ(OpenConnections(metrics).value(), 2);
  given_up.Write("x");
  given_up.ReadToEnd(10s);
  EXPECT_TRUE(given_up.ended());
}

TEST_F(HostileTest, AHandshakeThatIsGivenUpEndsInTime) {
  config.threads = 1;
  config.max_handshakes = 1;
  config.handshake_timeout = 100ms;
  StartServer();
  RawSocket given_up(server->port());
  given_up.Write(kBegunHandshake);
  EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
  given_up.ReadToEnd(10s);
  EXPECT_TRUE(given_up.ended());
}

TEST_F(HostileTest, HandshakesOfTheNetworkWithTheMostAreGivenUpFirst) {
  config.threads = 1;
  config.max_handshakes = 4;
  StartServer();
  RawSocket patient(server->port(), "127.0.0.2");
  patient.Write(kBegunHandshake);
  std::vector<std::unique_ptr<RawSocket>> begun;
  for (int i = 0; i < 10; ++i) {
    begun.push_back(std::make_unique<RawSocket>(server->port()));
    begun.back()->Write(kBegunHandshake);
  }
  ASSERT_EQ(Http1()->Do("GET", "/hello")->status, 200);
  // A record that is none is answered by an alert; who was given up is closed without a word.
  patient.Write(std::string(1000, 'x'));
  EXPECT_NE(patient.ReadToEnd(10s), "");
  begun[0]->Write(std::string(1000, 'x'));
  EXPECT_EQ(begun[0]->ReadToEnd(10s), "");
}

TEST_F(HostileTest, AStrangerWithARequestOutlivesIdleOnes) {
  config.threads = 1;
  config.max_strangers = 4;
  StartServer();
  auto busy = Http2();
  const int32_t id = busy->Submit("GET", "/wait");
  ASSERT_TRUE(busy->RunUntil([&] { return handler.waiting == 1; }));
  std::vector<std::unique_ptr<RawSocket>> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(std::make_unique<RawSocket>(server->port()));
  silent[6]->ReadToEnd(10s);
  EXPECT_TRUE(silent[6]->ended());
  handler.Release();
  EXPECT_TRUE(busy->RunUntil([&] { return busy->stream(id).ended; }));
}

TEST_F(HostileTest, AtTheLimitOfDescriptorsTheIdleGoAndTheBusyStay) {
  config.threads = 1;
  config.max_connections = 4;
  StartServer();
  const auto known = WithCertificate({.common_name = "known"});
  std::vector<std::unique_ptr<testing::H2Client>> watching;
  for (int i = 0; i < 3; ++i) {
    watching.push_back(Http2({}, known));
    watching.back()->Submit("GET", "/watch");
    ASSERT_TRUE(watching.back()->RunUntil([&] { return handler.open_watches == i + 1; }));
  }
  auto idle = Http2({}, known);
  ASSERT_EQ(idle->Do("GET", "/hello")->status, 200);
  RawSocket silent(server->port());
  auto newcomer = Http1();
  EXPECT_EQ(newcomer->Do("GET", "/hello")->status, 200);
  EXPECT_FALSE(idle->RunUntil([] { return false; }));
  EXPECT_TRUE(idle->disconnected());
  EXPECT_EQ(handler.open_watches, 3);
}

TEST_F(HostileTest, BeyondTheSpareConnectionsAreRefused) {
  config.threads = 1;
  config.max_connections = 1;
  StartServer();
  const auto known = WithCertificate({.common_name = "known"});
  auto watching = Http2({}, known);
  watching->Submit("GET", "/watch");
  ASSERT_TRUE(watching->RunUntil([&] { return handler.open_watches == 1; }));
  // Another that authenticates is answered and sent away.
  auto second = Http2({}, known);
  EXPECT_EQ(second->Do("GET", "/hello")->status, 200);
  EXPECT_FALSE(second->RunUntil([] { return false; }));
  EXPECT_TRUE(second->disconnected());
  EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
  EXPECT_EQ(handler.open_watches, 1);
}

TEST(NetworkOfTest, IsAnAddressOrTheFirstHalfOfAnIpv6One) {
  EXPECT_EQ(NetworkOf("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(NetworkOf("2001:db8::1"), NetworkOf("2001:db8::2:3"));
  EXPECT_NE(NetworkOf("2001:db8::1"), NetworkOf("2001:db8:0:1::1"));
}

}  // namespace
}  // namespace keelson::net
