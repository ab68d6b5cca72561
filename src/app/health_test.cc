#include "app/health.h"

#include <gtest/gtest.h>

#include "base/sync_wait.h"
#include "endpoints/request_info.h"
#include "server/testing/requests.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/forwarding_backend.h"

namespace keelson::app {
namespace {

class AppHealthTest : public ::testing::Test {
 protected:
  void Install(bool key_services) {
    HealthSources sources{.backend = [this] { return loaded_; },
                          .shutting_down = [this] { return shutting_down_; },
                          .started = [this](StartStep step) { return progress_.Has(step); },
                          .registered = [this] { return registered_; },
                          .flow_control = flow_control_,
                          .proxy_certificate = proxy_certificate_,
                          .encryption_reload = encryption_reload_};
    if (override_) sources.overrides.emplace_back([this] { return override_; });
    if (key_services) sources.key_services = [this] { return key_services_; };
    AddHealthChecks(std::move(sources), health_);
    health_.Install(router_);
  }
  void Load() {
    loaded_ = backend_.get();
    progress_.Reach(StartStep::kControllers);
  }
  int Status(std::string_view path) {
    net::http::Request request = server::testing::MakeRequest("GET", path);
    server::IncomingRequestPtr incoming(new server::IncomingRequest(request, {}));
    incoming->info.path = path;
    return base::SyncWait(router_.Route(*incoming)).status;
  }

  const std::unique_ptr<storage::Backend> backend_ = storage::OpenMemoryBackend();
  const storage::Backend* loaded_ = nullptr;
  const storage::Backend* override_ = nullptr;
  bool shutting_down_ = false;
  base::Result<void, std::string> key_services_;
  StartProgress progress_;
  bool registered_ = true, flow_control_ = true, proxy_certificate_ = false, encryption_reload_ = false;
  // Stands still until it is moved.
  struct ManualClock final : base::Clock {
    WallTime Now() const override { return {}; }
    SteadyTime SteadyNow() const override { return now; }
    SteadyTime now;
  } clock_;
  base::Metrics slis_;
  server::HealthChecks health_{slis_, clock_};
  server::Router router_;
};

TEST_F(AppHealthTest, AServerIsAliveBeforeItsStoreIsLoadedAndReadyAfterwards) {
  Install(/*key_services=*/false);
  EXPECT_EQ(Status("/livez"), 200);
  EXPECT_EQ(Status("/readyz"), 500);
  EXPECT_EQ(Status("/healthz"), 500);
  Load();
  EXPECT_EQ(Status("/readyz"), 200);
  EXPECT_EQ(Status("/healthz"), 200);
  EXPECT_EQ(Status("/readyz/kms-providers"), 404) << "there are none";
}

TEST_F(AppHealthTest, AServerThatShutsDownIsNotReadyButAlive) {
  Install(/*key_services=*/false);
  Load();
  shutting_down_ = true;
  EXPECT_EQ(Status("/readyz/shutdown"), 500);
  EXPECT_EQ(Status("/livez"), 200);
}

TEST_F(AppHealthTest, KeyServicesThatAreNotWellMakeItUnreadyButNotDead) {
  Install(/*key_services=*/true);
  EXPECT_EQ(Status("/readyz/kms-providers"), 500) << "the store is being loaded";
  Load();
  EXPECT_EQ(Status("/readyz/kms-providers"), 200);
  key_services_ = base::Err(std::string("no connection"));
  EXPECT_EQ(Status("/readyz/kms-providers"), 500);
  EXPECT_EQ(Status("/livez"), 200);
}

TEST_F(AppHealthTest, HooksPassAsTheStartGoesOn) {
  Install(/*key_services=*/false);
  loaded_ = backend_.get();
  EXPECT_EQ(Status("/readyz/poststarthook/rbac/bootstrap-roles"), 500);
  EXPECT_EQ(Status("/livez/poststarthook/rbac/bootstrap-roles"), 200) << "it is alive while it starts";
  progress_.Reach(StartStep::kClusterBegun);
  EXPECT_EQ(Status("/readyz/poststarthook/rbac/bootstrap-roles"), 200);
  EXPECT_EQ(Status("/readyz/poststarthook/bootstrap-controller"), 500);
  progress_.Reach(StartStep::kControllers);
  EXPECT_EQ(Status("/readyz"), 200);
  registered_ = false;
  EXPECT_EQ(Status("/readyz/autoregister-completion"), 500);
}

// A store that is away.
class AwayBackend final : public storage::ForwardingBackend {
 public:
  explicit AwayBackend(storage::Backend& inner) : inner_(inner) {}
  storage::Result<void> Health() const override {
    return base::Err(storage::Error{.code = storage::Code::kUnreachable, .detail = "away"});
  }

 private:
  storage::Backend& inner() const override { return inner_; }
  storage::Backend& inner_;
};

TEST_F(AppHealthTest, AStoreOfAnOverrideHasChecksOfItsOwn) {
  const AwayBackend away(*backend_);
  override_ = &away;
  Install(/*key_services=*/false);
  Load();
  for (const char* const page : {"/livez", "/readyz", "/healthz"}) {
    EXPECT_EQ(Status(std::string(page) + "/etcd"), 200);
    EXPECT_EQ(Status(std::string(page) + "/etcd-override-0"), 500);
    EXPECT_EQ(Status(page), 500);
  }
  EXPECT_EQ(Status("/readyz/etcd-override-readiness-0"), 500);
  EXPECT_EQ(Status("/livez/etcd-override-readiness-0"), 404);
  EXPECT_EQ(Status("/readyz/etcd-override-1"), 404);
}

TEST_F(AppHealthTest, AfterTheGracePeriodAServerThatStillStartsIsDead) {
  health_.SetLivezGracePeriod(std::chrono::seconds(30));
  Install(/*key_services=*/false);
  loaded_ = backend_.get();
  clock_.now += std::chrono::milliseconds(29'999);
  EXPECT_EQ(Status("/livez"), 200);
  clock_.now += std::chrono::milliseconds(1);
  EXPECT_EQ(Status("/livez"), 500);
  EXPECT_EQ(Status("/livez/poststarthook/rbac/bootstrap-roles"), 500);
  EXPECT_EQ(Status("/livez/ping"), 200);
  Load();
  EXPECT_EQ(Status("/livez"), 200);
}

TEST_F(AppHealthTest, SomeHooksAreThereOnlyWhereTheirFeatureIs) {
  proxy_certificate_ = encryption_reload_ = true;
  Install(/*key_services=*/false);
  Load();
  for (const char* const hook :
       {"aggregator-reload-proxy-client-cert", "start-encryption-provider-config-automatic-reload",
        "start-kube-apiserver-identity-lease-controller",
        "start-kube-apiserver-identity-lease-garbage-collector"})
    EXPECT_EQ(Status("/readyz/poststarthook/" + std::string(hook)), 200) << hook;
}

TEST_F(AppHealthTest, WithoutAProxyCertificateAndReloadingThereAreNoSuchHooks) {
  Install(/*key_services=*/false);
  EXPECT_EQ(Status("/readyz/poststarthook/aggregator-reload-proxy-client-cert"), 404);
  EXPECT_EQ(Status("/readyz/poststarthook/start-encryption-provider-config-automatic-reload"), 404);
}

TEST_F(AppHealthTest, FlowControlHasHooksOnlyWhereItIsOn) {
  flow_control_ = false;
  Install(/*key_services=*/false);
  EXPECT_EQ(Status("/readyz/poststarthook/priority-and-fairness-filter"), 404);
}

}  // namespace
}  // namespace keelson::app
