// Sessions driven from memory: what an idle stream costs, and time by hand.
#include <gtest/gtest.h>
#include <malloc.h>
#include <nghttp2/nghttp2.h>

#include "net/http1/session.h"
#include "net/http2/session.h"
#include "net/testing/memory_transport.h"

namespace keelson::net {
namespace {

using namespace std::chrono_literals;
using testing::MemoryTransport;

class Sleeper final : public http::BodySource {
 public:
  State Next(size_t, std::vector<base::Slice>&) override { return State::kSleep; }
};

class WatchHandler final : public http::Handler {
 public:
  base::Task<http::Response> Handle(http::Request&) override {
    ++requests;
    http::Response response;
    response.headers.Add("content-type", "application/json");
    response.body = std::make_unique<Sleeper>();
    co_return response;
  }
  int requests = 0;
};

// The bytes a client sends: its preface, then requests as a kubelet would make them.
std::string WatchRequests(int count) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new(&session, callbacks, nullptr);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  const std::string token = "Bearer " + std::string(900, 't');
  auto nv = [](std::string_view n, std::string_view v) {
    return nghttp2_nv{reinterpret_cast<uint8_t*>(const_cast<char*>(n.data())),
                      reinterpret_cast<uint8_t*>(const_cast<char*>(v.data())), n.size(), v.size(), 0};
  };
  const nghttp2_nv fields[] = {
      nv(":method", "GET"),
      nv(":scheme", "https"),
      nv(":authority", "10.96.0.1:443"),
      nv(":path",
         "/api/v1/namespaces/kube-system/configmaps?allowWatchBookmarks=true&fieldSelector="
         "metadata.name%3Dkube-proxy&resourceVersion=123456&timeoutSeconds=543&watch=true"),
      nv("accept", "application/vnd.kubernetes.protobuf,application/json"),
      nv("authorization", token),
      nv("user-agent", "kubelet/v1.36.4 (linux/amd64) kubernetes/1234567"),
      nv("accept-encoding", "gzip")};
  std::string out;
  for (int i = 0; i < count; ++i)
    nghttp2_submit_request(session, nullptr, fields, std::size(fields), nullptr, nullptr);
  const uint8_t* data = nullptr;
  ssize_t n;
  while ((n = nghttp2_session_mem_send(session, &data)) > 0)
    out.append(reinterpret_cast<const char*>(data), n);
  nghttp2_session_del(session);
  return out;
}

TEST(SessionMemoryTest, AnIdleWatchStreamIsSmall) {
  constexpr int kStreams = 90;  // what a client may open before it has seen our settings
  ServerConfig config;
  config.idle_timeout = 1h;
  WatchHandler handler;
  const std::string requests = WatchRequests(kStreams);
  MemoryTransport transport(config, handler, http2::MakeSession);
  const auto before = mallinfo2();
  transport.Feed(requests);
  const auto after = mallinfo2();
  ASSERT_EQ(handler.requests, kStreams);
  EXPECT_FALSE(transport.finished());
  // Ours and nghttp2's together, the connection's first use of its buffers included.
  EXPECT_LT((after.uordblks - before.uordblks) / kStreams, 3072u);
}

TEST(SessionMemoryTest, AnIdleHttp1ConnectionKeepsNothingOfALargeHead) {
  class AtOnce final : public http::Handler {
   public:
    base::Task<http::Response> Handle(http::Request&) override { co_return http::Response{}; }
  } at_once;
  ServerConfig config;
  MemoryTransport transport(config, at_once, http1::MakeSession);
  const auto held = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const size_t before = held();
  transport.Feed("GET / HTTP/1.1\r\nHost: x\r\nX-Long: ");
  for (int i = 0; i < 50; ++i) transport.Feed(std::string(16'000, 'x'));
  transport.Feed("\r\n\r\n");
  ASSERT_TRUE(transport.sent().starts_with("HTTP/1.1 200 OK"));
  EXPECT_LT(held(), before + 100'000);
}

TEST(SessionTimeTest, ASleepingWatchOutlivesEveryTimeoutAndAnIdleConnectionDoesNot) {
  ServerConfig config;
  WatchHandler handler;
  MemoryTransport watching(config, handler, http2::MakeSession);
  watching.Feed(WatchRequests(1));
  watching.Advance(24h);
  EXPECT_FALSE(watching.finished());

  MemoryTransport idle(config, handler, http2::MakeSession);
  idle.Feed(WatchRequests(0));
  idle.Advance(config.idle_timeout - 1s);
  EXPECT_FALSE(idle.finished());
  idle.Advance(2s);
  EXPECT_TRUE(idle.finished());

  MemoryTransport silent(config, handler, http2::MakeSession);
  silent.Advance(config.header_timeout + 1s);
  EXPECT_TRUE(silent.finished());
}

// A body without end, that tells when it is given up.
class Endless final : public http::BodySource {
 public:
  explicit Endless(int& alive) : alive_(alive) { ++alive_; }
  ~Endless() override { --alive_; }
  State Next(size_t limit, std::vector<base::Slice>& out) override {
    out.push_back(base::Slice::Copy(std::string(limit, 'x')));
    return State::kMore;
  }

 private:
  int& alive_;
};

class ListHandler final : public http::Handler {
 public:
  base::Task<http::Response> Handle(http::Request&) override {
    http::Response response;
    response.body = std::make_unique<Endless>(alive);
    co_return response;
  }
  int alive = 0;
};

// The stream 1 and the connection may send `bytes` more.
std::string WindowUpdates(char bytes) {
  std::string frames;
  for (const char stream : {0, 1}) {
    frames += std::string("\0\0\x04\x08\0\0\0\0", 8) + stream;
    frames += std::string("\0\0\0", 3) + bytes;
  }
  return frames;
}

TEST(SessionTimeTest, AListTakenAFewBytesAtATimeIsGivenUp) {
  ServerConfig config;
  ListHandler handler;
  MemoryTransport transport(config, handler, http2::MakeSession);
  transport.Feed(WatchRequests(1));
  ASSERT_EQ(handler.alive, 1);
  // 100 bytes a second are too few, the window that was open at first left out.
  for (int second = 0; second < 200 && handler.alive == 1; ++second) {
    transport.Feed(WindowUpdates(100));
    transport.Advance(1s);
  }
  EXPECT_EQ(handler.alive, 0);
}

TEST(SessionTimeTest, AListTakenSlowlyIsSent) {
  ServerConfig config;
  config.min_bytes_per_second = 50;
  ListHandler handler;
  MemoryTransport transport(config, handler, http2::MakeSession);
  transport.Feed(WatchRequests(1));
  for (int second = 0; second < 300; ++second) {
    transport.Feed(WindowUpdates(100));
    transport.Advance(1s);
  }
  EXPECT_EQ(handler.alive, 1);
}

TEST(SessionTimeTest, TheRestOfABodyThatNobodyReadsMustArriveInTime) {
  ServerConfig config;
  class AtOnce final : public http::Handler {
   public:
    base::Task<http::Response> Handle(http::Request&) override { co_return http::Response{}; }
  } at_once;
  MemoryTransport transport(config, at_once, http1::MakeSession);
  transport.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
  ASSERT_TRUE(transport.sent().starts_with("HTTP/1.1 200 OK"));
  for (int second = 0; second < 300 && !transport.finished(); second += 10) {
    transport.Feed("x");
    transport.Advance(10s);
  }
  EXPECT_TRUE(transport.finished());
}

TEST(SessionTimeTest, AHttp1HeadMustArriveInTime) {
  ServerConfig config;
  WatchHandler handler;
  MemoryTransport transport(config, handler, http1::MakeSession);
  transport.Feed("GET / HT");
  transport.Advance(config.header_timeout - 1s);
  transport.Feed("T");  // a byte now and then does not help
  EXPECT_FALSE(transport.finished());
  transport.Advance(2s);
  EXPECT_TRUE(transport.finished());
  EXPECT_EQ(transport.sent(), "");
}

}  // namespace
}  // namespace keelson::net
