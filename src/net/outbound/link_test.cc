#include "net/outbound/link.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <string>
#include <thread>

#include "net/testing/listener.h"

namespace keelson::net::outbound {
namespace {

// A link to a socket of the test, `peer_`.
class LinkTest : public ::testing::Test {
 protected:
  LinkTest() : runner_([this] { loop_.Run(); }) {
    const net::testing::Listener listener = net::testing::ListenOnLoopback(1);
    Address address;
    address.size = sizeof(address.storage);
    getsockname(listener.fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size);
    link_ = OnLoop([&] { return Link::Open(loop_, address, {}, std::chrono::seconds(30)); });
    peer_ = accept(listener.fd, nullptr, nullptr);
    close(listener.fd);
    std::promise<bool> opened;
    loop_.Post([&] { base::Spawn(TellWhenOpen(link_, opened)); });
    EXPECT_TRUE(opened.get_future().get());
  }
  ~LinkTest() override {
    OnLoop([&] { return link_->Close(), 0; });
    link_.reset();
    loop_.Stop();
    runner_.join();
    if (peer_ >= 0) close(peer_);
  }

  // Runs `work` on the loop, and gives its result.
  template <class F>
  std::invoke_result_t<F> OnLoop(F work) {
    std::promise<std::invoke_result_t<F>> result;
    loop_.Post([&] { result.set_value(work()); });
    return result.get_future().get();
  }

  // Waits for as many bytes, or the end.
  std::string Received(size_t n) const {
    std::string bytes(n, '\0');
    size_t had = 0;
    for (ssize_t got; had < n && (got = recv(peer_, bytes.data() + had, n - had, 0)) > 0;)
      had += static_cast<size_t>(got);
    return bytes.substr(0, had);
  }
  // Bytes that the peer could read now.
  int Waiting() const {
    int n = 0;
    ioctl(peer_, FIONREAD, &n);
    return n;
  }

  EventLoop loop_;
  std::thread runner_;
  std::shared_ptr<Link> link_;
  int peer_ = -1;

 private:
  static base::Task<void> TellWhenOpen(std::shared_ptr<Link> link, std::promise<bool>& opened) {
    opened.set_value(co_await link->Opened());
  }
};

TEST_F(LinkTest, WritesOfOneTurnAreSentTogetherAtItsEnd) {
  const int early = OnLoop([&] {
    link_->Write("head ");
    link_->Write("body");
    return Waiting();
  });
  EXPECT_EQ(early, 0);
  EXPECT_EQ(Received(9), "head body");
}

TEST_F(LinkTest, FlushSendsAtOnce) {
  const bool sent = OnLoop([&] {
    link_->Write("now");
    link_->Flush();
    pollfd readable{.fd = peer_, .events = POLLIN, .revents = 0};
    return poll(&readable, 1, 30'000) == 1;
  });
  EXPECT_TRUE(sent);
  EXPECT_EQ(Received(3), "now");
}

TEST_F(LinkTest, MuchIsNotKeptUntilTheEndOfTheTurn) {
  const std::string much(size_t{100} * 1024, 'x');
  const bool sent = OnLoop([&] {
    link_->Write(much);
    pollfd readable{.fd = peer_, .events = POLLIN, .revents = 0};
    return poll(&readable, 1, 30'000) == 1;
  });
  EXPECT_TRUE(sent);
  EXPECT_EQ(Received(much.size()), much);
}

TEST_F(LinkTest, WhatWasWrittenIsSentBeforeTheLinkIsClosed) {
  OnLoop([&] {
    link_->Write("goodbye");
    link_->Close();
    return 0;
  });
  EXPECT_EQ(Received(100), "goodbye");
}

TEST_F(LinkTest, AWriteAfterTheEndIsDropped) {
  OnLoop([&] {
    link_->Close();
    link_->Write("nobody hears this");
    link_->Flush();
    return 0;
  });
  EXPECT_EQ(Received(100), "");
}

}  // namespace
}  // namespace keelson::net::outbound
