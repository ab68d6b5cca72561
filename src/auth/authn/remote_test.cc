#include "auth/authn/remote.h"

#include <gtest/gtest.h>

#include <deque>

#include "base/sync_wait.h"

namespace keelson::auth {
namespace {

using net::http::ClientError;

// Fails as it is told, one error after the other, and then says "ok" to what it is asked.
class FailingClient final : public net::http::Client {
 public:
  base::Task<base::Result<net::http::Response, ClientError>> Send(net::http::Destination,
                                                                  net::http::ClientRequest request) override {
    ++asked;
    bodies += (*co_await request.body->ReadAll(100)).view();
    if (always) co_return base::Err(*always);
    if (!errors.empty()) {
      const ClientError error = errors.front();
      errors.pop_front();
      co_return base::Err(error);
    }
    net::http::Response response;
    response.body = net::http::FixedBody(base::Slice::Static("ok"));
    co_return response;
  }

  std::deque<ClientError> errors;
  std::optional<ClientError> always;
  int asked = 0;
  std::string bodies;
};

ClientError Broken(std::string message) {
  return {.kind = ClientError::Kind::kBroken, .message = std::move(message)};
}

class AskRemoteTest : public ::testing::Test {
 protected:
  AskRemoteTest() {
    unprocessed_.unprocessed = true;
    gone_.reused = true;
  }
  base::Result<RemoteAnswer, RemoteError> Ask(std::chrono::nanoseconds timeout = std::chrono::seconds(60)) {
    return base::SyncWait(AskRemote(client_, {.method = "POST",
                                              .url = *ParseRemoteUrl("https://there/"),
                                              .body = base::Slice::Static("q"),
                                              .timeout = timeout}));
  }

  FailingClient client_;
  ClientError unprocessed_ = Broken("stream error: stream ID 1; REFUSED_STREAM; received from peer");
  ClientError gone_ = Broken("unexpected EOF");
};

TEST_F(AskRemoteTest, ARequestThatTheServerHasNotBegunIsSentAgain) {
  client_.errors = {unprocessed_, unprocessed_, gone_, unprocessed_};
  const auto answer = Ask();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "ok");
  EXPECT_EQ(client_.bodies, "qqqqq");
}

TEST_F(AskRemoteTest, OneThatMayHaveBegunIsNot) {
  client_.errors = {Broken("unexpected EOF")};
  const auto answer = Ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().cause, "unexpected EOF");
  EXPECT_EQ(client_.asked, 1);
}

TEST_F(AskRemoteTest, NoRequestIsSentAgainForEver) {
  client_.always = unprocessed_;
  EXPECT_EQ(Ask().error().cause, unprocessed_.message);
  EXPECT_EQ(client_.asked, 7);
  client_.always = gone_;
  client_.asked = 0;
  EXPECT_EQ(Ask().error().cause, "unexpected EOF");
  EXPECT_EQ(client_.asked, 33);
}

TEST_F(AskRemoteTest, NoRequestIsSentAgainAfterItsDeadline) {
  client_.always = unprocessed_;
  ASSERT_FALSE(Ask(std::chrono::nanoseconds(1)));
  EXPECT_EQ(client_.asked, 1);
}

}  // namespace
}  // namespace keelson::auth
