// keelson under the name etcd: what controller-runtime's envtest, etcdctl and kube-apiserver ask of an etcd.
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <iostream>
#include <random>

#include "base/file.h"
#include "base/log.h"
#include "base/log_writer.h"
#include "cmd/commands.h"
#include "cmd/etcd_flags.h"
#include "cmd/fail.h"
#include "cmd/stop_signals.h"
#include "etcd/server.h"
#include "storage/memory/memory_backend.h"
#include "storage/rocksdb/rocksdb_backend.h"

namespace keelson::cmd {
namespace {

namespace fs = std::filesystem;

struct EtcdStorage {
  std::unique_ptr<storage::Backend> backend;
  uint64_t cluster_id = 0;  // the same for as long as the data is
};

uint64_t RandomClusterId() {
  std::random_device random;
  return (uint64_t{random()} << 32 | random()) | 1;
}

base::Result<uint64_t, std::string> ClusterIdOf(const fs::path& file) {
  std::error_code error;
  uint64_t id = RandomClusterId();
  if (!fs::exists(file, error)) {
    TRY(base::CreateFileAtomically(file, std::to_string(id) + "\n", 0600));
    return id;
  }
  const std::string text = TRY(base::ReadFile(file));
  if (std::from_chars(text.data(), text.data() + text.size(), id).ec != std::errc())
    return base::Err(file.string() + " holds no number");
  return id;
}

base::Result<EtcdStorage, std::string> OpenStorage(const EtcdConfig& config) {
  if (config.data_dir.empty())
    return EtcdStorage{.backend = storage::OpenMemoryBackend(), .cluster_id = RandomClusterId()};
  std::error_code error;
  fs::create_directories(config.data_dir, error);
  if (error) return base::Err("cannot make " + config.data_dir.string() + ": " + error.message());
  auto backend = storage::OpenRocksDbBackend({.path = (config.data_dir / "db").string()});
  if (!backend) return base::Err("cannot open " + config.data_dir.string() + ": " + backend.error().detail);
  return EtcdStorage{.backend = std::move(*backend),
                     .cluster_id = TRY(ClusterIdOf(config.data_dir / "cluster-id"))};
}

// On the disk, or, where there is none, in memory.
int64_t DatabaseSize(const fs::path& data_dir) {
  int64_t bytes = 0;
  std::error_code error;
  if (data_dir.empty()) {
    const auto pages = base::ReadFile("/proc/self/statm");
    if (!pages) return 0;
    const size_t second = pages->find(' ') + 1;
    std::from_chars(pages->data() + second, pages->data() + pages->size(), bytes);
    return bytes * sysconf(_SC_PAGESIZE);
  }
  // Files come and go meanwhile.
  for (fs::recursive_directory_iterator entry(data_dir, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (const auto size = entry->file_size(gone); !gone) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

etcd::ServerOptions ServerOptionsOf(const EtcdConfig& config, uint64_t cluster_id) {
  etcd::ServerOptions options;
  options.bind_address = config.bind_address;
  options.port = config.port;
  options.store.max_txn_ops = config.max_txn_ops;
  options.service.cluster_id = cluster_id;
  options.service.member_id = cluster_id ^ 1;
  options.service.member = {
      .name = config.name, .peer_urls = config.peer_urls, .client_urls = config.advertise_client_urls};
  options.service.max_request_bytes = config.max_request_bytes;
  options.service.progress_interval = config.progress_interval;
  options.service.db_size = [dir = config.data_dir] { return DatabaseSize(dir); };
  return options;
}

}  // namespace

int ServeAsEtcd(std::span<const std::string> args) {
  const auto parsed = ParseEtcdFlags(args);
  if (!parsed) return Fail(parsed.error());
  if (!parsed->help.empty()) {
    std::cout << parsed->help;
    return 0;
  }
  const sigset_t signals = BlockStopSignals();
  const base::LogWriter log;
  auto opened = OpenStorage(parsed->config);
  if (!opened) return Fail(opened.error());
  auto server =
      etcd::Server::Start(std::move(opened->backend), ServerOptionsOf(parsed->config, opened->cluster_id));
  if (!server) return Fail(server.error());
  base::Log(base::LogLevel::kInfo, "serving as etcd",
            {{"address", parsed->config.bind_address},
             {"port", (*server)->port()},
             {"storage", parsed->config.data_dir.empty() ? "memory" : parsed->config.data_dir.string()}});
  const int number = WaitForStopSignal(signals);
  base::Log(base::LogLevel::kInfo, "stopping", {{"signal", number}});
  return 0;
}

}  // namespace keelson::cmd
