#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "auth/pki/certificate.h"
#include "base/sync_wait.h"
#include "base/version.h"
#include "net/server.h"
#include "server/filters/request_log.h"
#include "server/routes/health.h"
#include "server/routes/index.h"
#include "server/routes/metrics.h"
#include "server/routes/openid.h"
#include "server/routes/version.h"
#include "server/testing/requests.h"

namespace keelson::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RoutesTest : public ::testing::Test {
 protected:
  struct Reply {
    int status;
    std::string type, body;
  };
  Reply Get(std::string_view target, std::string method = "GET") {
    net::http::Request request = testing::MakeRequest(std::move(method), target);
    IncomingRequestPtr x(new IncomingRequest(request, {}));
    x->info.path = x->request.path;
    net::http::Response response = base::SyncWait(router_.Route(*x));
    return {response.status, std::string(response.headers.Get("content-type").value_or("")),
            testing::ReadBody(response)};
  }
  Router router_;
};

class HealthTest : public RoutesTest {
 protected:
  HealthTest() {
    checks_.Add("ping", HealthChecks::Scope::kAlways, [] { return base::Result<void, std::string>(); });
    checks_.Add("ready", HealthChecks::Scope::kReadiness, [this]() -> base::Result<void, std::string> {
      if (ready_) return {};
      return base::Err(std::string("secret reason"));
    });
    checks_.Install(router_);
  }
  bool ready_ = true;
  base::Metrics slis_;
  HealthChecks checks_{slis_};
};

TEST_F(HealthTest, AllIsWell) {
  for (const char* page : {"/healthz", "/livez", "/readyz"}) {
    const Reply reply = Get(page);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.type, "text/plain; charset=utf-8");
    EXPECT_EQ(reply.body, "ok");
  }
  EXPECT_EQ(Get("/readyz?verbose").body, "[+]ping ok\n[+]ready ok\nreadyz check passed\n");
  EXPECT_EQ(Get("/livez?verbose=1").body, "[+]ping ok\nlivez check passed\n");
}

TEST_F(HealthTest, AFailedCheckIsNamedButNotExplained) {
  ready_ = false;
  EXPECT_EQ(Get("/livez").status, 200) << "readiness is no part of liveness";
  const Reply reply = Get("/readyz");
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.body, "[+]ping ok\n[-]ready failed: reason withheld\nreadyz check failed\n");
  EXPECT_EQ(Get("/readyz/ready").body, "internal server error: secret reason\n");
  EXPECT_EQ(Get("/readyz/ping").body, "ok");
  EXPECT_EQ(Get("/livez/ready").status, 404);
}

TEST_F(HealthTest, ProbesThatFailAreLoggedOnceAndNotEach) {
  ready_ = false;
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) {
    net::http::Request request = testing::MakeRequest("GET", i % 2 == 0 ? "/readyz" : "/readyz/ready");
    IncomingRequestPtr x(new IncomingRequest(request, {}));
    x->info.path = x->request.path;
    const net::http::Response response = base::SyncWait(router_.Route(*x));
    EXPECT_EQ(response.status, 500);
    LogFinished(*x, response.status, {});
  }
  ready_ = true;
  Get("/readyz");
  Get("/readyz");
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(log, '\n'), 2) << log;
  EXPECT_THAT(log, HasSubstr("INFO  health check fails check=ready why=\"secret reason\""));
  EXPECT_THAT(log, HasSubstr("INFO  health check passes again check=ready"));
}

TEST_F(HealthTest, WhatPagesFindIsCounted) {
  Get("/readyz");
  ready_ = false;
  Get("/readyz?exclude=ping");
  const std::string text = slis_.Render();
  EXPECT_THAT(text, HasSubstr(R"(kubernetes_healthcheck{name="ready",type="readyz"} 0)"));
  EXPECT_THAT(text,
              HasSubstr(R"(kubernetes_healthchecks_total{name="ready",status="error",type="readyz"} 1)"));
  EXPECT_THAT(text,
              HasSubstr(R"(kubernetes_healthchecks_total{name="ready",status="success",type="readyz"} 1)"));
  EXPECT_THAT(text,
              HasSubstr(R"(kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 1)"));
}

TEST_F(HealthTest, ChecksCanBeExcludedByTheirGroup) {
  checks_.Add(
      "etcd-override-0", HealthChecks::Scope::kAlways, [] { return base::Result<void, std::string>(); },
      "etcd");
  checks_.Install(router_);
  EXPECT_THAT(Get("/livez?verbose&exclude=etcd").body,
              HasSubstr("[+]etcd-override-0 excluded with etcd: ok\n"));
}

TEST_F(HealthTest, ChecksCanBeExcluded) {
  ready_ = false;
  EXPECT_EQ(Get("/readyz?exclude=ready").body, "ok");
  EXPECT_EQ(Get("/readyz?exclude=ready&exclude=zz&verbose").body,
            "[+]ping ok\n[+]ready excluded: ok\n"
            "warn: some health checks cannot be excluded: no matches for \"zz\"\nreadyz check passed\n");
}

TEST_F(RoutesTest, VersionIsASemanticVersionOfKubernetes) {
  InstallVersion(router_);
  const Reply reply = Get("/version");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.type, "application/json");
  EXPECT_THAT(reply.body, HasSubstr("\"major\": \"1\",\n  \"minor\": \"36\","));
  EXPECT_THAT(reply.body, HasSubstr("\"gitVersion\": \"v" KEELSON_KUBERNETES_VERSION "+keelson-"));
  EXPECT_EQ(Get("/version/").status, 200);
  EXPECT_EQ(Get("/version", "POST").status, 405);
}

TEST_F(RoutesTest, OthersCanCheckServiceAccountTokens) {
  const auto key = auth::pki::TokenKey::Parse(*auth::pki::GenerateKey())->front();
  InstallOpenId(router_,
                {.issuer = "https://us", .keys = {key}, .server_url = [] { return "https://host:6443"; }});
  const Reply configuration = Get("/.well-known/openid-configuration");
  EXPECT_EQ(configuration.type, "application/json");
  EXPECT_EQ(configuration.body,
            R"({"issuer":"https://us","jwks_uri":"https://host:6443/openid/v1/jwks",)"
            R"("response_types_supported":["id_token"],"subject_types_supported":["public"],)"
            R"("id_token_signing_alg_values_supported":["ES256"]})");
  const Reply keys = Get("/openid/v1/jwks");
  EXPECT_EQ(keys.type, "application/jwk-set+json");
  EXPECT_EQ(keys.body, "{\"keys\":[" + key.Jwk() + "]}");
}

TEST_F(RoutesTest, IndexListsThePaths) {
  InstallVersion(router_);
  InstallIndex(router_);
  router_.AddListed("/api");
  EXPECT_EQ(Get("/").body, "{\n  \"paths\": [\n    \"/api\",\n    \"/version\"\n  ]\n}");
}

TEST_F(RoutesTest, GoroutinesAreThreadsAndConnections) {
  base::Metrics metrics;
  AddProcessMetrics(metrics);
  const auto value = [&](std::string_view name) {
    const std::string text = metrics.Render(), line = "\n" + std::string(name) + " ";
    const size_t at = text.find(line);
    return at == text.npos ? -1 : std::stod(text.substr(at + line.size()));
  };
  EXPECT_GE(value("go_threads"), 1);
  EXPECT_EQ(value("go_goroutines"), value("go_threads"));
  net::OpenConnections(metrics).Add(3);
  EXPECT_EQ(value("go_goroutines"), value("go_threads") + 3);
}

TEST_F(RoutesTest, MetricsAreRendered) {
  base::Metrics metrics;
  AddProcessMetrics(metrics);
  base::Metrics slis;
  slis.GetGauge("b", "h").Set(2);
  InstallMetrics(router_, metrics, slis);
  const Reply reply = Get("/metrics");
  EXPECT_THAT(reply.type, StartsWith("text/plain; version=0.0.4"));
  EXPECT_THAT(reply.body, HasSubstr("process_resident_memory_bytes "));
  EXPECT_THAT(reply.body, Not(HasSubstr("process_resident_memory_bytes 0\n")));
}

}  // namespace
}  // namespace keelson::server
