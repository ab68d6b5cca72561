// TLS as a client sees it over a real connection.
#include <gtest/gtest.h>

#include "net/testing/server_fixture.h"

namespace keelson::net {
namespace {

using namespace std::chrono_literals;
using TlsTest = testing::ServerTest;
using testing::Subject;

TEST_F(TlsTest, AClientCertificateNamesTheClient) {
  StartServer();
  const auto tls =
      WithCertificate(Subject{.common_name = "jane", .organizations = {"dev", "ops"}, .uid = "u-1"});
  EXPECT_EQ(Http1(tls)->Do("GET", "/who")->body, "jane dev ops u-1|");
  EXPECT_EQ(Http2({}, tls)->Do("GET", "/who")->body, "jane dev ops u-1|");
}

TEST_F(TlsTest, NoClientCertificateIsFine) {
  StartServer();
  EXPECT_EQ(Http1()->Do("GET", "/who")->body, "nobody|");
}

TEST_F(TlsTest, ACertificateOfAnotherCaIsReportedAndNotTrusted) {
  StartServer();
  const auto other = testing::MakeCa("other-ca");
  EXPECT_EQ(Http1(WithCertificate(Subject{.common_name = "mallory"}, &other))->Do("GET", "/who")->body,
            "nobody|unable to get local issuer certificate");
}

TEST_F(TlsTest, AnExpiredCertificateIsReportedAndNotTrusted) {
  StartServer();
  EXPECT_EQ(Http1(WithCertificate(Subject{.common_name = "jane", .expired = true}))->Do("GET", "/who")->body,
            "nobody|certificate has expired");
}

TEST_F(TlsTest, AServersCertificateIsNotAClients) {
  StartServer();
  const auto body =
      Http1(WithCertificate(Subject{.common_name = "server", .server = true}))->Do("GET", "/who")->body;
  EXPECT_TRUE(body.starts_with("nobody|unsuitable certificate purpose")) << body;
}

TEST_F(TlsTest, ACertificateForAnyUsageIsAClientsToo) {
  StartServer();
  EXPECT_EQ(
      Http1(WithCertificate(Subject{.common_name = "jane", .any_usage = true}))->Do("GET", "/who")->body,
      "jane |");
}

TEST_F(TlsTest, CertificatesAreNotAskedForWithoutAClientCa) {
  config.tls.client_ca_pem.clear();
  StartServer();
  EXPECT_EQ(Http1(WithCertificate(Subject{.common_name = "jane"}))->Do("GET", "/who")->body, "nobody|");
}

TEST_F(TlsTest, FrontProxiesHaveAuthoritiesOfTheirOwn) {
  const auto proxies = testing::MakeCa("proxy-ca");
  config.tls.proxy_ca_pem = proxies.certificate_pem;
  StartServer();
  const auto who = [&](const testing::TlsOptions& tls) { return Http1(tls)->Do("GET", "/who")->body; };
  EXPECT_EQ(who(WithCertificate(Subject{.common_name = "front"}, &proxies)),
            "nobody|unable to get local issuer certificate|proxy front");
  EXPECT_EQ(who(WithCertificate(Subject{.common_name = "jane"})),
            "jane ||self-signed certificate in certificate chain");
  EXPECT_EQ(who({}), "nobody|");
  const auto other = testing::MakeCa("other-ca");
  EXPECT_EQ(who(WithCertificate(Subject{.common_name = "mallory"}, &other)),
            "nobody|unable to get local issuer certificate|unable to get local issuer certificate");
  EXPECT_EQ(who(WithCertificate(Subject{.common_name = "front", .expired = true}, &proxies)),
            "nobody|unable to get local issuer certificate|certificate has expired");
}

TEST_F(TlsTest, OneAuthorityMayVouchForClientsAndProxies) {
  config.tls.proxy_ca_pem = ca.certificate_pem;
  StartServer();
  EXPECT_EQ(Http1(WithCertificate(Subject{.common_name = "both"}))->Do("GET", "/who")->body,
            "both ||proxy both");
}

// Connects again and again, each time with the session that the time before brought: what /who said each
// time, and whether every connection but the first was resumed.
struct ResumptionsSeen {
  std::vector<std::string> bodies;
  bool all_resumed = true;
};
class TlsResumptionTest : public TlsTest {
 protected:
  ResumptionsSeen Resume(testing::TlsOptions tls, int times) {
    ResumptionsSeen seen;
    for (int i = 0; i <= times; ++i) {
      const auto client = Http1(tls);
      if (!client) return seen;
      const auto answer = client->Do("GET", "/who");
      seen.bodies.push_back(answer ? answer->body : answer.error());
      if (i > 0) seen.all_resumed = seen.all_resumed && client->socket().resumed();
      tls.session = client->socket().session();
    }
    return seen;
  }
  static std::vector<std::string> Always(const std::string& body) { return {body, body, body, body}; }
};

TEST_F(TlsResumptionTest, AResumedSessionBringsBothVerdictsOfItsFirstHandshake) {
  const auto proxies = testing::MakeCa("proxy-ca"), others = testing::MakeCa("other-ca");
  config.tls.proxy_ca_pem = proxies.certificate_pem;
  StartServer();
  const struct {
    const char* name;
    const testing::KeyPair* ca;
    std::string who;
  } cases[] = {
      {"front", &proxies, "nobody|unable to get local issuer certificate|proxy front"},
      {"jane", nullptr, "jane ||self-signed certificate in certificate chain"},
      {"mallory", &others,
       "nobody|unable to get local issuer certificate|unable to get local issuer certificate"},
  };
  for (const bool tls12 : {false, true}) {
    for (const auto& [name, ca, who] : cases) {
      auto tls = WithCertificate(Subject{.common_name = name}, ca);
      tls.at_most_tls12 = tls12;
      const ResumptionsSeen seen = Resume(tls, 3);
      EXPECT_EQ(seen.bodies, Always(who));
      EXPECT_TRUE(seen.all_resumed) << name << (tls12 ? " 1.2" : " 1.3");
    }
  }
}

TEST_F(TlsResumptionTest, ASessionWithoutACertificateStaysWithoutOne) {
  config.tls.proxy_ca_pem = testing::MakeCa("proxy-ca").certificate_pem;
  StartServer();
  // The certificate that the client has by now is not asked for in a resumed handshake.
  const auto anonymous = Http1();
  ASSERT_TRUE(anonymous);
  EXPECT_EQ(anonymous->Do("GET", "/who")->body, "nobody|");
  auto tls = WithCertificate(Subject{.common_name = "jane"});
  tls.session = anonymous->socket().session();
  const auto again = Http1(tls);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->Do("GET", "/who")->body, "nobody|");
  EXPECT_TRUE(again->socket().resumed());
}

TEST_F(TlsResumptionTest, ASessionOfAnotherServerIsNotTakenUp) {
  const auto proxies = testing::MakeCa("proxy-ca");
  config.tls.proxy_ca_pem = proxies.certificate_pem;
  StartServer();
  auto tls = WithCertificate(Subject{.common_name = "front"}, &proxies);
  const auto first = Http1(tls);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->Do("GET", "/who")->status, 200);
  tls.session = first->socket().session();
  // After a restart another authority vouches for proxies: the verdict of before must not count.
  server->Shutdown(0ms);
  server.reset();
  config.tls.proxy_ca_pem = testing::MakeCa("next-proxy-ca").certificate_pem;
  StartServer();
  const auto again = Http1(tls);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->Do("GET", "/who")->body,
            "nobody|unable to get local issuer certificate|unable to get local issuer certificate");
  EXPECT_FALSE(again->socket().resumed());
}

TEST_F(TlsTest, TheChainIsSentAsConfigured) {
  const auto sent = [this] {
    StartServer();
    auto socket = testing::TlsSocket::Connect("127.0.0.1", server->port(), Trusting({}));
    return socket ? (*socket)->peer_certificates() : -1;
  };
  // The issuer is known as the client CA, and is not looked for there.
  EXPECT_EQ(sent(), 1);
  server.reset();
  config.tls.certificate_chain_pem += ca.certificate_pem;
  EXPECT_EQ(sent(), 2);
}

TEST_F(TlsTest, PlainHttpIsToldSo) {
  StartServer();
  testing::RawSocket raw(server->port());
  raw.Write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(raw.ReadToEnd(5s),
            "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
}

TEST_F(TlsTest, GarbageInsteadOfAHandshakeClosesTheConnection) {
  StartServer();
  testing::RawSocket raw(server->port());
  raw.Write(std::string(1000, '\x16'));
  raw.ReadToEnd(5s);
  EXPECT_TRUE(raw.ended());
  EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
}

TEST_F(TlsTest, BadConfigurationIsNamed) {
  auto error = [&](auto change) {
    ServerConfig bad = config;
    change(bad.tls);
    auto created = Server::Create(bad, handler, metrics);
    return created ? "" : created.error();
  };
  EXPECT_TRUE(
      error([](TlsConfig& t) { t.certificate_chain_pem = "x"; }).starts_with("serving certificate: "));
  EXPECT_TRUE(error([](TlsConfig& t) { t.private_key_pem = "x"; }).starts_with("private key: "));
  EXPECT_TRUE(error([&](TlsConfig& t) { t.private_key_pem = ca.key_pem; }).starts_with("private key: "));
  EXPECT_TRUE(error([](TlsConfig& t) { t.client_ca_pem = "x"; }).starts_with("client CA: "));
  EXPECT_TRUE(error([](TlsConfig& t) { t.proxy_ca_pem = "x"; }).starts_with("front proxy CA: "));
  EXPECT_EQ(error([](TlsConfig& t) { t.min_version = "VersionTLS9"; }),
            "unknown tls version \"VersionTLS9\"");
  EXPECT_EQ(error([](TlsConfig& t) { t.cipher_suites = {"TLS_NONE"}; }),
            "Cipher suite TLS_NONE not supported or doesn't exist");
}

TEST_F(TlsTest, ConnectionsAfterAReloadAreMadeWithTheNewConfiguration) {
  StartServer();
  const auto other = testing::MakeCa("other-ca");
  const auto of_old = WithCertificate(Subject{.common_name = "jane"});
  const auto of_new = WithCertificate(Subject{.common_name = "joe"}, &other);
  EXPECT_EQ(Http1(of_old)->Do("GET", "/who")->body, "jane |");

  TlsConfig changed = config.tls;
  changed.private_key_pem = other.key_pem;
  EXPECT_FALSE(server->ReloadTls(changed));
  EXPECT_EQ(Http1(of_old)->Do("GET", "/who")->body, "jane |") << "what was in use stays";

  changed = config.tls;
  changed.client_ca_pem = other.certificate_pem;
  ASSERT_TRUE(server->ReloadTls(changed));
  EXPECT_EQ(Http1(of_new)->Do("GET", "/who")->body, "joe |");
  EXPECT_TRUE(Http1(of_old)->Do("GET", "/who")->body.starts_with("nobody|"));
}

TEST_F(TlsTest, CurvesAndProtocolsAreThoseConfigured) {
  config.tls.curves = {24};
  config.tls.http2 = false;
  StartServer();
  EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
  EXPECT_FALSE(testing::TlsSocket::Connect("127.0.0.1", server->port(), Trusting({.alpn = "h2"})));
  ServerConfig bad = config;
  bad.tls.curves = {1};
  EXPECT_EQ(Server::Create(bad, handler, metrics).error(),
            "curve preference 1 is not supported: 23, 24, 25 or 29");
}

TEST_F(TlsTest, CipherSuitesAreTakenByTheirIanaNames) {
  config.tls.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                              "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "TLS_AES_256_GCM_SHA384"};
  config.tls.min_version = "VersionTLS13";
  StartServer();
  EXPECT_EQ(Http1()->Do("GET", "/hello")->status, 200);
}

}  // namespace
}  // namespace keelson::net
