#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "auth/authn/authenticators.h"
#include "auth/authn/authorization_field.h"
#include "auth/testing/fake_remote.h"
#include "base/sync_wait.h"
#include "base/testing/temp_dir.h"

namespace keelson::auth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUrl = "https://hook.example:8443/authn?x=1";
constexpr const char* kHook = "https://hook.example:8443/authn?x=1&timeout=30s";  // as it is asked

class WebhookTokensTest : public ::testing::Test {
 protected:
  void Start(std::string version = "v1", std::chrono::nanoseconds ttl = std::chrono::minutes(2)) {
    version_ = version;
    config_.server_url = kUrl;
    auto made = WebhookTokens(
        {.config = config_, .version = std::move(version), .cache_ttl = ttl, .audiences = {"api"}},
        remote_.Maker());
    ASSERT_TRUE(made) << made.error();
    tokens_ = *std::move(made);
  }
  void Answers(const std::string& status) {
    remote_.Set(kHook, R"({"apiVersion":"authentication.k8s.io/)" + version_ +
                           R"(","kind":"TokenReview","status":)" + status + "}");
  }
  TokenAuthenticator::Outcome Ask(std::string_view token = "t0ken",
                                  std::vector<std::string> audiences = {"api"}) {
    return base::SyncWait(tokens_->AuthenticateToken(token, audiences, remarks_));
  }

  testing::FakeRemote remote_;
  pki::KubeconfigClient config_;
  std::string version_;
  std::unique_ptr<TokenAuthenticator> tokens_;
  Remarks remarks_;
};

TEST(AuthorizationFieldTest, ATokenFileIsReadAgainAndABadOneLeavesTheOldToken) {
  const base::testing::TempDir folder;
  const std::filesystem::path file = folder.path() / "token";
  const auto write = [&](std::string_view text) { std::ofstream(file) << text; };
  write("new\n");
  base::FakeClock clock;
  AuthorizationField field({.bearer_token = "old", .token_file = file}, clock);
  EXPECT_EQ(field.Value(), "Bearer old") << "it was read a moment ago";
  clock.Advance(AuthorizationField::kPause);
  EXPECT_EQ(field.Value(), "Bearer new");
  std::filesystem::remove(file);
  clock.Advance(AuthorizationField::kPause);
  EXPECT_EQ(field.Value(), "Bearer new");
  write("");
  clock.Advance(AuthorizationField::kPause);
  EXPECT_EQ(field.Value(), "Bearer new");
  write("newer");
  EXPECT_EQ(field.Value(), "Bearer new");
  clock.Advance(AuthorizationField::kPause);
  EXPECT_EQ(field.Value(), "Bearer newer");
}

TEST_F(WebhookTokensTest, AReviewIsSentAndItsUserTaken) {
  config_.bearer_token = "of-the-server";
  Start();
  Answers(
      R"({"authenticated":true,"user":{"username":"ann","uid":"7","groups":["dev"],"extra":{"a.com/x":["1","2"]}}})");
  const auto known = Ask().value();
  ASSERT_TRUE(known.user);
  EXPECT_EQ(known.user->name, "ann");
  EXPECT_EQ(known.user->uid, "7");
  EXPECT_THAT(known.user->groups, ElementsAre("dev", "system:authenticated"));
  EXPECT_THAT(known.user->extra.at("a.com/x"), ElementsAre("1", "2"));
  EXPECT_THAT(known.audiences, ElementsAre("api"));
  const auto& asked = remote_.asked.front();
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.headers.Get("authorization"), "Bearer of-the-server");
  EXPECT_EQ(asked.body, R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},)"
                        R"("spec":{"token":"t0ken","audiences":["api"]},"status":{"user":{}}})");
}

TEST_F(WebhookTokensTest, TheOlderVersionIsSpokenToo) {
  Start("v1beta1");
  Answers(R"({"authenticated":true,"user":{"username":"ann"}})");
  EXPECT_EQ(Ask()->user->name, "ann");
  EXPECT_THAT(remote_.asked.front().body, HasSubstr("authentication.k8s.io/v1beta1"));
}

TEST_F(WebhookTokensTest, AnAnswerOfAnotherVersionOrKindIsAnError) {
  Start("v1");
  version_ = "v1beta1";
  Answers(R"({"authenticated":true,"user":{"username":"ann"}})");
  EXPECT_EQ(Ask().error(), "the answer is no TokenReview of authentication.k8s.io/v1");
  remote_.Set(kHook, "<html>");
  EXPECT_THAT(Ask().error(), HasSubstr("the answer is no TokenReview"));
}

TEST_F(WebhookTokensTest, WhatTheWebhookDoesNotKnowIsUnknownOrItsError) {
  Start("v1", std::chrono::nanoseconds(0));
  Answers(R"({"authenticated":false})");
  EXPECT_FALSE(Ask()->user);
  Answers(R"({"authenticated":false,"error":"token revoked"})");
  EXPECT_EQ(Ask().error(), "token revoked");
  Answers(R"({"user":{"username":"ann"}})");
  EXPECT_FALSE(Ask()->user);
}

TEST_F(WebhookTokensTest, AudiencesAreIntersected) {
  Start("v1", std::chrono::nanoseconds(0));
  Answers(R"({"authenticated":true,"user":{"username":"ann"},"audiences":["vault","b"]})");
  EXPECT_THAT(Ask("t", {"b", "api", "vault"})->audiences, ElementsAre("vault", "b"));
  EXPECT_FALSE(Ask("t", {"api"})->user);
  Answers(R"({"authenticated":true,"user":{"username":"ann"}})");
  EXPECT_THAT(Ask("t", {"vault", "api"})->audiences, ElementsAre("api"));
  EXPECT_FALSE(Ask("t", {"vault"})->user)
      << "a webhook that knows no audiences vouches for this server alone";
}

TEST_F(WebhookTokensTest, AnswersAreRememberedAndErrorsAreNot) {
  Start();
  EXPECT_THAT(Ask().error(), HasSubstr("connection refused"));
  Answers(R"({"authenticated":true,"user":{"username":"ann"}})");
  EXPECT_TRUE(Ask()->user);
  remote_.Remove(kHook);
  EXPECT_TRUE(Ask()->user);
  Answers(R"({"authenticated":false})");
  EXPECT_FALSE(Ask("other")->user);
  remote_.Remove(kHook);
  EXPECT_FALSE(Ask("other")->user);
}

TEST_F(WebhookTokensTest, AServerInTroubleIsAskedAgain) {
  Start();
  int asked = 0;
  remote_.Set(kHook, [&](const testing::FakeRemote::Asked&) {
    return ++asked < 3 ? RemoteAnswer{500, "oops"}
                       : RemoteAnswer{201, R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",)"
                                           R"("status":{"authenticated":true,"user":{"username":"ann"}}})"};
  });
  EXPECT_EQ(Ask()->user->name, "ann");
  remote_.Set(kHook, "oops", 503);
  EXPECT_EQ(Ask("other").error(), "the webhook answers with status 503");
}

// Whoever answers for the webhook must not make this server send the token elsewhere, nor see what is there.
TEST_F(WebhookTokensTest, CVE_2020_8561_RedirectsAreNotFollowed) {
  Start();
  remote_.Set(kHook, "secret metadata", 307);
  const std::string error = Ask().error();
  EXPECT_EQ(error, "the webhook answers with status 307");
  EXPECT_EQ(remote_.asked.size(), 1u);
}

// Tokens in logs were CVE-2019-11250 and CVE-2020-8565.
TEST_F(WebhookTokensTest, CVE_2019_11250_ErrorsDoNotRepeatTheToken) {
  Start();
  EXPECT_THAT(Ask("s3cr3t-token").error(), Not(HasSubstr("s3cr3t")));
  remote_.Set(kHook, "you sent s3cr3t-token", 403);
  EXPECT_THAT(Ask("s3cr3t-token").error(), Not(HasSubstr("s3cr3t")));
}

TEST_F(WebhookTokensTest, ConfigurationsThatCannotWorkAreRefused) {
  const auto error = [&](std::string url, std::string version) {
    return WebhookTokens({.config = {.server_url = std::move(url)}, .version = std::move(version)},
                         remote_.Maker())
        .error();
  };
  EXPECT_EQ(error(kUrl, "v2"),
            R"(unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1")");
  EXPECT_THAT(error("ftp://x", "v1"), HasSubstr("no URL of http or https"));
}

TEST(RemoteUrlTest, UrlsAreTakenApart) {
  const auto url = *ParseRemoteUrl("https://[::1]:8443?a=b");
  EXPECT_EQ(url.destination.host, "::1");
  EXPECT_EQ(url.destination.port, 8443);
  EXPECT_TRUE(url.destination.tls);
  EXPECT_EQ(url.authority, "[::1]:8443");
  EXPECT_EQ(url.target, "/?a=b");
  EXPECT_EQ(ParseRemoteUrl("http://a/b")->destination.port, 80);
  for (const char* text :
       {"https://user:S3cret@host/path", "https://user:S3cret@a@host", "https://host:x/?token=S3cret",
        "user:S3cret@host", "ftp://S3cret@host/?S3cret#S3cret"}) {
    ASSERT_FALSE(ParseRemoteUrl(text)) << text;
    EXPECT_EQ(ParseRemoteUrl(text).error().find("S3cret"), std::string::npos) << ParseRemoteUrl(text).error();
  }
  EXPECT_EQ(ParseRemoteUrl("https://a")->target, "/");
  for (const char* bad :
       {"", "a", "https://", "https:///x", "https://a:0/", "https://a:b/", "https://a:70000/",
        "https://u:p@a/", "https://a/#f", "https://[::1", "https://a b/", "https://a/\r\nx: y", "HTTPS://a"})
    EXPECT_FALSE(ParseRemoteUrl(bad)) << bad;
}

}  // namespace
}  // namespace keelson::auth
