#include "app/own_client.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "net/http/body.h"
#include "server/testing/manual_loop.h"

namespace keelson::app {
namespace {

using net::http::BodySource;
using std::chrono::seconds;

// Has one piece, and nothing after it for as long as the test lasts.
class EndlessBody final : public BodySource {
 public:
  State Next(size_t, std::vector<base::Slice>& out) override {
    if (given_) return State::kSleep;
    given_ = true;
    out.push_back(base::Slice::Static("piece"));
    return State::kMore;
  }

 private:
  bool given_ = false;
};

// Answers when the test says so, with what came as the request's body.
class SlowHandler final : public net::http::Handler {
 public:
  base::Task<net::http::Response> Handle(net::http::Request& request) override {
    path = request.path + " " + request.query;
    user = request.connection->peer_certificate->common_name;
    if (held) co_await *held;
    const auto read = co_await request.body->ReadAll(100);
    body = read ? std::string(read->view()) : "none";
    net::http::Response response{.status = 201};
    if (endless) response.body = std::make_unique<EndlessBody>();
    co_return response;
  }

  std::string path, user, body;
  bool endless = false;
  std::optional<base::Completion<bool>> held;
};

class TextBody final : public net::http::BodyReader {
 public:
  base::Task<base::Result<std::optional<base::Slice>, net::http::BodyError>> Read() override {
    using Piece = base::Result<std::optional<base::Slice>, net::http::BodyError>;
    if (std::exchange(read_, true)) co_return Piece(std::nullopt);
    co_return Piece(std::optional(base::Slice::Static("text")));
  }

 private:
  bool read_ = false;
};

class OwnClientTest : public ::testing::Test {
 protected:
  using Answer = base::Result<net::http::Response, net::http::ClientError>;

  void Ask(std::chrono::nanoseconds head, std::chrono::nanoseconds whole) {
    answer_.reset();
    body_.emplace();
    loop_.Post([this, head, whole] {
      base::Spawn([](OwnClientTest& test, std::chrono::nanoseconds head_timeout,
                     std::chrono::nanoseconds whole_timeout) -> base::Task<void> {
        net::http::ClientRequest request{.method = "POST",
                                         .target = "/apis/g/v1/reviews?timeout=5s",
                                         .headers = {},
                                         .body = &*test.body_,
                                         .head_timeout = head_timeout,
                                         .whole_timeout = whole_timeout};
        test.answer_.emplace(co_await test.client_->Send({}, std::move(request)));
      }(*this, head, whole));
    });
    loop_.Run();
  }

  base::FakeClock clock_;
  server::testing::ManualLoop loop_{clock_};
  SlowHandler handler_;
  const std::unique_ptr<net::http::Client> client_ = MakeOwnClient(handler_, {.name = "server"}, clock_);
  std::optional<TextBody> body_;
  std::optional<Answer> answer_;
};

TEST_F(OwnClientTest, TheHandlerIsGivenTheRequestOfTheServer) {
  Ask(seconds(5), seconds(5));
  ASSERT_TRUE(answer_ && *answer_);
  EXPECT_EQ((*answer_)->status, 201);
  EXPECT_EQ(handler_.path, "/apis/g/v1/reviews timeout=5s");
  EXPECT_EQ(handler_.user, "server");
  EXPECT_EQ(handler_.body, "text");
}

TEST_F(OwnClientTest, AHandlerThatHangsIsNotWaitedFor) {
  for (const auto& [head, whole] : {std::pair(seconds(5), seconds(0)), std::pair(seconds(0), seconds(5))}) {
    handler_.held.emplace();
    Ask(head, whole);
    loop_.Advance(seconds(4));
    EXPECT_FALSE(answer_);
    loop_.Advance(seconds(1));
    ASSERT_TRUE(answer_);
    ASSERT_FALSE(*answer_);
    EXPECT_TRUE(answer_->error().timed_out);
    body_.reset();  // the handler must not touch it any more
    handler_.held->Set(true);
    loop_.Run();
    EXPECT_EQ(handler_.body, "none");
  }
}

TEST_F(OwnClientTest, WithoutALimitTheAnswerMayTakeItsTime) {
  handler_.held.emplace();
  Ask(seconds(0), seconds(0));
  loop_.Advance(std::chrono::hours(1));
  EXPECT_FALSE(answer_);
  handler_.held->Set(true);
  loop_.Run();
  EXPECT_TRUE(answer_ && *answer_);
}

TEST_F(OwnClientTest, AnAnswerThatHasNoEndFailsInTime) {
  handler_.endless = true;
  Ask(seconds(5), seconds(5));
  ASSERT_TRUE(answer_ && *answer_);
  BodySource& body = *(*answer_)->body;
  bool woken = false;
  body.set_waker([&] { woken = true; });
  std::vector<base::Slice> pieces;
  BodySource::State last = BodySource::State::kMore;
  const auto read = [&] {
    loop_.Post([&] {
      while ((last = body.Next(100, pieces)) == BodySource::State::kMore) continue;
    });
    loop_.Run();
    return last;
  };
  EXPECT_EQ(read(), BodySource::State::kSleep);
  EXPECT_EQ(pieces.size(), 1u);
  loop_.Advance(seconds(5));
  EXPECT_TRUE(woken);
  EXPECT_EQ(read(), BodySource::State::kFailed);
}

}  // namespace
}  // namespace keelson::app
