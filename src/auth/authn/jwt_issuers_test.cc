#include "auth/authn/jwt_issuers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/authn/claim_rules.h"
#include "auth/authn/jwt.h"
#include "auth/pki/certificate.h"
#include "auth/testing/fake_remote.h"
#include "base/sync_wait.h"

namespace keelson::auth {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

const pki::TokenKey& ProviderKey() {
  static const pki::TokenKey key = pki::TokenKey::Parse(*pki::GenerateRsaKey())->front();
  return key;
}

constexpr const char* kDiscovery = "https://login.example/.well-known/openid-configuration";
constexpr const char* kKeys = "https://login.example/keys";

std::string KeySetOf(const pki::TokenKey& key) { return R"({"keys":[)" + key.Jwk() + "]}"; }

JwtIssuerConfig Login() {
  JwtIssuerConfig jwt{.url = "https://login.example", .audiences = {"k8s"}};
  jwt.username = {.prefix = "login:", .claim = "sub"};
  jwt.groups = {.prefix = "g:", .claim = "groups"};
  return jwt;
}

class JwtIssuersTest : public ::testing::Test {
 protected:
  JwtIssuersTest() {
    remote_.Set(kDiscovery, R"({"issuer":"https://login.example","jwks_uri":"https://login.example/keys"})");
    remote_.Set(kKeys, KeySetOf(ProviderKey()));
  }

  void Start(const JwtIssuerConfig& jwt = Login(), std::vector<std::string> algorithms = {"RS256"}) {
    auto made = MakeJwtIssuers({.jwt = {jwt}, .anonymous = {}}, Options(std::move(algorithms)));
    ASSERT_TRUE(made) << made.error();
    issuers_ = *std::move(made);
  }
  JwtIssuersOptions Options(std::vector<std::string> algorithms = {"RS256"}) {
    return {.algorithms = std::move(algorithms),
            .audiences = {"api"},
            .disallowed_issuers = {"https://us"},
            .make_client = remote_.Maker(),
            .clock = &clock_};
  }
  static std::string Token(std::string_view more = "", const pki::TokenKey& key = ProviderKey(),
                           std::string_view algorithm = "RS256") {
    const std::string claims = R"({"iss":"https://login.example","aud":"k8s","exp":1700000060,"sub":"ann")" +
                               std::string(more) + "}";
    return *SignJwt(key, R"({"alg":")" + std::string(algorithm) + R"(","kid":")" + key.id() + "\"}", claims,
                    algorithm);
  }
  TokenAuthenticator::Outcome Ask(std::string_view token, std::vector<std::string> audiences = {"api"}) {
    return base::SyncWait(issuers_->AuthenticateToken(token, audiences, remarks_));
  }
  std::string Error(std::string_view token) {
    const auto outcome = Ask(token);
    return outcome ? "none" : outcome.error();
  }

  base::FakeClock clock_;  // at 1'700'000'000
  auth::testing::FakeRemote remote_;
  std::unique_ptr<JwtIssuers> issuers_;
  Remarks remarks_;
};

TEST_F(JwtIssuersTest, ClaimsBecomeAUser) {
  Start();
  const auto known = Ask(Token(R"(,"groups":["dev","ops"],"jti":"7")")).value();
  ASSERT_TRUE(known.user);
  EXPECT_EQ(known.user->name, "login:ann");
  EXPECT_THAT(known.user->groups, ElementsAre("g:dev", "g:ops", "system:authenticated"));
  EXPECT_THAT(known.user->extra,
              ElementsAre(Pair("authentication.kubernetes.io/credential-id", ElementsAre("JTI=7"))));
  EXPECT_THAT(known.audiences, ElementsAre("api"));
  EXPECT_THAT(Ask(Token(R"(,"groups":"dev")"))->user->groups, ElementsAre("g:dev", "system:authenticated"));
  EXPECT_THAT(Error(Token(R"(,"groups":[1])")), HasSubstr("oidc: parse groups claim \"groups\""));
  EXPECT_FALSE(Ask(Token(), {"vault"})->user);
}

TEST_F(JwtIssuersTest, TokensOfOthersAreNotKnownAndCostNothing) {
  Start();
  EXPECT_FALSE(Ask("opaque")->user);
  EXPECT_FALSE(Ask("a.b.c")->user);
  EXPECT_FALSE(Ask(*SignJwt(ProviderKey(), R"({"alg":"RS256"})", R"({"iss":"https://them"})"))->user);
  EXPECT_TRUE(remote_.asked.empty());
}

TEST_F(JwtIssuersTest, TimesAreChecked) {
  Start();
  EXPECT_TRUE(Ask(Token())->user);
  clock_.Advance(seconds(61));
  EXPECT_EQ(Error(Token()),
            "oidc: verify token: oidc: token is expired (Token Expiry: 2023-11-14 22:14:20 +0000 UTC)");
  EXPECT_THAT(Error(*SignJwt(ProviderKey(), R"({"alg":"RS256"})",
                             R"({"iss":"https://login.example","aud":"k8s","sub":"ann"})")),
              HasSubstr("token is expired"))
      << "without exp";
  EXPECT_THAT(
      Error(*SignJwt(ProviderKey(), R"({"alg":"RS256"})",
                     R"({"iss":"https://login.example","aud":"k8s","exp":1800000000,"nbf":1750000000})")),
      HasSubstr("before the nbf (not before) time"));
}

TEST_F(JwtIssuersTest, AudiencesAreChecked) {
  Start();
  const std::string other = *SignJwt(ProviderKey(), R"({"alg":"RS256"})",
                                     R"({"iss":"https://login.example","aud":["a","b"],"exp":1800000000})");
  EXPECT_EQ(Error(other), R"(oidc: verify token: oidc: expected audience "k8s" got ["a" "b"])");
  JwtIssuerConfig many = Login();
  many.audiences = {"x", "b"};
  many.audience_match_policy = "MatchAny";
  Start(many);
  EXPECT_THAT(Error(other), HasSubstr("parse username claims \"sub\": claim not present"));
}

TEST_F(JwtIssuersTest, OnlyAllowedAlgorithmsAndTheProvidersKeysCount) {
  Start();
  EXPECT_EQ(
      Error(Token("", ProviderKey(), "RS512")),
      R"(oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "RS512")");
  const std::string good = Token();
  const std::string forged = good.substr(0, good.rfind('.')) + "." + pki::Base64Url(std::string(256, 'x'));
  EXPECT_THAT(Error(forged), HasSubstr("failed to verify id token signature"));
  const std::string none =
      pki::Base64Url(R"({"alg":"none"})") + good.substr(good.find('.'), good.rfind('.') + 1 - good.find('.'));
  EXPECT_THAT(Error(none), HasSubstr("unsupported algorithm"));
  EXPECT_EQ(MakeJwtIssuers({}, Options({"HS256"})).error(), "oidc: unsupported signing alg: \"HS256\"");
}

TEST_F(JwtIssuersTest, AProviderThatCannotBeReachedIsAskedAgainLater) {
  remote_.Remove(kDiscovery);
  Start();
  EXPECT_EQ(Error(Token()), "oidc: authenticator not initialized");
  remote_.Set(kDiscovery, R"({"issuer":"https://login.example","jwks_uri":"https://login.example/keys"})");
  EXPECT_EQ(Error(Token()), "oidc: authenticator not initialized") << "nobody is asked for ten seconds";
  EXPECT_EQ(remote_.Count(kDiscovery), 1);
  clock_.Advance(seconds(10));
  EXPECT_TRUE(Ask(Token())->user);
}

TEST_F(JwtIssuersTest, AProviderMustNameItself) {
  remote_.Set(kDiscovery, R"({"issuer":"https://evil.example","jwks_uri":"https://login.example/keys"})");
  Start();
  EXPECT_EQ(Error(Token()), "oidc: authenticator not initialized");
  clock_.Advance(seconds(10));
  remote_.Set(kDiscovery, R"({"issuer":"https://login.example"})");
  EXPECT_EQ(Error(Token()), "oidc: authenticator not initialized");
  clock_.Advance(seconds(10));
  remote_.Set(kDiscovery, R"({"issuer":"https://login.example","jwks_uri":"http://login.example/keys"})");
  EXPECT_THAT(Error(Token()), HasSubstr("no URL of https"));
}

TEST_F(JwtIssuersTest, NewKeysAreFetchedWhenATokenNamesThemButNotAllTheTime) {
  Start();
  EXPECT_TRUE(Ask(Token())->user);
  EXPECT_EQ(remote_.Count(kKeys), 1);
  const auto next = pki::TokenKey::Parse(*pki::GenerateRsaKey())->front();
  for (int i = 0; i < 10; ++i) EXPECT_THAT(Error(Token("", next)), HasSubstr("failed to verify"));
  EXPECT_EQ(remote_.Count(kKeys), 1);
  remote_.Set(kKeys, KeySetOf(next));
  clock_.Advance(seconds(5));
  EXPECT_TRUE(Ask(Token("", next))->user);
  EXPECT_EQ(remote_.Count(kKeys), 2);
  EXPECT_THAT(Error(Token()), HasSubstr("failed to verify")) << "the old key is gone";
}

TEST_F(JwtIssuersTest, DiscoveryMayBeElsewhereUnderItsOwnAuthorities) {
  JwtIssuerConfig jwt = Login();
  jwt.discovery_url = "https://inside.svc/config";
  remote_.Remove(kDiscovery);
  remote_.Set("https://inside.svc/config",
              R"({"issuer":"https://login.example","jwks_uri":"https://login.example/keys"})");
  Start(jwt);
  EXPECT_TRUE(Ask(Token())->user);
  EXPECT_EQ(remote_.trusted.front().ca_pem, "");
}

TEST_F(JwtIssuersTest, AnEmailMustBeVerifiedIfTheTokenSaysSo) {
  JwtIssuerConfig jwt = Login();
  jwt.username = {.prefix = "", .claim = "email"};
  Start(jwt);
  EXPECT_EQ(Ask(Token(R"(,"email":"a@b","email_verified":true)"))->user->name, "a@b");
  EXPECT_EQ(Ask(Token(R"(,"email":"a@b")"))->user->name, "a@b");
  EXPECT_EQ(Error(Token(R"(,"email":"a@b","email_verified":false)")), "oidc: email not verified");
  EXPECT_THAT(Error(Token(R"(,"email":"a@b","email_verified":"true")")), HasSubstr("email_verified"));
  EXPECT_THAT(Error(Token()), HasSubstr("claim not present"));
}

TEST_F(JwtIssuersTest, RequiredClaimsAreTexts) {
  JwtIssuerConfig jwt = Login();
  jwt.claim_validation_rules = {{.claim = "hd", .required_value = "example.com"}};
  Start(jwt);
  EXPECT_TRUE(Ask(Token(R"(,"hd":"example.com")"))->user);
  EXPECT_EQ(Error(Token()), "oidc: required claim hd not present in ID token");
  EXPECT_EQ(Error(Token(R"(,"hd":"evil.com")")),
            "oidc: required claim hd value does not match. Got = evil.com, want = example.com");
  EXPECT_THAT(Error(Token(R"(,"hd":["example.com"])")), HasSubstr("oidc: parse claim hd"));
}

TEST_F(JwtIssuersTest, ExpressionsMapAndJudgeClaims) {
  JwtIssuerConfig jwt{.url = "https://login.example", .audiences = {"k8s"}};
  jwt.username.expression = "claims.sub + '@' + claims.acme__dot__org.unit";
  jwt.groups.expression = "claims.roles.split(',')";
  jwt.uid.expression = "string(claims.id)";
  jwt.extra = {{"acme.org/level", "claims.level > 2 ? 'high' : ''"}, {"acme.org/all", "claims.tags"}};
  jwt.claim_validation_rules = {{.expression = "claims.level < 9.0", .message = "too high"}};
  jwt.user_validation_rules = {{.expression = "!user.username.startsWith('system:')", .message = "reserved"},
                               {.expression = "user.groups.all(g, g != 'root')", .message = "no root"}};
  Start(jwt);
  const std::string claims = R"(,"acme.org":{"unit":"x"},"id":12,"tags":["a","","b"])";
  const auto user = Ask(Token(claims + R"(,"roles":"dev,ops","level":3)"))->user;
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "ann@x");
  EXPECT_EQ(user->uid, "12");
  EXPECT_THAT(user->groups, ElementsAre("dev", "ops", "system:authenticated"));
  EXPECT_THAT(user->extra, UnorderedElementsAre(Pair("acme.org/level", ElementsAre("high")),
                                                Pair("acme.org/all", ElementsAre("a", "b"))));
  EXPECT_EQ(Error(Token(claims + R"(,"roles":"dev","level":9)")),
            "oidc: error evaluating claim validation expression: validation expression 'claims.level < 9.0' "
            "failed: too high");
  EXPECT_THAT(Error(Token(claims + R"(,"roles":"root","level":1)")), HasSubstr("failed: no root"));
  EXPECT_THAT(Error(Token(claims)), HasSubstr("oidc: error evaluating group claim expression"));
}

TEST_F(JwtIssuersTest, DistributedGroupsAreFetchedAndVerified) {
  Start();
  const std::string claims =
      R"(,"_claim_names":{"groups":"s"},"_claim_sources":{"s":{"endpoint":"https://login.example/groups","access_token":"a"}})";
  remote_.Set("https://login.example/groups", Token(R"(,"groups":["far"])"));
  EXPECT_THAT(Ask(Token(claims))->user->groups, ElementsAre("g:far", "system:authenticated"));
  const auto fetched = std::ranges::find(remote_.asked, "https://login.example/groups",
                                         &auth::testing::FakeRemote::Asked::url);
  ASSERT_NE(fetched, remote_.asked.end());
  EXPECT_EQ(fetched->headers.Get("authorization"), "Bearer a");
  const auto stranger = pki::TokenKey::Parse(*pki::GenerateRsaKey())->front();
  remote_.Set("https://login.example/groups", Token(R"(,"groups":["system:masters"])", stranger));
  EXPECT_THAT(Error(Token(claims)), HasSubstr("verify distributed claim token"));
  remote_.Set("https://login.example/groups", Token());
  EXPECT_THAT(Error(Token(claims)), HasSubstr("did not contain claim: groups"));
  remote_.Remove("https://login.example/groups");
  EXPECT_THAT(Error(Token(claims)), HasSubstr("while getting distributed claim \"groups\""));
  EXPECT_THAT(Error(Token(R"(,"_claim_names":{"groups":"s"})")), HasSubstr("no claim sources"));
}

TEST_F(JwtIssuersTest, AnotherConfigurationIsTakenOnceItsProvidersAnswer) {
  Start();
  EXPECT_EQ(Ask(Token())->user->name, "login:ann");
  JwtIssuerConfig next = Login();
  next.username.prefix = "next:";
  next.url = "https://next.example";
  const auto replaced = [&] {
    return base::SyncWait(issuers_->Replace({.jwt = {Login(), next}, .anonymous = {}}));
  };
  EXPECT_THAT(replaced().error(), HasSubstr("issuer \"https://next.example\" is not healthy"));
  EXPECT_EQ(Ask(Token())->user->name, "login:ann");
  remote_.Set("https://next.example/.well-known/openid-configuration",
              R"({"issuer":"https://next.example","jwks_uri":"https://next.example/keys"})");
  remote_.Set("https://next.example/keys", KeySetOf(ProviderKey()));
  EXPECT_TRUE(replaced());
  EXPECT_EQ(Ask(*SignJwt(ProviderKey(), R"({"alg":"RS256"})",
                         R"({"iss":"https://next.example","aud":"k8s","exp":1800000000,"sub":"bob"})"))
                ->user->name,
            "next:bob");
  EXPECT_TRUE(base::SyncWait(issuers_->Replace({})));
  EXPECT_FALSE(Ask(Token())->user);
}

// The words of upstream's validation.
TEST(AuthenticationConfigTest, EverythingThatIsWrongIsNamedWithItsPlace) {
  const auto error = [](const JwtIssuerConfig& jwt) {
    const auto rules = CompileAuthenticationConfig({.jwt = {jwt}, .anonymous = {}}, {"https://us"});
    return rules ? std::string("none") : rules.error();
  };
  const auto with = [&](auto change) {
    JwtIssuerConfig jwt = Login();
    change(jwt);
    return error(jwt);
  };
  using Jwt = JwtIssuerConfig;
  EXPECT_EQ(error(Login()), "none");
  EXPECT_EQ(with([](Jwt& j) { j.url = ""; }),
            "invalid authentication configuration: jwt[0].issuer.url: Required value");
  EXPECT_THAT(with([](Jwt& j) { j.url = "http://a"; }), HasSubstr("URL scheme must be https"));
  EXPECT_THAT(with([](Jwt& j) { j.url = "https://u:p@a"; }),
              HasSubstr("must not contain a username or password"));
  EXPECT_THAT(with([](Jwt& j) { j.url = "https://a?b=c"; }), HasSubstr("must not contain a query"));
  EXPECT_THAT(with([](Jwt& j) { j.url = "https://a#b"; }), HasSubstr("must not contain a fragment"));
  EXPECT_THAT(with([](Jwt& j) { j.url = "https://us"; }),
              HasSubstr("URL must not overlap with disallowed issuers: [https://us]"));
  EXPECT_THAT(with([](Jwt& j) { j.discovery_url = "https://login.example/"; }),
              HasSubstr("discoveryURL must be different from URL"));
  EXPECT_THAT(
      with([](Jwt& j) { j.audiences.clear(); }),
      HasSubstr("jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required"));
  EXPECT_THAT(with([](Jwt& j) { j.audiences = {"a", "b"}; }),
              HasSubstr("audienceMatchPolicy must be MatchAny for multiple audiences"));
  EXPECT_THAT(with([](Jwt& j) { j.certificate_authority = "x"; }), HasSubstr("Invalid value: \"<omitted>\""));
  EXPECT_THAT(with([](Jwt& j) { j.username = {}; }),
              HasSubstr("jwt[0].claimMappings.username: Required value: claim or expression is required"));
  EXPECT_THAT(with([](Jwt& j) { j.username.prefix.reset(); }),
              HasSubstr("prefix is required when claim is set"));
  EXPECT_THAT(
      with([](Jwt& j) { j.username = {.expression = "claims."}; }),
      HasSubstr(
          "jwt[0].claimMappings.username.expression: Invalid value: \"claims.\": compilation failed: "));
  EXPECT_THAT(with([](Jwt& j) { j.username = {.expression = "claims.email"}; }),
              HasSubstr("claims.email_verified must be used in"));
  EXPECT_EQ(with([](Jwt& j) { j.username = {.expression = "claims.email_verified ? claims.email : ''"}; }),
            "none");
  EXPECT_THAT(with([](Jwt& j) { j.extra = {{"foo", "'x'"}}; }), HasSubstr("must be a domain-prefixed path"));
  EXPECT_THAT(with([](Jwt& j) { j.extra = {{"a.k8s.io/x", "'x'"}}; }),
              HasSubstr("are reserved for Kubernetes use"));
  EXPECT_THAT(with([](Jwt& j) { j.extra = {{"a.com/X", "'x'"}}; }), HasSubstr("must be lowercase"));
  EXPECT_THAT(with([](Jwt& j) { j.claim_validation_rules = {{.expression = "claims.x"}}; }),
              HasSubstr("must evaluate to bool"));
  EXPECT_THAT(with([](Jwt& j) { j.claim_validation_rules = {{}}; }),
              HasSubstr("claim or expression is required"));
  EXPECT_THAT(with([](Jwt& j) { j.user_validation_rules = {{.expression = "user.nom == ''"}}; }),
              HasSubstr("compilation failed"));
  EXPECT_THAT(CompileAuthenticationConfig({.jwt = {Login(), Login()}, .anonymous = {}}, {}).error(),
              HasSubstr("jwt[1].issuer.url: Duplicate value: \"https://login.example\""));
  EXPECT_THAT(
      CompileAuthenticationConfig({.jwt = {}, .anonymous = AnonymousConfig{.paths = {"/x"}}}, {}).error(),
      HasSubstr("enabled should be set to true when conditions are defined"));
}

TEST(AuthenticationConfigTest, TheFileIsReadStrictly) {
  const auto config = *ParseAuthenticationConfig(R"(
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: https://a
    audiences: [k8s]
    discoveryURL: https://b
  claimMappings:
    username: {claim: sub, prefix: ""}
    uid: {claim: id}
    extra: [{key: a.com/b, valueExpression: claims.b}]
  claimValidationRules: [{claim: hd, requiredValue: x}]
  userValidationRules: [{expression: "true", message: m}]
anonymous:
  enabled: true
  conditions: [{path: /healthz}]
)");
  ASSERT_EQ(config.jwt.size(), 1u);
  EXPECT_EQ(config.jwt[0].url, "https://a");
  EXPECT_EQ(config.jwt[0].username.prefix, "");
  EXPECT_EQ(config.jwt[0].uid.claim, "id");
  EXPECT_EQ(config.jwt[0].extra[0].key, "a.com/b");
  EXPECT_THAT(config.anonymous->paths, ElementsAre("/healthz"));
  const auto error = [](std::string_view text) { return ParseAuthenticationConfig(text).error(); };
  const std::string head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
  EXPECT_EQ(error(head + "jwt: [{issuer: {uri: x}}]"),
            "strict decoding error: unknown field \"jwt[0].issuer.uri\"");
  EXPECT_THAT(error("apiVersion: v1\nkind: Config"), HasSubstr("no kind \"Config\" is registered"));
}

}  // namespace
}  // namespace keelson::auth
