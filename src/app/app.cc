#include "app/app.h"

#include <thread>

#include "app/credentials.h"
#include "app/data_dir.h"
#include "base/log.h"
#include "base/metrics.h"
#include "net/server.h"
#include "server/chain.h"
#include "server/routes/health.h"
#include "server/routes/index.h"
#include "server/routes/metrics.h"
#include "server/routes/version.h"

namespace keelson::app {
namespace {

using server::HealthChecks;

base::Result<void, std::string> Unless(bool bad, const char* reason) {
  if (bad) return base::Err(std::string(reason));
  return {};
}

}  // namespace

// In order of construction; what comes later borrows from what comes before.
struct App::Parts {
  explicit Parts(DataDir dir) : data_dir(std::move(dir)) {}

  const DataDir data_dir;
  base::Metrics metrics;
  Credentials credentials;
  std::atomic<bool> shutting_down{false};
  HealthChecks health;
  server::Router router;
  std::unique_ptr<server::Chain> chain;
  std::unique_ptr<net::Server> server;
};

App::App(Config config) : config_(std::move(config)) {}

App::~App() { Stop(); }

base::Result<void, std::string> App::Build() {
  auto dir = DataDir::Open(config_.data_dir);
  if (!dir) return base::Err(std::move(dir.error()));
  parts_ = std::make_unique<Parts>(std::move(*dir));
  Parts& p = *parts_;

  auto credentials = LoadCredentials(config_, p.data_dir);
  if (!credentials) return base::Err(std::move(credentials.error()));
  p.credentials = std::move(*credentials);

  p.health.Add("ping", HealthChecks::Scope::kAlways, [] { return base::Result<void, std::string>(); });
  p.health.Add("shutdown", HealthChecks::Scope::kReadiness,
               [&p] { return Unless(p.shutting_down.load(), "process is shutting down"); });
  p.health.Install(p.router);
  server::InstallVersion(p.router);
  server::InstallIndex(p.router);
  server::InstallMetrics(p.router, p.metrics);
  server::AddProcessMetrics(p.metrics);

  p.chain = std::make_unique<server::Chain>(
      server::ChainConfig{.max_requests_inflight = config_.max_requests_inflight,
                          .max_mutating_requests_inflight = config_.max_mutating_requests_inflight,
                          .request_timeout = config_.request_timeout},
      *p.credentials.authenticator, *p.credentials.authorizer, p.router,
      [&p](const endpoints::RequestInfo& info) { return !info.resource_request && p.router.Serves(info.path); },
      p.metrics);

  net::ServerConfig serving{.bind_address = config_.bind_address,
                            .port = config_.secure_port,
                            .threads = config_.threads,
                            .tls = p.credentials.tls};
  if (config_.http2_max_streams_per_connection > 0)
    serving.max_concurrent_streams = config_.http2_max_streams_per_connection;
  auto listener = net::Server::Create(std::move(serving), *p.chain, p.metrics);
  if (!listener) return base::Err(std::move(listener.error()));
  p.server = std::move(*listener);
  return {};
}

base::Result<void, std::string> App::Start() {
  auto started = Build();
  if (started) started = parts_->server->Start();
  if (started && parts_->credentials.admin)
    started = WriteAdminKubeconfig(parts_->credentials, parts_->data_dir, url());
  if (!started) Stop();
  return started;
}

std::string App::url() const { return LocalUrl(config_, parts_->server->port()); }

std::optional<std::string> App::kubeconfig() const {
  if (!parts_->credentials.admin) return std::nullopt;
  return parts_->data_dir.kubeconfig().string();
}

void App::Stop() {
  if (!parts_) return;
  parts_->shutting_down = true;
  if (parts_->server) {
    std::this_thread::sleep_for(config_.shutdown_delay_duration);
    parts_->server->Shutdown(std::chrono::duration_cast<std::chrono::milliseconds>(config_.shutdown_grace_period));
  }
  parts_.reset();
}

}  // namespace keelson::app
