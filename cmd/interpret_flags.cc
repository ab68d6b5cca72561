#include "cmd/interpret_flags.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "api/codec/quantity.h"
#include "api/validation/quote.h"
#include "api/validation/quoted_list.h"
#include "app/addresses.h"
#include "base/ascii.h"
#include "base/go_duration.h"
#include "base/regex.h"

namespace keelson::cmd {
namespace {

using app::Config;
namespace fs = std::filesystem;

// The parts of `text` between separators, as they are; at least one.
std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The parts of `text` between commas, without the space around them.
std::vector<std::string> Items(std::string_view text) {
  std::vector<std::string> items = Split(text, ',');
  for (std::string& item : items) item = std::string(base::Trimmed(item));
  return items;
}

class Interpreter {
 public:
  explicit Interpreter(RawFlags raw) : raw_(std::move(raw)) {}

  base::Result<Config, std::string> Run() {
    Config& c = raw_.config;
    Duration("namespace-deletion-grace-period", raw_.namespace_deletion_grace_period,
             c.namespace_deletion_grace_period);
    Check(c.namespace_deletion_grace_period.count() >= 0,
          "--namespace-deletion-grace-period must not be negative");
    Duration("event-ttl", raw_.event_ttl, c.event_ttl);
    Duration("request-timeout", raw_.request_timeout, c.request_timeout);
    Duration("shutdown-delay-duration", raw_.shutdown_delay_duration, c.shutdown_delay_duration);
    Duration("shutdown-grace-period", raw_.shutdown_grace_period, c.shutdown_grace_period);
    Duration("shutdown-watch-termination-grace-period", raw_.shutdown_watch_grace_period,
             c.shutdown_watch_termination_grace_period);
    Check(c.shutdown_watch_termination_grace_period.count() >= 0,
          "shutdown-watch-termination-grace-period, if provided, can not be a negative value");
    if (!raw_.livez_grace_period.empty())
      Duration("livez-grace-period", raw_.livez_grace_period, c.livez_grace_period.emplace());
    Check(c.livez_grace_period.value_or(std::chrono::nanoseconds(0)).count() >= 0,
          "--livez-grace-period can not be a negative value");
    c.min_request_timeout = std::chrono::seconds(raw_.min_request_timeout);
    Check(raw_.min_request_timeout >= 0, "--min-request-timeout must not be negative");
    Check(c.request_timeout.count() > 0, "--request-timeout must be greater than 0");
    Check(c.event_ttl.count() > 0, "--event-ttl must be at least 1s");
    Check(c.shutdown_delay_duration.count() >= 0, "--shutdown-delay-duration must not be negative");
    Controllers();
    Take(app::FeatureGates::Parse(raw_.feature_gates), c.feature_gates);
    Take(app::RuntimeConfig::Parse(raw_.runtime_config, c.feature_gates), c.runtime_config);
    Admission();
    Check(c.max_requests_inflight >= 0, "--max-requests-inflight must not be negative");
    Check(c.max_mutating_requests_inflight >= 0, "--max-mutating-requests-inflight must not be negative");
    Check(
        !c.enable_priority_and_fairness || c.max_requests_inflight + c.max_mutating_requests_inflight > 0,
        "--max-requests-inflight and --max-mutating-requests-inflight must add up to something positive, or "
        "--enable-priority-and-fairness be false");
    Check(c.threads >= 0 && c.threads <= 1024, "--threads must be between 0 and 1024");
    Network();
    Answers();
    Tls();
    NamedCertificates();
    FrontProxies();
    Peers();
    RemoteTokens();
    ServiceAccounts();
    Kubelets();
    Authorization();
    Audit();
    Storage();
    Logging();
    DataDir();
    if (!errors_.empty()) return base::Err(errors_);
    return std::move(c);
  }

 private:
  void Fail(const std::string& message) { errors_ += (errors_.empty() ? "" : "\n") + message; }
  void Check(bool holds, const std::string& message) {
    if (!holds) Fail(message);
  }

  template <class T>
  void Take(base::Result<T, std::string> parsed, T& out) {
    if (parsed) {
      out = *std::move(parsed);
    } else {
      Fail(parsed.error());
    }
  }

  void Limit(const std::string& flag, int64_t given, size_t& out) {
    Check(given >= 0, "--" + flag + " must not be negative");
    out = static_cast<size_t>(std::max<int64_t>(given, 0));
  }

  template <class D>
  void Duration(const std::string& flag, const std::string& text, D& out) {
    const auto parsed = base::ParseGoDuration(text);
    if (parsed)
      out = std::chrono::duration_cast<D>(*parsed);
    else
      Fail("invalid argument \"" + text + "\" for --" + flag + ": " + parsed.error());
  }

  void Network() {
    Config& c = raw_.config;
    Check(app::IsIpAddress(c.bind_address), "--bind-address: not an IP address: " + c.bind_address);
    Check(c.advertise_address.empty() || app::IsIpAddress(c.advertise_address),
          "--advertise-address: not an IP address: " + c.advertise_address);
    Check(raw_.secure_port >= 0 && raw_.secure_port <= 65535, "--secure-port must be between 0 and 65535");
    c.secure_port = static_cast<uint16_t>(raw_.secure_port);
    Check(raw_.advertise_port >= 0 && raw_.advertise_port <= 65535,
          "--advertise-port must be between 0 and 65535");
    c.advertise_port = static_cast<uint16_t>(raw_.advertise_port);
    Check(raw_.http2_max_streams >= 0, "--http2-max-streams-per-connection must not be negative");
    c.http2_max_streams_per_connection = static_cast<uint32_t>(raw_.http2_max_streams);
    Limit("max-connections", raw_.max_connections, c.max_connections);
    Limit("max-unauthenticated-connections", raw_.max_unauthenticated_connections,
          c.max_unauthenticated_connections);
    Limit("max-unauthenticated-connections-per-address", raw_.max_unauthenticated_connections_per_address,
          c.max_unauthenticated_connections_per_address);
    if (const auto first = app::FirstServiceAddress(c.service_cluster_ip_range); !first)
      Fail("--service-cluster-ip-range: " + first.error());
  }

  void Controllers() {
    for (std::string_view choice : raw_.config.controllers) {
      if (choice == "*" || choice == "-*") continue;
      if (choice.starts_with('-')) choice.remove_prefix(1);
      Check(std::ranges::find(app::kControllers, choice) != std::end(app::kControllers),
            "--controllers: \"" + std::string(choice) + "\" is not in the list of known controllers");
    }
  }

  void Admission() {
    if (const auto checked = admission::CheckSelection(raw_.config.admission.plugins); !checked)
      Fail("--" + checked.error());
  }

  void Tls() {
    Config& c = raw_.config;
    c.tls_cert_file = raw_.tls_cert_file;
    c.tls_private_key_file = raw_.tls_private_key_file;
    c.cert_dir = raw_.cert_dir;
    c.client_ca_file = raw_.client_ca_file;
    c.token_auth_file = raw_.token_auth_file;
    Check(c.tls_cert_file.empty() == c.tls_private_key_file.empty(),
          "--tls-cert-file and --tls-private-key-file must be given together");
    Check(c.tls_min_version.empty() || c.tls_min_version == "VersionTLS12" ||
              c.tls_min_version == "VersionTLS13",
          "--tls-min-version: VersionTLS12 or VersionTLS13, not " + c.tls_min_version);
  }

  // Flags about the headers and the end of the connection that every answer carries.
  void Answers() {
    const Config& c = raw_.config;
    Check(c.goaway_chance >= 0 && c.goaway_chance <= 0.02,
          "--goaway-chance can not be less than 0 or greater than 0.02");
    for (const std::string& directive : c.strict_transport_security_directives)
      Check(directive == "includeSubDomains" || directive == "preload" || directive.starts_with("max-age="),
            "--strict-transport-security-directives invalid, allowed values: max-age=expireTime, "
            "includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more "
            "information");
    for (const std::string& origin : c.cors_allowed_origins) {
      const bool pinned =
          (origin.contains('^') || origin.contains("//")) && (origin.contains('$') || origin.contains(':'));
      if (const auto compiled = base::Regex::Compile(origin); !compiled)
        Fail("--cors-allowed-origins has an invalid regular expression: " + compiled.error());
      else
        Check(pinned,
              "--cors-allowed-origins has an invalid regular expression: regular expression does not pin to "
              "start/end of host in the origin header");
    }
  }

  // "certificate,key" or "certificate,key:name,name".
  void NamedCertificates() {
    for (const std::string& given : raw_.tls_sni_cert_keys) {
      const size_t colon = given.find(':');
      const std::vector<std::string> files = Items(std::string_view(given).substr(0, colon));
      if (files.size() != 2) {
        Fail("invalid argument \"" + given +
             "\" for --tls-sni-cert-key: expected comma separated certificate and key file paths");
        continue;
      }
      app::SniCertificate& sni = raw_.config.tls_sni_cert_keys.emplace_back();
      sni.certificate_file = files[0];
      sni.key_file = files[1];
      if (colon != std::string::npos) sni.names = Items(std::string_view(given).substr(colon + 1));
    }
  }

  // Header names are compared without case, so they are kept without.
  void HeaderNames(const std::string& flag, std::string_view standard, std::vector<std::string>& names) {
    bool has_standard = names.empty();
    for (std::string& name : names) {
      name = std::string(base::Trimmed(name));
      Check(!name.empty(), "empty value in \"" + flag + "\"");
      for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
      has_standard = has_standard || name == standard;
    }
    Check(has_standard || flag != "requestheader-uid-headers",
          "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API "
          "aggregation will not work");
  }

  void FrontProxies() {
    app::FrontProxyConfig& proxy = raw_.config.front_proxy;
    proxy.client_ca_file = raw_.proxy_client_ca_file;
    raw_.config.aggregator.proxy_client_cert_file = raw_.proxy_client_cert_file;
    raw_.config.aggregator.proxy_client_key_file = raw_.proxy_client_key_file;
    Check(raw_.proxy_client_cert_file.empty() == raw_.proxy_client_key_file.empty(),
          "--proxy-client-cert-file and --proxy-client-key-file must be given together");
    HeaderNames("requestheader-username-headers", "x-remote-user", proxy.username_headers);
    HeaderNames("requestheader-uid-headers", "x-remote-uid", proxy.uid_headers);
    HeaderNames("requestheader-group-headers", "x-remote-group", proxy.group_headers);
    HeaderNames("requestheader-extra-headers-prefix", "x-remote-extra-", proxy.extra_headers_prefixes);
    for (const std::string& name : proxy.allowed_names)
      Check(!base::Trimmed(name).empty(), "empty value in \"requestheader-allowed-names\"");
  }

  void Peers() {
    app::PeersConfig& peers = raw_.config.peers;
    peers.ca_file = raw_.peer_ca_file;
    if (!raw_.config.feature_gates.Enabled("UnknownVersionInteroperabilityProxy"))
      for (const auto& [flag, given] :
           {std::pair{"--peer-ca-file", !raw_.peer_ca_file.empty()},
            std::pair{"--peer-advertise-ip", !peers.advertise_ip.empty()},
            std::pair{"--peer-advertise-port", !raw_.peer_advertise_port.empty()}})
        Check(!given,
              std::string(flag) + " requires UnknownVersionInteroperabilityProxy feature to be turned on");
    Check(peers.advertise_ip.empty() || app::IsIpAddress(peers.advertise_ip),
          "--peer-advertise-ip must be an IP address");
    if (!raw_.peer_advertise_port.empty()) {
      const auto& text = raw_.peer_advertise_port;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), peers.advertise_port);
      Check(error == std::errc() && end == text.data() + text.size() && peers.advertise_port > 0,
            "--peer-advertise-port must be a port");
    }
    Check(peers.ca_file.empty() || !raw_.proxy_client_cert_file.empty(),
          "error building peer proxy handler, proxy-cert-file not specified");
  }

  void RemoteTokens() {
    Config& c = raw_.config;
    c.authentication_config = raw_.authentication_config;
    c.oidc.ca_file = raw_.oidc_ca_file;
    if (!raw_.oidc_signing_algs.empty()) c.oidc.signing_algs = raw_.oidc_signing_algs;
    for (const std::string& pair : raw_.oidc_required_claims) {
      const size_t mark = pair.find('=');
      if (mark == std::string::npos)
        Fail("invalid argument \"" + pair +
             "\" for --oidc-required-claim: malformed pair, expect string=string");
      else
        c.oidc.required_claims[std::string(base::Trimmed(pair.substr(0, mark)))] =
            base::Trimmed(std::string_view(pair).substr(mark + 1));
    }
    if (!c.authentication_config.empty())
      Check(!raw_.oidc_given, "authentication-config file and oidc-* flags are mutually exclusive");
    else
      Check(!raw_.oidc_given || (!c.oidc.issuer_url.empty() && !c.oidc.client_id.empty()),
            "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set");
    c.token_webhook.config_file = raw_.token_webhook_config_file;
    c.admission.control_config_file = raw_.admission_control_config_file;
    Duration("authentication-token-webhook-cache-ttl", raw_.token_webhook_cache_ttl,
             c.token_webhook.cache_ttl);
  }

  void ServiceAccounts() {
    Config& c = raw_.config;
    for (const auto& file : raw_.service_account_key_files) c.service_account_key_files.emplace_back(file);
    c.service_account_signing_key_file = raw_.service_account_signing_key_file;
    Duration("service-account-max-token-expiration", raw_.service_account_max_token_expiration,
             c.service_account_max_token_expiration);
    Check(c.service_account_jwks_uri.empty() || c.service_account_jwks_uri.starts_with("https://"),
          "service-account-jwks-uri requires https scheme, parsed as: " + c.service_account_jwks_uri);
    const auto most = c.service_account_max_token_expiration;
    Check(most.count() == 0 || (most >= std::chrono::hours(1) && most <= std::chrono::seconds(1LL << 32)),
          "the service-account-max-token-expiration must be between 1 hour and 2^32 seconds");
  }

  void Kubelets() {
    Config& c = raw_.config;
    if (!raw_.kubelet_timeout.empty()) Duration("kubelet-timeout", raw_.kubelet_timeout, c.kubelet_timeout);
    Check(c.kubelet_timeout.count() > 0, "--kubelet-timeout must be greater than 0");
    c.egress_selector_config_file = raw_.egress_selector_config_file;
    c.tracing_config_file = raw_.tracing_config_file;
    c.kubelet_client_certificate = raw_.kubelet_client_certificate;
    c.kubelet_client_key = raw_.kubelet_client_key;
    c.kubelet_certificate_authority = raw_.kubelet_certificate_authority;
    Check(c.kubelet_client_certificate.empty() == c.kubelet_client_key.empty(),
          "--kubelet-client-certificate and --kubelet-client-key must be given together");
    if (!raw_.kubelet_preferred_address_types.empty())
      c.kubelet_preferred_address_types = raw_.kubelet_preferred_address_types;
  }

  void Authorization() {
    Config& c = raw_.config;
    c.authorization_policy_file = raw_.authorization_policy_file;
    c.authorization_config = raw_.authorization_config;
    c.authorization_webhook.config_file = raw_.authorization_webhook_config_file;
    Duration("authorization-webhook-cache-authorized-ttl", raw_.authorization_webhook_authorized_ttl,
             c.authorization_webhook.authorized_ttl);
    Duration("authorization-webhook-cache-unauthorized-ttl", raw_.authorization_webhook_unauthorized_ttl,
             c.authorization_webhook.unauthorized_ttl);
    if (c.authorization_config.empty()) return AuthorizationModes();
    Check(!raw_.authorization_flags_given,
          "--authorization-config can not be specified when --authorization-mode or "
          "--authorization-webhook-* flags are defined");
    c.authorization_modes.clear();
  }

  void AuthorizationModes() {
    static const std::map<std::string, app::AuthorizationMode> kModes = {
        {"Node", app::AuthorizationMode::kNode},
        {"RBAC", app::AuthorizationMode::kRbac},
        {"ABAC", app::AuthorizationMode::kAbac},
        {"Webhook", app::AuthorizationMode::kWebhook},
        {"AlwaysAllow", app::AuthorizationMode::kAlwaysAllow},
        {"AlwaysDeny", app::AuthorizationMode::kAlwaysDeny}};
    const auto& given = raw_.authorization_mode;
    const std::set<std::string> distinct(given.begin(), given.end());
    const auto needs_file = [&](const char* mode, const std::string& file, const char* flag,
                                const char* missing) {
      const bool used = distinct.contains(mode);
      Check(used || file.empty(),
            "cannot specify --" + std::string(flag) + " without mode " + std::string(mode));
      Check(!used || !file.empty(),
            "authorization-mode " + std::string(mode) + "'s authorization " + missing + " not passed");
    };
    needs_file("ABAC", raw_.authorization_policy_file, "authorization-policy-file", "policy file");
    needs_file("Webhook", raw_.authorization_webhook_config_file, "authorization-webhook-config-file",
               "config file");
    if (given.empty()) return;
    std::vector<app::AuthorizationMode>& modes = raw_.config.authorization_modes;
    modes.clear();
    for (const auto& mode : given) {
      if (const auto known = kModes.find(mode); known != kModes.end())
        modes.push_back(known->second);
      else
        Fail("authorization-mode " + api::Quoted(mode) + " is not a valid mode");
    }
    Check(distinct.size() == given.size(),
          "authorization-mode " + api::QuotedList(given) + " has mode specified more than once");
  }

  void Audit() {
    audit::Config& a = raw_.config.audit;
    a.policy_file = raw_.audit_policy_file;
    a.webhook.config_file = raw_.audit_webhook_config_file;
    Duration("audit-log-batch-max-wait", raw_.audit_log_max_wait, a.log.batch.max_wait);
    Duration("audit-webhook-batch-max-wait", raw_.audit_webhook_max_wait, a.webhook.batch.max_wait);
    Duration("audit-webhook-initial-backoff", raw_.audit_webhook_initial_backoff, a.webhook.initial_backoff);
    for (const std::string& error : audit::Validate(a)) Fail(error);
  }

  void Storage() {
    const std::string& backend = raw_.storage_backend;
    if (!backend.empty() && backend != "embedded" && backend != "memory" && backend != "etcd3")
      return Fail("--storage-backend: unknown backend: " + backend + " (embedded, memory or etcd3)");
    if (!raw_.etcd_servers.empty() && !backend.empty() && backend != "etcd3")
      return Fail("--etcd-servers cannot be used with --storage-backend=" + backend);
    Config& c = raw_.config;
    while (c.etcd_prefix.ends_with('/')) c.etcd_prefix.pop_back();
    if (!c.etcd_prefix.starts_with('/')) c.etcd_prefix.insert(0, "/");
    c.encryption_provider_config = raw_.encryption_provider_config;
    Check(!c.encryption_provider_config_automatic_reload || !c.encryption_provider_config.empty(),
          "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config");
    WatchCache();
    Duration("etcd-compaction-interval", raw_.etcd_compaction_interval, c.etcd_compaction_interval);
    Check(c.etcd_compaction_interval.count() >= 0, "--etcd-compaction-interval must not be negative");
    History();
    DataLoss();
    Limits();
    StoreCare();
    EtcdOverrides();
    if (!raw_.etcd_servers.empty() || backend == "etcd3") return Etcd();
    if (backend == "memory") raw_.config.storage_backend = app::StorageBackend::kMemory;
  }

  void History() {
    Config& c = raw_.config;
    c.history_retention = c.etcd_compaction_interval;
    if (raw_.history_retention.empty()) return;
    Duration("history-retention", raw_.history_retention, c.history_retention);
    Check(c.history_retention.count() >= 0, "--history-retention must not be negative");
    Check(raw_.etcd_servers.empty() && raw_.storage_backend != "etcd3",
          "--history-retention is for a store of our own; with etcd use --etcd-compaction-interval");
  }

  void DataLoss() {
    raw_.config.accept_data_loss = raw_.accept_data_loss;
    Check(!raw_.accept_data_loss || *raw_.accept_data_loss > 0, "--accept-data-loss must be a revision");
    Check(!raw_.accept_data_loss || (raw_.etcd_servers.empty() && raw_.storage_backend != "etcd3" &&
                                     raw_.storage_backend != "memory"),
          "--accept-data-loss is for the embedded store");
  }

  void Limits() {
    Config& c = raw_.config;
    Bytes("--max-object-bytes", raw_.max_object_bytes, c.max_object_bytes);
    for (const std::string& entry : raw_.storage_quotas) {
      const auto [resource, bytes] = PerResource("--storage-quotas", entry, "bytes");
      if (!resource.empty()) Bytes("--storage-quotas", bytes, c.storage_quotas[resource]);
    }
  }

  // "resource[.group]#value", in two; empty: it is no such thing, and has been told.
  std::pair<std::string, std::string> PerResource(const std::string& flag, const std::string& entry,
                                                  const std::string& value) {
    const size_t mark = entry.find('#');
    if (mark != std::string::npos && mark != 0 && mark + 1 < entry.size())
      return {entry.substr(0, mark), entry.substr(mark + 1)};
    Fail(flag + ": invalid value \"" + entry + "\", expected resource[.group]#" + value);
    return {};
  }

  // "1048576", "1Mi".
  void Bytes(const std::string& flag, const std::string& text, uint64_t& out) {
    static const std::map<std::string, int> kShifts = {
        {"", 0}, {"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}};
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto shift = kShifts.find(std::string(end, text.data() + text.size()));
    if (error != std::errc() || shift == kShifts.end() || number > uint64_t{1} << (60 - shift->second))
      return Fail(flag + ": not a number of bytes: " + text);
    out = number << shift->second;
  }

  void WatchCache() {
    app::WindowConfig& window = raw_.config.watch_window;
    window.off = !raw_.watch_cache || raw_.default_watch_cache_size == 0;
    Bytes("--watch-cache-window-bytes", raw_.window_bytes, window.bytes);
    Duration("watch-cache-window-age", raw_.window_age, window.age);
    Check(window.age.count() > 0, "--watch-cache-window-age must be at least 1s");
    for (const std::string& entry : raw_.watch_cache_sizes) {
      const auto [resource, size] = PerResource("--watch-cache-sizes", entry, "size");
      if (resource.empty()) continue;
      if (size.size() > 9 || size.find_first_not_of("0123456789") != std::string::npos)
        Fail("--watch-cache-sizes: invalid value \"" + entry + "\", expected resource[.group]#size");
      else if (size.find_first_not_of('0') == std::string::npos)
        window.off_for.insert(resource);
    }
  }

  void Etcd() {
    Config& c = raw_.config;
    c.storage_backend = app::StorageBackend::kEtcd3;
    c.etcd_servers = raw_.etcd_servers;
    c.etcd_cafile = raw_.etcd_cafile;
    c.etcd_certfile = raw_.etcd_certfile;
    c.etcd_keyfile = raw_.etcd_keyfile;
    Check(!c.etcd_servers.empty(), "--etcd-servers must be specified");
    Check(c.etcd_certfile.empty() == c.etcd_keyfile.empty(),
          "--etcd-certfile and --etcd-keyfile must be given together");
  }

  void StoreCare() {
    Config& c = raw_.config;
    std::chrono::nanoseconds ready{0}, count{0};
    Duration("etcd-healthcheck-timeout", raw_.etcd_healthcheck_timeout, c.etcd_healthcheck_timeout);
    Duration("etcd-readycheck-timeout", raw_.etcd_readycheck_timeout, ready);
    Check(c.etcd_healthcheck_timeout.count() > 0, "--etcd-healthcheck-timeout must be greater than 0");
    Check(ready == c.etcd_healthcheck_timeout,
          "--etcd-readycheck-timeout must be what --etcd-healthcheck-timeout is: keelson asks etcd once for "
          "both checks");
    Duration("etcd-count-metric-poll-period", raw_.etcd_count_metric_poll_period, count);
    Check(count.count() > 0,
          "--etcd-count-metric-poll-period must be greater than 0: keelson always tells the numbers of "
          "objects, and asks nobody for them; drop apiserver_resource_objects where metrics are read");
    Duration("etcd-db-metric-poll-interval", raw_.etcd_db_metric_poll_interval,
             c.etcd_db_metric_poll_interval);
    Check(c.etcd_db_metric_poll_interval.count() >= 0, "--etcd-db-metric-poll-interval must not be negative");
    Duration("storage-initialization-timeout", raw_.storage_initialization_timeout,
             c.storage_initialization_timeout);
    Check(c.storage_initialization_timeout.count() > 0,
          "--storage-initialization-timeout must be greater than 0");
    c.lease_reuse = std::chrono::seconds(raw_.lease_reuse_duration_seconds);
    Check(c.lease_reuse.count() >= 0, "--lease-reuse-duration-seconds must not be negative");
    if (!raw_.delete_collection_workers) return;
    Check(*raw_.delete_collection_workers > 0, "--delete-collection-workers must be greater than 0");
    c.delete_collection_workers = static_cast<size_t>(std::max<int64_t>(*raw_.delete_collection_workers, 1));
  }

  // "group/resource#server;server"; the group of pods is empty.
  void EtcdOverrides() {
    for (const std::string& given : raw_.etcd_servers_overrides) {
      const std::vector<std::string> tokens = Split(given, '#');
      const std::vector<std::string> resource = Split(tokens[0], '/');
      app::EtcdOverride one;
      if (tokens.size() == 2 && resource.size() == 2)
        one = {.group = resource[0], .resource = resource[1], .servers = Split(tokens[1], ';')};
      if (one.servers.empty() || std::ranges::find(one.servers, "") != one.servers.end())
        return Fail(
            "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are "
            "URLs, semicolon separated");
      raw_.config.etcd_servers_overrides.push_back(std::move(one));
    }
    Check(raw_.etcd_servers_overrides.empty() || !raw_.etcd_servers.empty(),
          "--etcd-servers-overrides needs --etcd-servers, where everything else is stored");
  }

  void Logging() {
    static const std::map<std::string, base::LogFormat> kFormats = {{"keelson", base::LogFormat::kKeelson},
                                                                    {"text", base::LogFormat::kText},
                                                                    {"json", base::LogFormat::kJson}};
    base::LogConfig& log = raw_.config.log;
    Check(raw_.verbosity >= 0, "-v must not be negative");
    log.verbosity = raw_.verbosity;
    const auto format = kFormats.find(raw_.logging_format);
    if (format == kFormats.end())
      return Fail("format: Invalid value: " + api::Quoted(raw_.logging_format) + ": Unsupported log format");
    log.format = format->second;
    Check(log.format != base::LogFormat::kJson || raw_.config.feature_gates.Enabled("LoggingBetaOptions"),
          "format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature");
    if (auto files = base::ParseFileVerbosities(raw_.vmodule))
      log.files = *std::move(files);
    else
      Fail("invalid argument " + api::Quoted(raw_.vmodule) + " for --vmodule: " + files.error());
    Check(log.files.empty() || log.format != base::LogFormat::kJson,
          "vmodule: Forbidden: Only supported for text log format");
    LogOutputs();
  }

  // Reads the flags of the log's streams. As upstream, flags of a format that is not in use have no effect.
  void LogOutputs() {
    base::LogStreams& streams = raw_.config.log_streams;
    Duration("log-flush-frequency", raw_.log_flush_frequency, streams.flush_every);
    Check(streams.flush_every.count() > 0,
          "flushFrequency: Invalid value: " + api::Quoted(raw_.log_flush_frequency) +
              ": Must be greater than zero");
    const auto output = [&](const std::string& format, const RawFlags::LogOutput& given) {
      const auto size = api::Quantity::Parse(given.info_buffer_size);
      if (!size)
        return Fail("invalid argument " + api::Quoted(given.info_buffer_size) + " for --log-" + format +
                    "-info-buffer-size: " + std::string(size.error()));
      const int64_t bytes = size->Value();
      const bool alpha = raw_.config.feature_gates.Enabled("LoggingAlphaOptions");
      const auto forbid = [&](bool given_alpha, const std::string& field) {
        Check(alpha || !given_alpha,
              "options." + format + "." + field + ": Forbidden: Feature LoggingAlphaOptions is disabled");
      };
      forbid(given.split_stream, "splitStream");
      forbid(bytes != 0, "infoBufferSize");
      if (!given.split_stream || raw_.logging_format != format) return;
      streams.info = STDOUT_FILENO;
      streams.info_buffer = static_cast<size_t>(std::max<int64_t>(bytes, 0));
    };
    output("text", raw_.log_text);
    output("json", raw_.log_json);
  }

  void DataDir() {
    if (!raw_.data_dir.empty()) {
      raw_.config.data_dir = fs::path(raw_.data_dir);
      return;
    }
    // envtest removes the folder of --cert-dir when a suite ends: the keys and tokens of a test server belong
    // there. A store on this disk does not.
    if (!raw_.cert_dir.empty() && raw_.config.storage_backend != app::StorageBackend::kEmbedded) {
      raw_.config.data_dir = fs::path(raw_.cert_dir);
      return;
    }
    const char* const xdg = std::getenv("XDG_DATA_HOME");
    const char* const home = std::getenv("HOME");
    if (!app::NeedsDataDir(raw_.config))
      raw_.config.data_dir.clear();
    else if (xdg && *xdg)
      raw_.config.data_dir = fs::path(xdg) / "keelson";
    else if (home && *home)
      raw_.config.data_dir = fs::path(home) / ".local" / "share" / "keelson";
    else
      Fail("neither $XDG_DATA_HOME nor $HOME is set: say --data-dir");
  }

  RawFlags raw_;
  std::string errors_;
};

}  // namespace

base::Result<app::Config, std::string> InterpretFlags(RawFlags raw) {
  return Interpreter(std::move(raw)).Run();
}

}  // namespace keelson::cmd
