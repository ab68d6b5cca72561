#include "app/backend.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "app/encryption.h"
#include "base/log.h"
#include "storage/etcd3/etcd_backend.h"
#include "storage/history_compactor.h"
#include "storage/memory/memory_backend.h"
#include "storage/rocksdb/rocksdb_backend.h"

namespace keelson::app {
namespace {

// How often is looked whether history has become old enough; for a short interval a part of it.
constexpr std::chrono::nanoseconds kLongestCompactionTick = std::chrono::seconds(30);
constexpr int64_t kTicksPerInterval = 10;
// How long the start waits for a store that only some resources need; longer than a connection may take.
constexpr std::chrono::seconds kOverridePatience{5};
constexpr uint64_t kBallastBytes = uint64_t{64} << 20;

void LogFailure(const storage::Error& error) {
  base::Log(base::LogLevel::kWarning, "cannot compact history", {{"why", error.detail}});
}

base::Task<void> Compact(std::shared_ptr<storage::HistoryCompactor> compactor) {
  const auto compacted = co_await compactor->Tick();
  if (!compacted) LogFailure(compacted.error());
}

base::Task<std::optional<int64_t>> DatabaseBytes(storage::EtcdBackend& etcd) {
  const auto bytes = co_await etcd.DatabaseBytes();
  if (!bytes) co_return std::nullopt;
  co_return *bytes;
}

base::Task<void> CompactInTurn(storage::EtcdBackend& etcd) {
  const auto compacted = co_await etcd.CompactInTurn();
  if (!compacted) LogFailure(compacted.error());
}

// Of this process alone: it decides by itself when history goes.
OpenedBackend Own(std::unique_ptr<storage::Backend> backend, std::chrono::nanoseconds interval) {
  if (interval.count() == 0) return {.backend = std::move(backend)};
  auto compactor = std::make_shared<storage::HistoryCompactor>(*backend, base::Clock::Real(), interval);
  return {.backend = std::move(backend),
          .compaction_interval = std::min(kLongestCompactionTick, interval / kTicksPerInterval),
          .compact = [compactor = std::move(compactor)] { return Compact(compactor); }};
}

base::Result<std::string, std::string> ReadIfNamed(const std::filesystem::path& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.view().empty()) return base::Err("cannot read " + path.string());
  return std::move(text).str();
}

base::Result<net::tls::ClientTlsConfig, std::string> ReadEtcdTls(const Config& config) {
  net::tls::ClientTlsConfig tls;
  tls.ca_pem = TRY(ReadIfNamed(config.etcd_cafile));
  tls.certificate_pem = TRY(ReadIfNamed(config.etcd_certfile));
  tls.private_key_pem = TRY(ReadIfNamed(config.etcd_keyfile));
  return tls;
}

base::Result<OpenedBackend, std::string> OpenEtcd(const Config& config, storage::EtcdOptions options) {
  auto tls = TRY(ReadEtcdTls(config));
  options.probe_timeout = config.etcd_healthcheck_timeout;
  options.ca_pem = std::move(tls.ca_pem);
  options.certificate_pem = std::move(tls.certificate_pem);
  options.private_key_pem = std::move(tls.private_key_pem);
  auto etcd = storage::EtcdBackend::Open(options);
  if (!etcd) return base::Err("cannot use etcd: " + etcd.error().detail);
  storage::EtcdBackend& backend = **etcd;
  return OpenedBackend{.backend = std::move(*etcd),
                       .compaction_interval = config.etcd_compaction_interval,
                       .compact = [&backend] { return CompactInTurn(backend); },
                       .database_bytes = [&backend] { return DatabaseBytes(backend); },
                       .reload_tls = [&backend, &config]() -> base::Result<void, std::string> {
                         return backend.ReloadTls(TRY(ReadEtcdTls(config)));
                       }};
}

base::Result<OpenedBackend, std::string> OpenPlain(const Config& config, const DataDir& dir) {
  switch (config.storage_backend) {
    case StorageBackend::kMemory: return Own(storage::OpenMemoryBackend(), config.history_retention);
    case StorageBackend::kEmbedded: {
      auto backend = storage::OpenRocksDbBackend({.path = dir.database().string(),
                                                  .ballast_bytes = kBallastBytes,
                                                  .accept_data_loss = config.accept_data_loss});
      if (!backend)
        return base::Err("cannot open " + dir.database().string() + ": " + backend.error().detail);
      return Own(std::move(*backend), config.history_retention);
    }
    case StorageBackend::kEtcd3:
      return OpenEtcd(
          config, {.endpoints = config.etcd_servers, .start_timeout = config.storage_initialization_timeout});
  }
  return base::Err(std::string("no such storage backend"));
}

base::Result<OpenedBackend, std::string> EncryptedAsConfigured(OpenedBackend opened, const Config& config,
                                                               const DataDir& dir) {
  auto encrypted = TRY(Encrypted(std::move(opened.backend), config, dir));
  opened.backend = std::move(encrypted.backend);
  opened.reload_encryption = std::move(encrypted.reload);
  opened.key_services_health = std::move(encrypted.key_services_health);
  return opened;
}

}  // namespace

base::Result<OpenedBackend, std::string> OpenBackend(const Config& config, const DataDir& dir) {
  return EncryptedAsConfigured(TRY(OpenPlain(config, dir)), config, dir);
}

base::Result<OpenedBackend, std::string> OpenOverride(const Config& config,
                                                      const std::vector<std::string>& servers,
                                                      const DataDir& dir) {
  auto opened = TRY(OpenEtcd(config, {.endpoints = servers,
                                      .start_timeout = std::min<std::chrono::nanoseconds>(
                                          kOverridePatience, config.storage_initialization_timeout),
                                      .must_answer = false}));
  return EncryptedAsConfigured(std::move(opened), config, dir);
}

const char* BackendName(StorageBackend backend) {
  switch (backend) {
    case StorageBackend::kMemory: return "memory";
    case StorageBackend::kEmbedded: return "embedded";
    case StorageBackend::kEtcd3: return "etcd3";
  }
  return "";
}

}  // namespace keelson::app
