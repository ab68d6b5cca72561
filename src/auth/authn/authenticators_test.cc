#include "auth/authn/authenticators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "base/sync_wait.h"
#include "net/http/message.h"

namespace keelson::auth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct TestRequest : net::http::Request {
  TestRequest() { connection = info; }
  TestRequest& WithHeader(std::string_view name, std::string_view value) {
    headers.Add(name, value);
    return *this;
  }
  TestRequest& WithCertificate(std::string cn, std::vector<std::string> organizations) {
    info->peer_certificate = std::make_shared<net::http::PeerCertificate>(net::http::PeerCertificate{
        .common_name = std::move(cn), .organizations = std::move(organizations), .sha256 = "ab12"});
    return *this;
  }
  TestRequest& FromProxy(std::string cn) {
    info->proxy_certificate = std::make_shared<net::http::PeerCertificate>(
        net::http::PeerCertificate{.common_name = std::move(cn), .sha256 = "ab12"});
    return *this;
  }
  std::shared_ptr<net::http::ConnectionInfo> info = std::make_shared<net::http::ConnectionInfo>();
};

Authenticator::Outcome Ask(Authenticator& authenticator, const TestRequest& request) {
  Remarks remarks;
  return base::SyncWait(authenticator.Authenticate(request, remarks));
}

// The bearer tokens of a file.
class Tokens final : public Authenticator {
 public:
  explicit Tokens(std::string_view csv) : tokens_(*ParseStaticTokens(csv, "tokens.csv", {"us"})) {}
  base::Task<Outcome> Authenticate(const net::http::Request& request, Remarks& remarks) override {
    return bearer_->Authenticate(request, remarks);
  }

 private:
  std::unique_ptr<TokenAuthenticator> tokens_;
  std::unique_ptr<Authenticator> bearer_ = BearerTokens(*tokens_, {"us"});
};

std::unique_ptr<Authenticator> Everything(std::string_view csv, bool anonymous) {
  std::vector<std::unique_ptr<Authenticator>> parts;
  parts.push_back(ClientCertificates());
  parts.push_back(std::make_unique<Tokens>(csv));
  return Union(std::move(parts), anonymous ? Anonymous() : nullptr);
}

TEST(ClientCertificatesTest, CommonNameIsTheUserAndOrganizationsAreTheGroups) {
  const auto authenticator = ClientCertificates();
  const auto user = Ask(*authenticator, TestRequest().WithCertificate("ann", {"dev", "ops"})).value();
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "ann");
  EXPECT_THAT(user->groups, ElementsAre("dev", "ops", "system:authenticated"));
  EXPECT_THAT(user->extra.at("authentication.kubernetes.io/credential-id"), ElementsAre("X509SHA256=ab12"));
}

TEST(ClientCertificatesTest, RequestsOfOneConnectionShareTheUser) {
  const auto authenticator = ClientCertificates();
  TestRequest request;
  request.WithCertificate("ann", {});
  EXPECT_EQ(Ask(*authenticator, request).value(), Ask(*authenticator, request).value());
  TestRequest other;
  other.WithCertificate("bob", {});
  EXPECT_EQ(Ask(*authenticator, other).value()->name, "bob");
}

TEST(ClientCertificatesTest, WithoutCertificateOrNameThereIsNoUser) {
  const auto authenticator = ClientCertificates();
  EXPECT_EQ(Ask(*authenticator, TestRequest()).value(), nullptr);
  EXPECT_EQ(Ask(*authenticator, TestRequest().WithCertificate("", {"system:masters"})).value(), nullptr);
}

TEST(ClientCertificatesTest, ACertificateThatDidNotVerifyIsAnError) {
  const auto authenticator = ClientCertificates();
  TestRequest request;
  request.info->peer_certificate_error = "unknown authority";
  EXPECT_THAT(Ask(*authenticator, request).error(), HasSubstr("unknown authority"));
}

// HTTP/2 connections stay open for days.
TEST(ClientCertificatesTest, ACertificateThatExpiresWhileItsConnectionIsOpenCountsNoLonger) {
  const auto authenticator = ClientCertificates();
  TestRequest request;
  request.WithCertificate("ann", {});
  auto expiring = std::make_shared<net::http::PeerCertificate>(*request.info->peer_certificate);
  expiring->not_after = std::time(nullptr) + 3600;
  request.info->peer_certificate = expiring;
  EXPECT_TRUE(Ask(*authenticator, request).value());
  expiring->not_after = std::time(nullptr) - 1;
  EXPECT_THAT(Ask(*authenticator, request).error(), HasSubstr("certificate has expired"));
}

const FrontProxyHeaders kProxyHeaders{.user = {"x-user", "x-remote-user"},
                                      .uid = {"x-remote-uid"},
                                      .group = {"x-remote-group", "x-team"},
                                      .extra_prefixes = {"x-remote-extra-", "x-more-"}};

TEST(FrontProxiesTest, AProxySaysWhomItHasAuthenticated) {
  const auto authenticator = FrontProxies(kProxyHeaders, {"front"});
  TestRequest request;
  request.FromProxy("front").WithHeader("x-remote-user", "ann").WithHeader("x-remote-uid", "u1");
  request.WithHeader("x-team", "ops").WithHeader("x-remote-group", "dev").WithHeader("x-remote-group", "");
  request.WithHeader("x-remote-extra-acme.com%2fproject", "p1").WithHeader("x-remote-extra-bad%zz", "v");
  request.WithHeader("x-remote-extra-scopes", "a").WithHeader("x-more-scopes", "b");
  const auto user = Ask(*authenticator, request).value();
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "ann");
  EXPECT_EQ(user->uid, "u1");
  EXPECT_THAT(user->groups, ElementsAre("dev", "ops", "system:authenticated"));
  EXPECT_THAT(user->extra.at("acme.com/project"), ElementsAre("p1"));
  EXPECT_THAT(user->extra.at("bad%zz"), ElementsAre("v"));
  EXPECT_THAT(user->extra.at("scopes"), ElementsAre("a", "b"));
  EXPECT_EQ(user->extra.size(), 3u);
}

TEST(FrontProxiesTest, TheFirstHeaderWithAValueNamesTheUser) {
  const auto authenticator = FrontProxies(kProxyHeaders, {});
  TestRequest request;
  request.FromProxy("any").WithHeader("x-remote-user", "ann").WithHeader("x-user", "");
  EXPECT_EQ(Ask(*authenticator, request).value()->name, "ann");
  EXPECT_EQ(Ask(*authenticator, request.WithHeader("x-user", "bob")).value()->name, "ann")
      << "the first field of that name is empty";
}

TEST(FrontProxiesTest, OnlyAVerifiedProxyOfAnAllowedNameIsBelieved) {
  const auto authenticator = FrontProxies(kProxyHeaders, {"front"});
  const auto named = [] { return TestRequest().WithHeader("x-remote-user", "ann"); };
  EXPECT_EQ(Ask(*authenticator, named()).value(), nullptr);
  EXPECT_EQ(Ask(*authenticator, named().WithCertificate("front", {})).value(), nullptr)
      << "the authorities of clients do not vouch for proxies";
  EXPECT_EQ(Ask(*authenticator, named().FromProxy("mallory")).error(),
            "x509: subject with cn=mallory is not in the allowed list");
  TestRequest bad = named();
  bad.info->proxy_certificate_error = "certificate has expired";
  EXPECT_EQ(Ask(*authenticator, bad).error(), "x509: certificate has expired");
}

TEST(FrontProxiesTest, AProxyThatNamesNobodySpeaksForItself) {
  std::vector<std::unique_ptr<Authenticator>> parts;
  parts.push_back(FrontProxies(kProxyHeaders, {}));
  parts.push_back(ClientCertificates());
  const auto both = Union(std::move(parts), Anonymous());
  TestRequest request;
  request.FromProxy("front").WithCertificate("front", {}).WithHeader("x-remote-group", "system:masters");
  const auto user = Ask(*both, request).value();
  EXPECT_EQ(user->name, "front");
  EXPECT_THAT(user->groups, ElementsAre("system:authenticated"));
}

TEST(FrontProxiesTest, TheHeadersOfProxiesAreKnown) {
  for (const char* header : {"x-user", "x-remote-uid", "x-team", "x-more-", "x-remote-extra-a"})
    EXPECT_TRUE(kProxyHeaders.Has(header)) << header;
  for (const char* header : {"x-users", "x-mor", "accept", ""}) EXPECT_FALSE(kProxyHeaders.Has(header));
}

TEST(AnonymousTest, PathsAreExact) {
  const auto anonymous = Anonymous({"/healthz", "/livez"});
  const auto known = [&](std::string path) {
    TestRequest request;
    request.path = std::move(path);
    return Ask(*anonymous, request).value() != nullptr;
  };
  EXPECT_TRUE(known("/healthz"));
  EXPECT_TRUE(known("/live%7a"));
  for (const char* path : {"/healthz/", "/healthz/ping", "/", "", "/HEALTHZ", "/healthz%2f..%2fapi", "/%zz"})
    EXPECT_FALSE(known(path)) << path;
}

TEST(StaticTokensTest, TheTokenNamesTheUser) {
  const auto tokens = std::make_unique<Tokens>("t1,ann,7\nt2,bob,8,\"dev,ops\"\n");
  const auto ann = Ask(*tokens, TestRequest().WithHeader("authorization", "Bearer t1")).value();
  ASSERT_TRUE(ann);
  EXPECT_EQ(ann->name, "ann");
  EXPECT_EQ(ann->uid, "7");
  EXPECT_THAT(ann->groups, ElementsAre("system:authenticated"));
  const auto bob = Ask(*tokens, TestRequest().WithHeader("authorization", "  bearer t2 rest")).value();
  ASSERT_TRUE(bob);
  EXPECT_THAT(bob->groups, ElementsAre("dev", "ops", "system:authenticated"));
}

TEST(StaticTokensTest, OtherTokensAreErrorsAndOtherSchemesAreIgnored) {
  const auto tokens = std::make_unique<Tokens>("t1,ann,7");
  EXPECT_EQ(Ask(*tokens, TestRequest().WithHeader("authorization", "Bearer t")).error(),
            "invalid bearer token");
  EXPECT_EQ(Ask(*tokens, TestRequest().WithHeader("authorization", "Bearer t11")).error(),
            "invalid bearer token");
  EXPECT_EQ(Ask(*tokens, TestRequest().WithHeader("authorization", "Basic t1")).value(), nullptr);
  EXPECT_EQ(Ask(*tokens, TestRequest().WithHeader("authorization", "Bearer ")).value(), nullptr);
  EXPECT_EQ(Ask(*tokens, TestRequest().WithHeader("authorization", "Bearer  t1")).value(), nullptr);
  EXPECT_EQ(Ask(*tokens, TestRequest()).value(), nullptr);
}

TEST(StaticTokensTest, QuotedFieldsMayHoldQuotesCommasAndLineBreaks) {
  const auto tokens = std::make_unique<Tokens>("\r\n\"t\"\"1\",\"a,b\r\nc\",7,\r\nt2,bob,8\r\n");
  ASSERT_TRUE(tokens);
  const auto odd = Ask(*tokens, TestRequest().WithHeader("authorization", "Bearer t\"1")).value();
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->name, "a,b\r\nc");
  EXPECT_TRUE(Ask(*tokens, TestRequest().WithHeader("authorization", "Bearer t2")).value());
}

TEST(StaticTokensTest, BadFilesAreRefusedWithTheLine) {
  const auto error = [](std::string_view csv) { return ParseStaticTokens(csv, "f", {}).error(); };
  EXPECT_EQ(error("t1,ann,1\nt2,bob\n"),
            "token file 'f' must have at least 3 columns (token, user name, user uid), found 2 on line 2");
  EXPECT_EQ(error("a\"b,c,d"), "token file 'f': line 1: bare \" in non-quoted field");
  EXPECT_EQ(error("\n\"ab,c,d"), "token file 'f': line 2: quoted field has no end");
  EXPECT_EQ(error("\"ab\"x,c,d"), "token file 'f': line 1: extraneous or missing \" in quoted field");
  EXPECT_THAT(StaticTokens("/nonexistent/tokens", {}).error(), HasSubstr("/nonexistent/tokens"));
}

TEST(StaticTokensTest, OfDuplicateTokensTheLastCounts) {
  const auto tokens = std::make_unique<Tokens>("t,ann,1\n,nobody,0\nt,bob,2\n");
  EXPECT_EQ(Ask(*tokens, TestRequest().WithHeader("authorization", "Bearer t")).value()->name, "bob");
}

TEST(UnionTest, WithoutCredentialsTheUserIsAnonymous) {
  const auto user = Ask(*Everything("t,ann,1", true), TestRequest()).value();
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "system:anonymous");
  EXPECT_THAT(user->groups, ElementsAre("system:unauthenticated"));
  EXPECT_EQ(Ask(*Everything("t,ann,1", false), TestRequest()).value(), nullptr);
}

TEST(UnionTest, WrongCredentialsAreNeverAnonymous) {
  EXPECT_FALSE(Ask(*Everything("t,ann,1", true), TestRequest().WithHeader("authorization", "Bearer x")));
}

TEST(UnionTest, AGoodTokenHelpsABadCertificate) {
  TestRequest request;
  request.info->peer_certificate_error = "expired";
  request.WithHeader("authorization", "Bearer t");
  EXPECT_EQ(Ask(*Everything("t,ann,1", true), request).value()->name, "ann");
}

// "t1" in a subprotocol.
constexpr std::string_view kInProtocol = "base64url.bearer.authorization.k8s.io.dDE";

class WebSocketTokensTest : public ::testing::Test {
 protected:
  Authenticator::Outcome Offer(std::string_view protocols) {
    return Ask(*authenticator_, TestRequest()
                                    .WithHeader("connection", "Upgrade")
                                    .WithHeader("upgrade", "websocket")
                                    .WithHeader("sec-websocket-protocol", protocols));
  }
  static std::string With(std::string_view more) { return std::string(kInProtocol).append(more); }

  const std::unique_ptr<TokenAuthenticator> tokens_ = *ParseStaticTokens("t1,ann,7", "tokens.csv", {"us"});
  const std::unique_ptr<Authenticator> authenticator_ = WebSocketTokens(*tokens_, {"us"});
};

TEST_F(WebSocketTokensTest, TheTokenIsAmongTheSubprotocols) {
  const auto user = Offer("x, " + With(", y")).value();
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "ann");
  EXPECT_EQ(Offer("x").value(), nullptr);
  EXPECT_EQ(Ask(*authenticator_, TestRequest().WithHeader("sec-websocket-protocol", With(", x"))).value(),
            nullptr);
}

TEST_F(WebSocketTokensTest, MistakesAreErrors) {
  EXPECT_EQ(Offer(With("")).error(), "missing additional subprotocol");
  EXPECT_EQ(Offer(With(", x, ") + With("")).error(), "multiple base64.bearer.authorization tokens specified");
  EXPECT_EQ(Offer(With("!, x")).error(), "invalid base64.bearer.authorization token encoding");
  EXPECT_EQ(Offer("base64url.bearer.authorization.k8s.io._w, x").error(),
            "invalid base64.bearer.authorization token");
  EXPECT_EQ(Offer(With("x, x")).error(), "invalid bearer token");
}

TEST_F(WebSocketTokensTest, TheTokenCanBeTakenOut) {
  const auto left = [](std::vector<std::string> protocols) {
    net::http::Headers headers;
    for (const auto& p : protocols) headers.Add("sec-websocket-protocol", p);
    RemoveTokenProtocol(headers);
    return headers.Joined("sec-websocket-protocol");
  };
  EXPECT_EQ(left({"x," + With(",y")}), "x, y");
  EXPECT_EQ(left({"x", With(""), "y"}), "x, y");
  EXPECT_EQ(left({With("")}), "");
  EXPECT_EQ(left({"x,y"}), "x,y");
}

}  // namespace
}  // namespace keelson::auth
