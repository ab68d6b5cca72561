#include "cmd/etcd_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <utility>

#include "app/addresses.h"
#include "base/go_duration.h"

namespace keelson::cmd {
namespace {

struct RawEtcd {
  EtcdConfig config;
  std::vector<std::string> listen_client_urls = {"http://localhost:2379"};
  std::string data_dir, progress_interval = "10m0s", meaningless;
  std::string compaction_mode = "periodic", compaction_retention = "0";
  std::string cluster_state = "new";
  bool no_fsync = false;
  bool print_version = false;
};

// How members of a cluster find and trust each other, and what is kept for those that fall behind: taken, and
// nothing changes by them when there is one member.
constexpr const char* kOfClusters[] = {"--election-timeout",
                                       "--enable-v2",
                                       "--heartbeat-interval",
                                       "--initial-cluster",
                                       "--initial-cluster-token",
                                       "--initial-election-tick-advance",
                                       "--log-level",
                                       "--log-outputs",
                                       "--logger",
                                       "--max-snapshots",
                                       "--max-wals",
                                       "--quota-backend-bytes",
                                       "--snapshot-count",
                                       "--strict-reconfig-check"};

void AddEtcdFlags(CLI::App& cli, RawEtcd& raw) {
  EtcdConfig& c = raw.config;
  const auto list = [&](const char* name, std::vector<std::string>& value, const char* help) {
    cli.add_option(name, value, help)->delimiter(',')->expected(1)->take_all();
  };
  const auto single = [&](const char* name, auto& value, const char* help) {
    cli.add_option(name, value, help)->take_last()->capture_default_str();
  };
  cli.set_help_flag("-h,--help", "print this and end");
  cli.add_flag("--version", raw.print_version, "print the version and end");
  single("--name", c.name, "of this member");
  list("--listen-client-urls", raw.listen_client_urls, "where to listen, http://host:port; one");
  list("--advertise-client-urls", c.advertise_client_urls, "where clients are told to go");
  list("--listen-peer-urls,--initial-advertise-peer-urls", c.peer_urls,
       "nobody listens there: there is one member");
  single("--data-dir", raw.data_dir, "holds everything; default: memory, which is gone at the end");
  cli.add_flag("--unsafe-no-fsync{true}", raw.no_fsync,
               "data may be lost: everything is kept in memory, and --data-dir is not used")
      ->take_last();
  single("--max-txn-ops", c.max_txn_ops, "operations in one transaction");
  single("--max-request-bytes", c.max_request_bytes, "of one request");
  single("--watch-progress-notify-interval,--experimental-watch-progress-notify-interval",
         raw.progress_interval, "how often watches that want to know are told how far they are");
  single("--auto-compaction-mode", raw.compaction_mode, "periodic or revision");
  single("--auto-compaction-retention", raw.compaction_retention,
         "0: history is compacted when clients say so; no other value is taken");
  single("--initial-cluster-state", raw.cluster_state, "new; no other value is taken");
  for (const char* const name : kOfClusters) single(name, raw.meaningless, "taken, and means nothing here");
}

// "http://127.0.0.1:2379", in two.
base::Result<void, std::string> ReadUrl(const std::string& url, EtcdConfig& config) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme))
    return base::Err("--listen-client-urls: " + url +
                     ": only http:// is implemented: for TLS use etcd itself");
  const std::string_view rest = std::string_view(url).substr(kScheme.size());
  const size_t colon = rest.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  const auto read = std::from_chars(port.data(), port.data() + port.size(), config.port);
  if (port.empty() || read.ec != std::errc() || read.ptr != port.data() + port.size())
    return base::Err("--listen-client-urls: " + url + ": not http://host:port");
  std::string host(rest.substr(0, colon));
  if (host == "localhost") host = "127.0.0.1";
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!app::IsIpAddress(host))
    return base::Err("--listen-client-urls: " + url + ": an IP address or localhost is expected");
  config.bind_address = std::move(host);
  return {};
}

base::Result<EtcdConfig, std::string> InterpretEtcd(RawEtcd raw) {
  EtcdConfig& c = raw.config;
  if (raw.listen_client_urls.size() != 1)
    return base::Err(std::string("--listen-client-urls: one address is implemented, and no more"));
  TRY(ReadUrl(raw.listen_client_urls.front(), c));
  if (c.advertise_client_urls.empty()) c.advertise_client_urls = raw.listen_client_urls;
  const auto interval = base::ParseGoDuration(raw.progress_interval);
  if (!interval || interval->count() <= 0)
    return base::Err("--watch-progress-notify-interval: not a duration above 0: " + raw.progress_interval);
  c.progress_interval = *interval;
  if (raw.compaction_retention.find_first_not_of("0hms.") != std::string::npos)
    return base::Err("--auto-compaction-retention=" + raw.compaction_retention +
                     " is known to etcd but not implemented by keelson: leave it out: clients compact");
  if (raw.cluster_state != "new")
    return base::Err("--initial-cluster-state=" + raw.cluster_state +
                     " is known to etcd but not implemented by keelson: there is one member");
  if (!raw.no_fsync) c.data_dir = raw.data_dir;
  return std::move(c);
}

}  // namespace

base::Result<ParsedEtcd, std::string> ParseEtcdFlags(std::span<const std::string> args) {
  CLI::App cli("Answers etcd's v3 API, for tests: a cluster of one member.", "etcd");
  RawEtcd raw;
  AddEtcdFlags(cli, raw);
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    cli.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return ParsedEtcd{.help = cli.help()};
  } catch (const CLI::ExtrasError& error) {
    return base::Err(
        std::string(error.what()) +
        "\nkeelson under the name etcd has the flags that etcd --help lists; for others use etcd itself");
  } catch (const CLI::ParseError& error) {
    return base::Err(std::string(error.what()));
  }
  // Scripts look for the words "etcd Version:".
  if (raw.print_version) return ParsedEtcd{.help = "etcd Version: 3.6.0 (keelson)\n"};
  return ParsedEtcd{.config = TRY(InterpretEtcd(std::move(raw)))};
}

}  // namespace keelson::cmd
