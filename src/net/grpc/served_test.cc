// Calls of a Channel to a Server without TLS: HTTP/2 that begins with its preface, and trailers after a body.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "base/metrics.h"
#include "net/grpc/channel.h"
#include "net/server.h"

namespace keelson::net {
namespace {

// Answers with what it was sent, and a status after it.
class Echo final : public http::Handler {
 public:
  base::Task<http::Response> Handle(http::Request& request) override {
    auto body = co_await request.body->ReadAll(1 << 20);
    http::Response response;
    response.headers.Add("content-type", "application/grpc");
    response.body = std::make_unique<Body>(body ? *body : base::Slice(), request.path == "/echo/fails");
    co_return response;
  }

 private:
  class Body final : public http::BodySource {
   public:
    Body(base::Slice bytes, bool fails) : bytes_(std::move(bytes)), fails_(fails) {}
    State Next(size_t, std::vector<base::Slice>& out) override {
      if (!bytes_.empty()) out.push_back(std::exchange(bytes_, {}));
      return State::kEnd;
    }
    http::Headers Trailers() override {
      http::Headers trailers;
      trailers.Add("grpc-status", fails_ ? "11" : "0");
      if (fails_) trailers.Add("grpc-message", grpc::EncodeMessage("100% wrong"));
      return trailers;
    }

   private:
    base::Slice bytes_;
    const bool fails_;
  };
};

class PlaintextServerTest : public testing::Test {
 protected:
  PlaintextServerTest() {
    ServerConfig config;
    config.bind_address = "127.0.0.1";
    config.port = 0;
    config.threads = 1;
    config.plaintext = true;
    server_ = std::move(*Server::Create(config, echo_, metrics_));
    EXPECT_TRUE(server_->Start());
  }

  struct Ended {
    std::string message;
    grpc::Status status;
  };
  Ended Call(std::string_view path, std::string_view message) {
    EventLoop loop;
    Ended ended;
    std::unique_ptr<grpc::Channel> channel;
    const auto call = [&] {
      channel->Call(path, message, std::chrono::seconds(10),
                    {.on_message = [&](const base::Slice& m) { ended.message = m.view(); },
                     .on_end =
                         [&](grpc::Status status) {
                           ended.status = std::move(status);
                           loop.Stop();
                         }});
    };
    channel = std::make_unique<grpc::Channel>(
        loop, grpc::Target{.host = "127.0.0.1", .port = server_->port()}, grpc::ChannelOptions{},
        grpc::Channel::Events{.on_up = call, .on_down = [&](const std::string&) { loop.Stop(); }});
    loop.Run();
    return ended;
  }

  std::string Http1(const std::string& request) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    for (const char c : request) EXPECT_EQ(send(fd, &c, 1, MSG_NOSIGNAL), 1);
    std::string answer;
    char buffer[4096];
    for (ssize_t n = 0; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;)
      answer.append(buffer, static_cast<size_t>(n));
    close(fd);
    return answer;
  }

  Echo echo_;
  base::Metrics metrics_;
  std::unique_ptr<Server> server_;
};

TEST_F(PlaintextServerTest, ACallEndsWithTheStatusInTheTrailers) {
  const Ended ended = Call("/echo/echo", "hello");
  EXPECT_EQ(ended.message, "hello");
  EXPECT_TRUE(ended.status.ok()) << ended.status.message;
  EXPECT_TRUE(ended.status.from_server);
}

TEST_F(PlaintextServerTest, AFailureComesWithItsMessage) {
  const Ended ended = Call("/echo/fails", "hello");
  EXPECT_EQ(ended.status.code, grpc::Code::kOutOfRange);
  EXPECT_EQ(ended.status.message, "100% wrong");
}

TEST_F(PlaintextServerTest, AMessageLargerThanAFrameArrivesWhole) {
  const std::string large(300'000, 'x');
  EXPECT_EQ(Call("/echo/echo", large).message, large);
}

// It begins with the first letter of HTTP/2's preface, and comes byte by byte.
TEST_F(PlaintextServerTest, WhatDoesNotBeginWithThePrefaceIsHttp1) {
  const std::string answer =
      Http1("PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
  EXPECT_NE(answer.find("hi"), std::string::npos);
}

}  // namespace
}  // namespace keelson::net
