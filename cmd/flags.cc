#include "cmd/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "api/validation/quote.h"
#include "app/addresses.h"
#include "base/ascii.h"
#include "base/go_duration.h"
#include "cmd/missing_flags.h"

namespace keelson::cmd {
namespace {

using app::Config;
namespace fs = std::filesystem;

// What the command line says before it is understood.
struct Raw {
  Config config;
  std::string data_dir;
  std::string tls_cert_file, tls_private_key_file, client_ca_file, token_auth_file, proxy_client_ca_file;
  std::string authentication_config, oidc_ca_file, token_webhook_config_file, admission_control_config_file;
  std::string token_webhook_cache_ttl = "2m0s";
  std::vector<std::string> oidc_signing_algs, oidc_required_claims;
  bool oidc_given = false;
  int secure_port = 6443;
  std::vector<std::string> authorization_mode, etcd_servers;
  std::string authorization_policy_file, authorization_config, authorization_webhook_config_file;
  std::string authorization_webhook_authorized_ttl = "5m0s", authorization_webhook_unauthorized_ttl = "30s";
  bool authorization_flags_given = false;  // that a file would contradict
  std::string storage_backend, etcd_cafile, etcd_certfile, etcd_keyfile;
  std::string etcd_compaction_interval = "5m0s", history_retention;
  std::optional<int64_t> accept_data_loss;
  std::vector<std::string> storage_quotas;
  std::string max_object_bytes = "0", window_bytes = "32Mi", window_age = "5m0s";
  std::string encryption_provider_config;
  std::vector<std::string> watch_cache_sizes;
  bool watch_cache = true;
  int default_watch_cache_size = 100;
  std::string event_ttl = "1h0m0s", request_timeout = "1m0s";
  std::string namespace_deletion_grace_period = "5s";
  std::string shutdown_delay_duration = "0s", shutdown_grace_period = "10s";
  std::vector<std::string> service_account_key_files;
  std::string service_account_signing_key_file, service_account_max_token_expiration = "0s";
  std::vector<std::string> feature_gates, runtime_config, kubelet_preferred_address_types;
  std::string kubelet_client_certificate, kubelet_client_key, kubelet_certificate_authority;
  int64_t min_request_timeout = 1800;
  int http2_max_streams = 0;
  int64_t max_connections = 0, max_unauthenticated_connections = 16384;
  int64_t max_unauthenticated_connections_per_address = 1024;
  int verbosity = 0;
  std::string logging_format = "text";
};

// Stands for the value of "--flag=", which CLI11 would take from the next argument.
constexpr char kEmptyValue[] = "\x01";

// As pflag: the last of several wins; lists are joined and split at commas.
template <class T>
CLI::Option* Single(CLI::App& cli, const char* name, T& value, const char* help) {
  CLI::Option* const option = cli.add_option(name, value, help)->take_last()->capture_default_str();
  if constexpr (std::is_same_v<T, std::string>)
    return option->transform([](std::string text) { return text == kEmptyValue ? std::string() : text; });
  else
    return option->check([](const std::string& text) {
      return text == kEmptyValue ? std::string("invalid argument \"\"") : std::string();
    });
}
void List(CLI::App& cli, const char* name, std::vector<std::string>& value, const char* help) {
  cli.add_option(name, value, help)->delimiter(',')->expected(1)->take_all();
}

void AddRemoteTokenFlags(CLI::App& cli, Raw& raw) {
  app::OidcConfig& oidc = raw.config.oidc;
  Single(cli, "--authentication-config", raw.authentication_config,
         "AuthenticationConfiguration: OpenID providers whose tokens are believed, and who may be anonymous; "
         "read "
         "again when it changes");
  Single(cli, "--oidc-issuer-url", oidc.issuer_url, "an OpenID provider whose tokens are believed, by https");
  Single(cli, "--oidc-client-id", oidc.client_id, "whom its tokens must be meant for");
  Single(cli, "--oidc-ca-file", raw.oidc_ca_file, "authorities of its certificate; default: the system's");
  Single(cli, "--oidc-username-claim", oidc.username_claim, "the claim with the name of the user");
  Single(cli, "--oidc-username-prefix", oidc.username_prefix,
         "what goes before the name; default: the issuer and #, but nothing before an email; -: nothing");
  Single(cli, "--oidc-groups-claim", oidc.groups_claim, "the claim with the groups of the user");
  Single(cli, "--oidc-groups-prefix", oidc.groups_prefix, "what goes before each group");
  List(cli, "--oidc-signing-algs", raw.oidc_signing_algs,
       "algorithms that tokens may be signed by: RS, PS or ES with 256, 384 or 512 (default RS256)");
  cli.add_option("--oidc-required-claim", raw.oidc_required_claims,
                 "claim=value that every token must have; may be given more than once")
      ->expected(1)
      ->take_all();
  Single(cli, "--authentication-token-webhook-config-file", raw.token_webhook_config_file,
         "kubeconfig of a webhook that is asked about tokens");
  Single(cli, "--authentication-token-webhook-version", raw.config.token_webhook.version,
         "of the TokenReview that it is sent: v1 or v1beta1");
  Single(cli, "--authentication-token-webhook-cache-ttl", raw.token_webhook_cache_ttl,
         "how long its answers are remembered");
}

void AddAuthorizationFlags(CLI::App& cli, Raw& raw) {
  List(cli, "--authorization-mode", raw.authorization_mode,
       "who is asked what a request may do, in this order, of Node, RBAC, ABAC, Webhook, AlwaysAllow and "
       "AlwaysDeny; default: Node,RBAC; system:masters may do everything");
  Single(
      cli, "--authorization-config", raw.authorization_config,
      "AuthorizationConfiguration: who is asked what a request may do, instead of --authorization-mode and "
      "--authorization-webhook-*; read again when it changes");
  Single(cli, "--authorization-policy-file", raw.authorization_policy_file,
         "the policies of the mode ABAC, one JSON object a line");
  Single(cli, "--authorization-webhook-config-file", raw.authorization_webhook_config_file,
         "kubeconfig of the webhook that the mode Webhook asks");
  Single(cli, "--authorization-webhook-version", raw.config.authorization_webhook.version,
         "of the SubjectAccessReview that it is sent: v1 or v1beta1");
  Single(cli, "--authorization-webhook-cache-authorized-ttl", raw.authorization_webhook_authorized_ttl,
         "how long its allowances are remembered");
  Single(cli, "--authorization-webhook-cache-unauthorized-ttl", raw.authorization_webhook_unauthorized_ttl,
         "how long its refusals are remembered");
}

void AddFrontProxyFlags(CLI::App& cli, Raw& raw) {
  app::FrontProxyConfig& proxy = raw.config.front_proxy;
  Single(cli, "--requestheader-client-ca-file", raw.proxy_client_ca_file,
         "authorities of the certificates of front proxies, which are believed whom they have authenticated");
  List(cli, "--requestheader-allowed-names", proxy.allowed_names,
       "common names that a front proxy's certificate may have; default: any");
  List(cli, "--requestheader-username-headers", proxy.username_headers,
       "headers with the name of the user, the best first");
  List(cli, "--requestheader-uid-headers", proxy.uid_headers, "headers with the uid of the user");
  List(cli, "--requestheader-group-headers", proxy.group_headers, "headers with a group of the user");
  List(cli, "--requestheader-extra-headers-prefix", proxy.extra_headers_prefixes,
       "what the names of headers with more about the user start with");
}

void AddFlags(CLI::App& cli, Raw& raw) {
  Config& c = raw.config;
  cli.set_help_flag("-h,--help", "print this and end");
  Single(cli, "--data-dir", raw.data_dir,
         "holds everything the server writes (default $XDG_DATA_HOME/keelson or ~/.local/share/keelson)");
  Single(cli, "--threads", c.threads, "event loops; 0: one per core");

  Single(cli, "--bind-address", c.bind_address, "address to listen on");
  Single(cli, "--secure-port", raw.secure_port, "port to listen on; 0: any free one");
  Single(cli, "--advertise-address", c.advertise_address, "address that others reach this server at");
  Single(cli, "--http2-max-streams-per-connection", raw.http2_max_streams,
         "requests at a time on one connection; 0: the default");
  Single(
      cli, "--max-connections", raw.max_connections,
      "connections of clients in all; 0: as many as the limit on open files allows, which is raised to the "
      "hard one");
  Single(cli, "--max-unauthenticated-connections", raw.max_unauthenticated_connections,
         "connections on which no client has authenticated; beyond it the oldest idle one is closed; 0: no "
         "limit");
  Single(cli, "--max-unauthenticated-connections-per-address",
         raw.max_unauthenticated_connections_per_address,
         "the same, of one IPv4 address or IPv6 network of 64 bits");

  Single(cli, "--tls-cert-file", raw.tls_cert_file,
         "serving certificate, with its chain; default: one made on the first start");
  Single(cli, "--tls-private-key-file", raw.tls_private_key_file, "key of --tls-cert-file");
  Single(cli, "--tls-min-version", c.tls_min_version, "VersionTLS12 or VersionTLS13");
  List(cli, "--tls-cipher-suites", c.tls_cipher_suites, "cipher suites for TLS 1.2, by their IANA names");
  List(cli, "--tls-san", c.tls_san, "more names and addresses for the generated serving certificate");

  Single(cli, "--client-ca-file", raw.client_ca_file,
         "authorities of client certificates; default: the server's own");
  Single(cli, "--token-auth-file", raw.token_auth_file, "CSV of token,user,uid[,\"group,...\"]");
  AddFrontProxyFlags(cli, raw);
  AddRemoteTokenFlags(cli, raw);
  cli.add_flag("--anonymous-auth{true}", c.anonymous_auth,
               "requests without credentials are system:anonymous")
      ->take_last();
  cli.add_flag("--allow-privileged{true}", c.allow_privileged, "containers of pods may be privileged")
      ->take_last();
  List(cli, "--service-account-issuer", c.service_account_issuers,
       "who issues service account tokens; the first issues, all are believed");
  List(cli, "--service-account-key-file", raw.service_account_key_files,
       "keys that service account tokens are checked with; default: the signing key");
  Single(cli, "--service-account-signing-key-file", raw.service_account_signing_key_file,
         "signs service account tokens; default: a key made on the first start");
  Single(cli, "--service-account-max-token-expiration", raw.service_account_max_token_expiration,
         "longest life of a service account token; 0: no limit");
  cli.add_flag("--service-account-extend-token-expiration{true}", c.service_account_extend_token_expiration,
               "tokens of pods live for a year, so that programs that do not reload them go on")
      ->take_last();
  cli.add_flag("--service-account-lookup{true}", c.service_account_lookup,
               "tokens that secrets hold must be in their secret still, and their service account must exist")
      ->take_last();
  cli.add_flag("--enable-bootstrap-token-auth{true}", c.enable_bootstrap_token_auth,
               "secrets of the type bootstrap.kubernetes.io/token in kube-system authenticate")
      ->take_last();
  List(cli, "--api-audiences", c.api_audiences,
       "whom tokens for this server are meant for; default: the issuers");
  AddAuthorizationFlags(cli, raw);

  Single(cli, "--storage-backend", raw.storage_backend, "embedded (the default), memory or etcd3");
  List(cli, "--etcd-servers", raw.etcd_servers, "etcd to store in (http://host:port, ...); implies etcd3");
  Single(cli, "--etcd-cafile", raw.etcd_cafile, "authorities of etcd's certificates");
  Single(cli, "--etcd-certfile", raw.etcd_certfile, "our certificate for etcd");
  Single(cli, "--etcd-keyfile", raw.etcd_keyfile, "key of --etcd-certfile");
  Single(cli, "--etcd-prefix", c.etcd_prefix, "what the keys of all objects start with");
  Single(cli, "--etcd-compaction-interval", raw.etcd_compaction_interval,
         "how long etcd's history is kept, at least: old resource versions expire after it; 0: never by this "
         "server");
  Single(cli, "--history-retention", raw.history_retention,
         "how long the embedded store keeps history, at least (2h30m); 0: for ever. Watches resume from it, "
         "also "
         "after a restart; default: --etcd-compaction-interval");
  Single(cli, "--accept-data-loss", raw.accept_data_loss,
         "revision: start although logs of the embedded store are damaged and nothing after it can be read, "
         "as the start that was refused said")
      ->default_str("");
  List(cli, "--storage-quotas", raw.storage_quotas,
       "resource[.group]#bytes: once its objects take so much, writes that add to them are refused; 0: no "
       "limit; "
       "default: events#1Gi");
  Single(cli, "--max-object-bytes", raw.max_object_bytes,
         "larger objects are refused; 0: what requests (3Mi) and the store (etcd: 1.5Mi) allow");
  Single(cli, "--encryption-provider-config", raw.encryption_provider_config,
         "EncryptionConfiguration: what is encrypted in the store, and how; default: secrets on the embedded "
         "store, with a key made on the first start");
  cli.add_flag("--encryption-provider-config-automatic-reload{true}",
               c.encryption_provider_config_automatic_reload,
               "use --encryption-provider-config anew whenever it changes")
      ->take_last();
  cli.add_flag(
         "--watch-cache{true}", raw.watch_cache,
         "false: events are kept in memory for as long as watches need them, not to resume from; objects are "
         "in any case")
      ->take_last();
  Single(cli, "--default-watch-cache-size", raw.default_watch_cache_size,
         "as upstream, only whether it is zero counts: then as --watch-cache=false");
  List(cli, "--watch-cache-sizes", raw.watch_cache_sizes,
       "resource[.group]#size; only whether it is zero counts: then as --watch-cache=false, for that "
       "resource");
  Single(cli, "--watch-cache-window-bytes", raw.window_bytes,
         "of events that a resource keeps at most, in memory");
  Single(cli, "--watch-cache-window-age", raw.window_age,
         "how long a resource keeps events in memory at most");
  Single(cli, "--event-ttl", raw.event_ttl, "how long events are kept");
  Single(cli, "--service-cluster-ip-range", c.service_cluster_ip_range,
         "addresses of services; of both IP families: two ranges, separated by a comma");
  Single(cli, "--service-node-port-range", c.service_node_port_range,
         "ports of nodes that services may have, both ends included");

  Single(cli, "--kubelet-client-certificate", raw.kubelet_client_certificate, "our certificate for kubelets");
  Single(cli, "--kubelet-client-key", raw.kubelet_client_key, "key of --kubelet-client-certificate");
  Single(cli, "--kubelet-certificate-authority", raw.kubelet_certificate_authority,
         "authorities of kubelets' certificates; default: any certificate will do");
  List(cli, "--kubelet-preferred-address-types", raw.kubelet_preferred_address_types,
       "addresses of nodes to reach kubelets at, the best first (default Hostname, InternalDNS, InternalIP, "
       "ExternalDNS, ExternalIP)");
  cli.add_flag(
         "--enable-aggregator-routing{true}", c.admission.webhooks_to_endpoints,
         "services of admission webhooks are reached at their endpoints, not at their cluster addresses")
      ->take_last();
  cli.add_flag(
         "--allow-loopback-backends{true}", c.allow_loopback_backends,
         "logs, exec and the proxies also connect to kubelets, pods and services at loopback addresses of "
         "this machine")
      ->take_last();
  cli.add_flag("--allow-core-dumps{true}", c.allow_core_dumps,
               "a crash may leave a core dump; it would hold keys, tokens and the data of secrets")
      ->take_last();
  List(cli, "--feature-gates", raw.feature_gates,
       "Name=bool; CBORServingAndStorage (off by default) offers CBOR to clients");
  List(cli, "--runtime-config", raw.runtime_config,
       "which APIs are served: group/version[/resource]=bool, api/all=bool, api/ga=bool");
  List(cli, "--controllers", c.controllers,
       "controllers to run: names, * for all, -name for not this one, -* for none, which "
       "kube-controller-manager runs then; clusterrole-aggregation-controller, garbage-collector-controller, "
       "namespace-controller, "
       "resourcequota-controller, root-ca-certificate-publisher-controller, serviceaccount-controller");

  Single(
      cli, "--namespace-deletion-grace-period", raw.namespace_deletion_grace_period,
      "how long a namespace that is deleted keeps what lies in it at most, for those who delete that one by "
      "one; it goes sooner once nothing in it has changed for a second; 0: at once");

  List(cli, "--enable-admission-plugins", c.admission.plugins.enabled,
       "admission plugins to run besides those that are on by default");
  List(cli, "--disable-admission-plugins", c.admission.plugins.disabled,
       "admission plugins not to run, of those that are on by default");
  Single(cli, "--admission-control-config-file", raw.admission_control_config_file,
         "file that configures admission plugins (AdmissionConfiguration)");
  Single(cli, "--default-not-ready-toleration-seconds", c.admission.default_not_ready_toleration_seconds,
         "how long pods stay on a node that is not ready, unless they say it themselves");
  Single(cli, "--default-unreachable-toleration-seconds", c.admission.default_unreachable_toleration_seconds,
         "how long pods stay on a node that cannot be reached, unless they say it themselves");

  Single(cli, "--max-requests-inflight", c.max_requests_inflight, "reads under way at a time; 0: no limit");
  Single(cli, "--max-mutating-requests-inflight", c.max_mutating_requests_inflight,
         "writes under way at a time; 0: no limit");
  Single(cli, "--request-timeout", raw.request_timeout, "longest time for a request that is no watch");
  Single(cli, "--min-request-timeout", raw.min_request_timeout,
         "shortest time in seconds before a watch without timeoutSeconds is ended");
  Single(cli, "--shutdown-delay-duration", raw.shutdown_delay_duration,
         "time to go on serving after a signal to stop, not ready any more");
  Single(cli, "--shutdown-grace-period", raw.shutdown_grace_period,
         "time that requests under way get to finish at the end");

  Single(cli, "-v,--v", raw.verbosity, "log level; 4 and above: debug");
  Single(cli, "--logging-format", raw.logging_format, "text or json");
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

// The command line before CLI11 sees it: flags that keelson has in the form that CLI11 reads, and everything
// that is wrong with the others.
class Arguments {
 public:
  explicit Arguments(const CLI::App& cli) : cli_(cli) {}

  void Read(std::span<const std::string> args) {
    for (size_t i = 0; i < args.size(); ++i) {
      const std::string& arg = args[i];
      const bool value_follows = i + 1 < args.size() && !args[i + 1].starts_with('-');
      if (!arg.starts_with('-')) {
        errors.push_back("unexpected argument: " + arg);
      } else if (const CLI::Option* const option = cli_.get_option_no_throw(OptionName(arg))) {
        // pflag adds nothing to a list then.
        if (arg.find('=') + 1 == arg.size() &&
            option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll)
          continue;
        known.push_back(Normalized(arg));
        const bool takes_next = arg == OptionName(arg) && option->get_items_expected_max() > 0;
        if (takes_next && i + 1 < args.size()) known.push_back(args[++i]);
      } else {
        const bool next = ReadOther(arg, value_follows ? &args[i + 1] : nullptr);
        if (next) ++i;
      }
    }
  }

  std::vector<std::string> known, errors;

 private:
  // "-v" of "-v=4" and of "-v4".
  static std::string OptionName(const std::string& arg) {
    return arg.starts_with("--") ? arg.substr(0, arg.find('=')) : arg.substr(0, 2);
  }

  // pflag's "-v=4" is CLI11's "--v=4".
  static std::string Normalized(std::string arg) {
    if (arg.starts_with("-v=")) arg.insert(0, "-");
    if (arg.find('=') + 1 == arg.size()) arg += kEmptyValue;
    return arg;
  }

  // Whether `next`, the next argument if that may be a value, belongs to the flag.
  bool ReadOther(const std::string& arg, const std::string* next) {
    std::string_view name = arg;
    name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
    const size_t mark = name.find('=');
    const bool has_value = mark != std::string_view::npos;
    const std::string value(has_value ? name.substr(mark + 1) : "");
    name = name.substr(0, mark);
    const MissingFlag* const missing = arg.starts_with("--") ? FindMissingFlag(name) : nullptr;
    if (!missing) {
      errors.push_back("unknown flag: " + arg.substr(0, arg.find('=')) + ": " + Advice(name));
      return !has_value && next;
    }
    const bool boolean = missing->kind == MissingFlag::Kind::kBool;
    const bool takes_next = !has_value && !boolean && next;
    if (auto why = WhyRefused(*missing, has_value ? value : boolean ? "true" : takes_next ? *next : ""))
      errors.push_back(std::move(*why));
    return takes_next;
  }

  std::string Advice(std::string_view name) const {
    size_t least = std::min<size_t>(3, 1 + name.size() / 4);  // what differs in more is another word
    std::string nearest;
    for (const CLI::Option* const option : cli_.get_options()) {
      for (const std::string& known_name : option->get_lnames()) {
        const size_t distance = EditDistance(name, known_name);
        if (distance >= least) continue;
        least = distance;
        nearest = known_name;
      }
    }
    if (!nearest.empty()) return "did you mean --" + nearest + "?";
    return "neither kube-apiserver v1.36 nor keelson has it; keelson serve --help lists those there are";
  }

  const CLI::App& cli_;
};

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

class Interpreter {
 public:
  explicit Interpreter(Raw raw) : raw_(std::move(raw)) {}

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
    c.min_request_timeout = std::chrono::seconds(raw_.min_request_timeout);
    Check(raw_.min_request_timeout >= 0, "--min-request-timeout must not be negative");
    Check(c.request_timeout.count() > 0, "--request-timeout must be greater than 0");
    Check(c.event_ttl.count() > 0, "--event-ttl must be at least 1s");
    Check(c.shutdown_delay_duration.count() >= 0, "--shutdown-delay-duration must not be negative");
    Controllers();
    Take(app::ParseFeatureGates(raw_.feature_gates), c.feature_gates);
    Take(app::RuntimeConfig::Parse(raw_.runtime_config), c.runtime_config);
    Admission();
    Check(c.max_requests_inflight >= 0, "--max-requests-inflight must not be negative");
    Check(c.max_mutating_requests_inflight >= 0, "--max-mutating-requests-inflight must not be negative");
    Check(c.threads >= 0 && c.threads <= 1024, "--threads must be between 0 and 1024");
    Network();
    Tls();
    FrontProxies();
    RemoteTokens();
    ServiceAccounts();
    Kubelets();
    Authorization();
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
    c.client_ca_file = raw_.client_ca_file;
    c.token_auth_file = raw_.token_auth_file;
    Check(c.tls_cert_file.empty() == c.tls_private_key_file.empty(),
          "--tls-cert-file and --tls-private-key-file must be given together");
    Check(c.tls_min_version.empty() || c.tls_min_version == "VersionTLS12" ||
              c.tls_min_version == "VersionTLS13",
          "--tls-min-version: VersionTLS12 or VersionTLS13, not " + c.tls_min_version);
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
    HeaderNames("requestheader-username-headers", "x-remote-user", proxy.username_headers);
    HeaderNames("requestheader-uid-headers", "x-remote-uid", proxy.uid_headers);
    HeaderNames("requestheader-group-headers", "x-remote-group", proxy.group_headers);
    HeaderNames("requestheader-extra-headers-prefix", "x-remote-extra-", proxy.extra_headers_prefixes);
    for (const std::string& name : proxy.allowed_names)
      Check(!base::Trimmed(name).empty(), "empty value in \"requestheader-allowed-names\"");
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
    const auto most = c.service_account_max_token_expiration;
    Check(most.count() == 0 || (most >= std::chrono::hours(1) && most <= std::chrono::seconds(1LL << 32)),
          "the service-account-max-token-expiration must be between 1 hour and 2^32 seconds");
  }

  void Kubelets() {
    Config& c = raw_.config;
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
          "authorization-mode " + QuotedList(given) + " has mode specified more than once");
  }

  // As Go prints a list of quoted strings.
  static std::string QuotedList(const std::vector<std::string>& list) {
    std::string text = "[";
    for (const std::string& item : list) (text += text.size() > 1 ? " " : "") += api::Quoted(item);
    return text + "]";
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

  void Logging() {
    Check(raw_.verbosity >= 0, "-v must not be negative");
    if (raw_.verbosity >= 4) raw_.config.log_level = base::LogLevel::kDebug;
    if (raw_.logging_format == "json")
      raw_.config.log_format = base::LogFormat::kJson;
    else
      Check(raw_.logging_format == "text", "--logging-format: text or json, not " + raw_.logging_format);
  }

  void DataDir() {
    if (!raw_.data_dir.empty()) {
      raw_.config.data_dir = fs::path(raw_.data_dir);
      return;
    }
    const char* const xdg = std::getenv("XDG_DATA_HOME");
    const char* const home = std::getenv("HOME");
    if (xdg && *xdg)
      raw_.config.data_dir = fs::path(xdg) / "keelson";
    else if (home && *home)
      raw_.config.data_dir = fs::path(home) / ".local" / "share" / "keelson";
    else
      Fail("neither $XDG_DATA_HOME nor $HOME is set: say --data-dir");
  }

  Raw raw_;
  std::string errors_;
};

}  // namespace

base::Result<Parsed, std::string> ParseServeFlags(std::span<const std::string> args) {
  CLI::App cli("Serves the Kubernetes API.", "keelson serve");
  Raw raw;
  AddFlags(cli, raw);
  Arguments arguments(cli);
  arguments.Read(args);
  std::vector<std::string> reversed = std::move(arguments.known);
  std::reverse(reversed.begin(), reversed.end());
  try {
    cli.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return Parsed{.help = cli.help()};
  } catch (const CLI::ParseError& error) {
    arguments.errors.emplace_back(error.what());
    return base::Err(Joined(arguments.errors));
  }
  for (const CLI::Option* const option : cli.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_name();
    raw.oidc_given = raw.oidc_given || name.starts_with("--oidc-");
    raw.authorization_flags_given = raw.authorization_flags_given || name == "--authorization-mode" ||
                                    name.starts_with("--authorization-webhook-");
    raw.config.anonymous_auth_given = raw.config.anonymous_auth_given || name == "--anonymous-auth";
  }
  auto config = Interpreter(std::move(raw)).Run();
  if (!config) arguments.errors.push_back(std::move(config.error()));
  if (!arguments.errors.empty()) return base::Err(Joined(arguments.errors));
  return Parsed{.config = std::move(*config)};
}

}  // namespace keelson::cmd
