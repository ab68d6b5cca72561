#include "etcd/server.h"

#include <utility>

namespace keelson::etcd {
namespace {

constexpr std::chrono::hours kForEver{24 * 365};
constexpr std::chrono::milliseconds kGrace{1000};

net::ServerConfig NetConfig(const ServerOptions& options) {
  net::ServerConfig config;
  config.bind_address = options.bind_address;
  config.port = options.port;
  config.threads = 1;
  config.plaintext = true;
  config.lenient_fields = true;
  config.max_concurrent_streams = 1 << 20;
  // Clients measure the connection by pings, one a round trip.
  config.max_idle_frames = config.max_idle_frames_per_second = 1e9;
  // The client's side of a watch is silent, for as long as it lasts.
  config.body_idle_timeout = kForEver;
  config.idle_timeout = kForEver;
  return config;
}

}  // namespace

base::Result<std::unique_ptr<Server>, std::string> Server::Start(std::unique_ptr<storage::Backend> backend,
                                                                 ServerOptions options) {
  const net::ServerConfig config = NetConfig(options);
  std::unique_ptr<Server> self(new Server(std::move(options.service)));
  self->backend_ = std::move(backend);
  self->net_ = TRY(net::Server::Create(config, self->service_, self->metrics_));
  base::Executor& loop = *self->net_->loops().front();
  auto store = Store::Open(*self->backend_, loop, options.store);
  if (!store) return base::Err(store.error().message);
  self->store_ = std::move(*store);
  self->service_.Start(*self->store_, loop);
  TRY(self->net_->Start());
  return self;
}

Server::~Server() {
  if (net_) net_->Shutdown(kGrace);
}

}  // namespace keelson::etcd
