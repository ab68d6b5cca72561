#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/authn/authenticators.h"
#include "auth/authn/service_account_token.h"
#include "auth/pki/certificate.h"
#include "base/sync_wait.h"
#include "client/testing/fake_client.h"

namespace keelson::auth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kNow = 1'700'000'000;  // where a FakeClock starts

class KnownObjects final : public client::FakeClient {
 public:
  KnownObjects() {
    Put("serviceaccounts", "robot", "u1");
    Put("pods", "web", "p1");
  }
  // `deletion_time`: 0: it is not being deleted.
  void Put(std::string_view plural, std::string_view name, std::string_view uid, int64_t deletion_time = 0) {
    client::FakeResource& resource = At("", plural);
    api::Doc doc(*resource.desc.type);
    auto metadata = api::MutableMetadataOf(doc);
    metadata.set_name(name);
    metadata.set_uid(uid);
    if (deletion_time != 0) {
      metadata.set_deletion_timestamp(deletion_time);
      metadata.add_finalizers("example.com/hold");
    }
    resource.Put("demo", std::move(doc));
  }
};

// Making an RSA key takes long; two do for all tests.
const pki::TokenKey& OurKey() {
  static const pki::TokenKey key = pki::TokenKey::Parse(*pki::GenerateRsaKey())->front();
  return key;
}
const pki::TokenKey& TheirKey() {
  static const pki::TokenKey key = pki::TokenKey::Parse(*pki::GenerateRsaKey())->front();
  return key;
}

pki::TokenKey NewEcKey() { return pki::TokenKey::Parse(*pki::GenerateKey())->front(); }

TokenClaims RobotClaims() {
  TokenClaims claims;
  claims.subject = ServiceAccountUserName("demo", "robot");
  claims.id = "j1";
  claims.audiences = {"api"};
  claims.issued_at = claims.not_before = kNow;
  claims.expiry = kNow + 3600;
  claims.ns = "demo";
  claims.account = {"robot", "u1"};
  return claims;
}

class ServiceAccountTokensTest : public ::testing::Test {
 protected:
  std::string Token(const TokenClaims& claims) { return *issuer_->Issue(claims); }
  TokenAuthenticator::Outcome Ask(std::string_view token, std::vector<std::string> audiences = {"api"}) {
    return base::SyncWait(authenticator_->AuthenticateToken(token, audiences, remarks_));
  }

  const pki::TokenKey& key_ = OurKey();
  base::FakeClock clock_;
  KnownObjects known_;
  std::unique_ptr<TokenIssuer> issuer_ = MakeTokenIssuer("https://us", key_);
  std::unique_ptr<TokenAuthenticator> authenticator_ = ServiceAccountTokens(
      {.issuers = {"https://us"}, .keys = {key_}, .audiences = {"api"}, .clock = &clock_}, known_);
  Remarks remarks_;
};

TEST_F(ServiceAccountTokensTest, ATokenNamesItsAccountAndWhatItIsBoundTo) {
  TokenClaims claims = RobotClaims();
  claims.pod = {"web", "p1"};
  claims.node = {"n1", "n-uid"};
  const auto known = Ask(Token(claims)).value();
  ASSERT_TRUE(known.user);
  EXPECT_EQ(known.user->name, "system:serviceaccount:demo:robot");
  EXPECT_EQ(known.user->uid, "u1");
  EXPECT_THAT(known.user->groups,
              ElementsAre("system:serviceaccounts", "system:serviceaccounts:demo", "system:authenticated"));
  EXPECT_THAT(known.user->extra.at("authentication.kubernetes.io/pod-name"), ElementsAre("web"));
  EXPECT_THAT(known.user->extra.at("authentication.kubernetes.io/node-uid"), ElementsAre("n-uid"));
  EXPECT_THAT(known.user->extra.at("authentication.kubernetes.io/credential-id"), ElementsAre("JTI=j1"));
  EXPECT_THAT(known.audiences, ElementsAre("api"));
}

TEST_F(ServiceAccountTokensTest, TokensOfOthersAreNotKnown) {
  EXPECT_FALSE(Ask("no-token")->user);
  EXPECT_FALSE(Ask("a.b.c")->user);
  EXPECT_FALSE(Ask(*MakeTokenIssuer("https://them", key_)->Issue(RobotClaims()))->user);
}

TEST_F(ServiceAccountTokensTest, AForgedTokenIsRefused) {
  const std::string good = Token(RobotClaims());
  ASSERT_TRUE(Ask(good)->user);
  TokenClaims other = RobotClaims();
  other.account.name = "admin";
  const std::string theirs = Token(other);
  const std::string mixed = theirs.substr(0, theirs.rfind('.')) + good.substr(good.rfind('.'));
  EXPECT_FALSE(Ask(mixed));
  EXPECT_EQ(Ask(*MakeTokenIssuer("https://us", TheirKey())->Issue(RobotClaims())).error(),
            "invalid signature, no keys found");
}

TEST_F(ServiceAccountTokensTest, ATokenCountsInItsTimeOnly) {
  const std::string token = Token(RobotClaims());
  clock_.Advance(std::chrono::seconds(3600 + 59));
  EXPECT_TRUE(Ask(token));
  clock_.Advance(std::chrono::seconds(2));
  EXPECT_EQ(Ask(token).error(), "service account token has expired");
}

TEST_F(ServiceAccountTokensTest, ATokenPastItsWarningOrWithoutAnAudienceIsRemarkedOn) {
  TokenClaims claims = RobotClaims();
  claims.warn_after = kNow + 10;
  const std::string token = Token(claims);
  EXPECT_TRUE(Ask(token)->user);
  EXPECT_TRUE(remarks_.empty());
  clock_.Advance(std::chrono::seconds(15));
  EXPECT_TRUE(Ask(token)->user);
  ASSERT_EQ(remarks_.annotations.size(), 1u);
  EXPECT_EQ(remarks_.annotations[0].key, "authentication.k8s.io/stale-token");
  EXPECT_EQ(remarks_.annotations[0].value,
            "subject: system:serviceaccount:demo:robot, seconds after warning threshold: 5");
  claims = RobotClaims();
  claims.audiences.clear();
  EXPECT_TRUE(Ask(Token(claims))->user);
  ASSERT_EQ(remarks_.annotations.size(), 2u);
  EXPECT_EQ(remarks_.annotations[1].key, "authentication.k8s.io/legacy-token");
  EXPECT_EQ(remarks_.annotations[1].value, "system:serviceaccount:demo:robot");
}

TEST_F(ServiceAccountTokensTest, ATokenForSomebodyElseIsRefused) {
  EXPECT_EQ(Ask(Token(RobotClaims()), {"vault"}).error(),
            "token audiences [\"api\"] is invalid for the target audiences [\"vault\"]");
  TokenClaims both = RobotClaims();
  both.audiences = {"vault", "api"};
  EXPECT_THAT(Ask(Token(both), {"api", "vault"})->audiences, ElementsAre("api", "vault"));
}

TEST_F(ServiceAccountTokensTest, ATokenGoesWithItsAccount) {
  const std::string token = Token(RobotClaims());
  known_.Put("serviceaccounts", "robot", "u2");
  EXPECT_EQ(Ask(token).error(), "service account UID (u2) does not match claim (u1)");
  known_.At("", "serviceaccounts").Remove("demo", "robot");
  EXPECT_EQ(Ask(token).error(), "serviceaccounts \"robot\" not found");
}

TEST_F(ServiceAccountTokensTest, ATokenGoesWithItsPod) {
  TokenClaims claims = RobotClaims();
  claims.pod = {"web", "p1"};
  const std::string token = Token(claims);
  known_.Put("pods", "web", "p1", kNow - 30);
  EXPECT_TRUE(Ask(token)) << "a pod that is ending may still use its token";
  known_.Put("pods", "web", "p1", kNow - 61);
  EXPECT_EQ(Ask(token).error(), "service account token has been invalidated");
  known_.Put("pods", "web", "p2");
  EXPECT_EQ(Ask(token).error(), "pod UID (p2) does not match service account pod ref claim (p1)");
}

TEST(TokenKeyTest, EveryKindOfKeySignsAndChecks) {
  const auto check = [](const pki::TokenKey& key, const pki::TokenKey& other, std::string_view algorithm) {
    EXPECT_EQ(key.algorithm(), algorithm);
    const std::string signature = key.Sign("text").value();
    EXPECT_TRUE(key.Verify(key.algorithm(), "text", signature));
    EXPECT_FALSE(key.Verify(key.algorithm(), "texT", signature));
    EXPECT_FALSE(other.Verify(key.algorithm(), "text", signature));
    EXPECT_THAT(key.Jwk(), HasSubstr("\"kid\":\"" + key.id() + "\""));
  };
  check(OurKey(), TheirKey(), "RS256");
  check(NewEcKey(), NewEcKey(), "ES256");
}

TEST(TokenKeyTest, APublicKeyHasTheNameOfItsPrivateHalf) {
  const std::string pem = *pki::GenerateKey();
  const auto both = pki::TokenKey::Parse(pem + *pki::PublicKeyPem(pem)).value();
  ASSERT_EQ(both.size(), 2u);
  EXPECT_TRUE(both[0].is_private());
  EXPECT_FALSE(both[1].is_private());
  EXPECT_EQ(both[0].id(), both[1].id());
  EXPECT_FALSE(pki::TokenKey::Parse("nothing"));
}

TEST(TokenTest, ATokenReadsAsItWasWritten) {
  TokenClaims claims = RobotClaims();
  claims.secret = {"s", "s-uid"};
  claims.warn_after = kNow + 3607;
  const std::string token = *MakeTokenIssuer("https://us", NewEcKey())->Issue(claims);
  const auto read = ReadToken(token);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->claims.issuer, "https://us");
  EXPECT_EQ(read->claims.subject, claims.subject);
  EXPECT_EQ(read->claims.expiry, claims.expiry);
  EXPECT_EQ(read->claims.secret->uid, "s-uid");
  EXPECT_EQ(read->claims.warn_after, claims.warn_after);
  EXPECT_FALSE(read->claims.pod);
}

}  // namespace
}  // namespace keelson::auth
