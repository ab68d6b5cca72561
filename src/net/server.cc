#include "net/server.h"

#include <pthread.h>

#include <system_error>
#include <thread>

#include "net/acceptor.h"
#include "net/connection.h"
#include "net/tls/context.h"

namespace keelson::net {
namespace {

using Clock = std::chrono::steady_clock;

// For handlers whose client is gone to notice and return.
constexpr std::chrono::milliseconds kHandlerGrace{1000};

class LoopServer final : public Server {
 public:
  LoopServer(ServerConfig config, const std::shared_ptr<const tls::Context>& tls, http::Handler& handler,
             base::Metrics& metrics);
  ~LoopServer() override {
    if (!threads_.empty()) LoopServer::Shutdown(std::chrono::milliseconds(0), {});
  }

  base::Result<void, std::string> Start() override;
  uint16_t port() const override { return acceptor_ ? acceptor_->port() : config_.port; }
  std::vector<base::Executor*> loops() override;
  base::Result<void, std::string> ReloadTls(const TlsConfig& tls) override;
  using Server::Shutdown;
  void Shutdown(std::chrono::milliseconds deadline, std::chrono::milliseconds spread) override;

 private:
  // Shutdown is rare and waits on several threads' counts: looking each millisecond is
  // simpler than having them all signal.
  template <class Predicate>
  bool WaitUntil(Clock::time_point deadline, Predicate done) {
    while (!done()) {
      if (Clock::now() >= deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  template <class Work>
  void OnEveryConnection(Work work);
  void DrainOneByOne(std::chrono::milliseconds spread);
  void RunLoop(EventLoop& loop, const char* name);
  bool NoConnections() const;
  bool NoHandlers() const;

  const ServerConfig config_;
  std::string client_ca_pem_, proxy_ca_pem_;  // that are in use
  ConnectionTotals totals_;
  std::vector<std::unique_ptr<Worker>> workers_;
  EventLoop accepting_;
  std::unique_ptr<Acceptor> acceptor_;
  std::vector<std::thread> threads_;
};

LoopServer::LoopServer(ServerConfig config, const std::shared_ptr<const tls::Context>& tls,
                       http::Handler& handler, base::Metrics& metrics)
    : config_(std::move(config)),
      client_ca_pem_(config_.tls.client_ca_pem),
      proxy_ca_pem_(config_.tls.proxy_ca_pem) {
  ConnectionMetrics connection_metrics{
      OpenConnections(metrics),
      metrics.GetCounter("apiserver_tls_handshake_errors_total", "Connections dropped in the TLS handshake."),
      metrics.GetCounter("keelson_connections_refused_total",
                         "Connections closed because there were too many of authenticated clients."),
  };
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned count = config_.threads > 0 ? static_cast<unsigned>(config_.threads) : cores;
  for (unsigned i = 0; i < count; ++i) {
    workers_.push_back(std::make_unique<Worker>(config_, count, tls, handler, totals_, connection_metrics));
  }
}

base::Result<void, std::string> LoopServer::Start() {
  acceptor_ = std::make_unique<Acceptor>(accepting_, workers_, totals_);
  TRY(acceptor_->Listen(config_.bind_address, config_.port, config_.share_port));
  for (auto& worker : workers_) RunLoop(worker->loop, "net");
  RunLoop(accepting_, "accept");
  return {};
}

void LoopServer::RunLoop(EventLoop& loop, const char* name) {
  threads_.emplace_back([&loop] { loop.Run(); });
  pthread_setname_np(threads_.back().native_handle(), name);
}

std::vector<base::Executor*> LoopServer::loops() {
  std::vector<base::Executor*> loops;
  loops.reserve(workers_.size());
  for (auto& worker : workers_) loops.push_back(&worker->loop);
  return loops;
}

template <class Work>
void LoopServer::OnEveryConnection(Work work) {
  for (auto& worker : workers_) {
    worker->loop.Post([&worker = *worker, work] {
      // The work may close the connection and so change the table.
      for (const auto& connection : worker.connections.All()) work(*connection);
    });
  }
}

bool LoopServer::NoConnections() const {
  for (auto& worker : workers_)
    if (worker->open_connections.load(std::memory_order_acquire) != 0) return false;
  return true;
}

bool LoopServer::NoHandlers() const {
  for (auto& worker : workers_)
    if (worker->sessions.handlers_running.load(std::memory_order_acquire) != 0) return false;
  return true;
}

base::Result<void, std::string> LoopServer::ReloadTls(const TlsConfig& tls) {
  const std::shared_ptr<const tls::Context> context = TRY(tls::Context::Create(tls));
  for (auto& worker : workers_) worker->loop.Post([&worker = *worker, context] { worker.tls = context; });
  if (tls.client_ca_pem == client_ca_pem_ && tls.proxy_ca_pem == proxy_ca_pem_) return {};
  client_ca_pem_ = tls.client_ca_pem;
  proxy_ca_pem_ = tls.proxy_ca_pem;
  OnEveryConnection([](Connection& connection) {
    if (connection.certified()) connection.Drain();
  });
  return {};
}

void LoopServer::DrainOneByOne(std::chrono::milliseconds spread) {
  for (auto& worker : workers_) {
    worker->loop.Post([&worker = *worker, spread] {
      std::vector<std::weak_ptr<Connection>> busy;
      for (const auto& connection : worker.connections.All()) {
        if (connection->idle())
          connection->Drain();
        else
          busy.push_back(connection);
      }
      for (size_t i = 0; i < busy.size(); ++i) {
        const auto after = spread * static_cast<int64_t>(i) / static_cast<int64_t>(busy.size());
        worker.loop.PostAfter(after, [weak = std::move(busy[i])] {
          if (const auto connection = weak.lock()) connection->Drain();
        });
      }
    });
  }
}

void LoopServer::Shutdown(std::chrono::milliseconds deadline, std::chrono::milliseconds spread) {
  if (threads_.empty()) return;
  const auto end = Clock::now() + spread + deadline;
  std::atomic<bool> stopped{false};
  accepting_.Post([&] {
    acceptor_->Stop();
    // Posted from the accepting thread: after every connection it has handed out.
    DrainOneByOne(spread);
    stopped.store(true, std::memory_order_release);
  });
  while (!stopped.load(std::memory_order_acquire)) std::this_thread::yield();

  WaitUntil(end, [this] { return NoConnections(); });
  OnEveryConnection([](Connection& connection) { connection.Close(); });
  WaitUntil(Clock::now() + kHandlerGrace, [this] { return NoConnections() && NoHandlers(); });
  accepting_.Stop();
  for (auto& worker : workers_) worker->loop.Stop();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace

base::Gauge& OpenConnections(base::Metrics& metrics) {
  return metrics.GetGauge("keelson_connections", "Client connections open now.");
}

base::Result<std::unique_ptr<Server>, std::string> Server::Create(ServerConfig config, http::Handler& handler,
                                                                  base::Metrics& metrics) {
  std::shared_ptr<const tls::Context> tls;
  if (!config.plaintext) tls = TRY(tls::Context::Create(config.tls));
  try {
    return std::make_unique<LoopServer>(std::move(config), std::move(tls), handler, metrics);
  } catch (const std::system_error& e) {
    return base::Err(std::string(e.what()));
  }
}

}  // namespace keelson::net
