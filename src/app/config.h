// Config: everything the command line decides.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admission/chain.h"
#include "app/feature_gates.h"
#include "app/runtime_config.h"
#include "audit/config.h"
#include "base/log.h"
#include "base/log_writer.h"
#include "base/result.h"

namespace keelson::app {

enum class StorageBackend : uint8_t { kEmbedded, kMemory, kEtcd3 };
enum class AuthorizationMode : uint8_t { kNode, kRbac, kAbac, kWebhook, kAlwaysAllow, kAlwaysDeny };

inline constexpr std::string_view kNamespaceController = "namespace-controller";
inline constexpr std::string_view kGarbageCollector = "garbage-collector-controller";
inline constexpr std::string_view kServiceAccounts = "serviceaccount-controller";
inline constexpr std::string_view kRootCaPublisher = "root-ca-certificate-publisher-controller";
inline constexpr std::string_view kClusterRoleAggregation = "clusterrole-aggregation-controller";
inline constexpr std::string_view kResourceQuota = "resourcequota-controller";
inline constexpr std::string_view kControllers[] = {kClusterRoleAggregation, kGarbageCollector,
                                                    kNamespaceController,    kResourceQuota,
                                                    kRootCaPublisher,        kServiceAccounts};

struct AdmissionConfig {
  admission::Selection plugins;               // --enable-admission-plugins, --disable-admission-plugins
  std::filesystem::path control_config_file;  // --admission-control-config-file; empty: none
  int64_t default_not_ready_toleration_seconds = 300;
  int64_t default_unreachable_toleration_seconds = 300;
  bool webhooks_to_endpoints = false;  // --enable-aggregator-routing; of aggregated APIs, too
};

// What is kept of the past in memory, per resource: --watch-cache-*.
struct WindowConfig {
  uint64_t bytes = uint64_t{32} << 20;
  std::chrono::seconds age{300};
  bool off = false;               // for all
  std::set<std::string> off_for;  // "pods", "deployments.apps"
};

// Who may say whom they have authenticated: --requestheader-*. Header names in lower case.
struct FrontProxyConfig {
  std::filesystem::path client_ca_file;    // empty: nobody
  std::vector<std::string> allowed_names;  // empty: everybody whom the authorities vouch for
  std::vector<std::string> username_headers, uid_headers, group_headers, extra_headers_prefixes;
};

// How aggregated APIs are reached.
struct AggregatorConfig {
  std::filesystem::path proxy_client_cert_file, proxy_client_key_file;  // both or neither
  bool reject_forwarding_redirect = true;
};

// Other servers on the same store that serve what this one does not: --peer-*.
struct PeersConfig {
  std::filesystem::path ca_file;  // of their certificates; empty: no request is passed on
  std::string advertise_ip;       // where they reach this one; empty: where clients do
  uint16_t advertise_port = 0;
};

// Who else is asked about tokens: --authentication-token-webhook-*.
struct WebhookTokenConfig {
  std::filesystem::path config_file;  // empty: nobody
  std::string version = "v1beta1";
  std::chrono::nanoseconds cache_ttl = std::chrono::minutes(2);
};

// Who else is asked what a request may do: --authorization-webhook-*.
struct WebhookAuthorizationConfig {
  std::filesystem::path config_file;  // empty: nobody
  std::string version = "v1beta1";
  std::chrono::nanoseconds authorized_ttl = std::chrono::minutes(5);
  std::chrono::nanoseconds unauthorized_ttl = std::chrono::seconds(30);
};

// An OpenID provider whose tokens are believed: --oidc-*.
struct OidcConfig {
  std::string issuer_url, client_id;  // both or neither
  std::filesystem::path ca_file;
  std::string username_claim = "sub", username_prefix, groups_claim, groups_prefix;
  std::vector<std::string> signing_algs = {"RS256"};
  std::map<std::string, std::string> required_claims;
};

// A serving certificate for clients that ask for certain names: --tls-sni-cert-key.
struct SniCertificate {
  std::filesystem::path certificate_file, key_file;
  std::vector<std::string> names;  // empty: those in the certificate
};

// A built-in resource whose objects are on other etcd servers: --etcd-servers-overrides.
struct EtcdOverride {
  std::string group, resource;  // the resource may be kEveryResource
  std::vector<std::string> servers;
};
inline constexpr std::string_view kEveryResource = "*";  // of a group

// Names are those of the flags. Members stand by topic: there is one Config, and its padding costs nothing.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct Config {
  std::filesystem::path data_dir;  // empty only where NeedsDataDir says no
  int threads = 0;                 // 0: one event loop per core

  std::string bind_address = "0.0.0.0";
  uint16_t secure_port = 6443;                     // 0: any free one
  std::string external_hostname;                   // in URLs for clients elsewhere; empty: advertise_address
  std::string advertise_address;                   // empty: bind_address, or that of the first interface
  bool permit_port_sharing = false;                // other processes may listen on it, too
  uint16_t advertise_port = 0;                     // 0: the one that is listened on
  uint32_t http2_max_streams_per_connection = 0;   // 0: the default
  size_t max_connections = 0;                      // 0: as many as the limit on open files allows
  size_t max_unauthenticated_connections = 16384;  // 0: no limit
  size_t max_unauthenticated_connections_per_address = 1024;  // 0: no limit

  std::filesystem::path tls_cert_file, tls_private_key_file;  // both or neither
  std::filesystem::path cert_dir;  // where else the serving pair is, or is made; empty: in data_dir
  std::vector<SniCertificate> tls_sni_cert_keys;
  std::string tls_min_version;
  std::vector<std::string> tls_cipher_suites;
  std::vector<int> tls_curve_preferences;  // by their numbers in TLS
  bool disable_http2_serving = false;
  std::vector<std::string> tls_san;  // more names for the generated serving certificate

  std::filesystem::path client_ca_file, token_auth_file;
  bool anonymous_auth = true;
  bool anonymous_auth_given = false;  // by the flag
  FrontProxyConfig front_proxy;
  AggregatorConfig aggregator;
  PeersConfig peers;
  WebhookTokenConfig token_webhook;
  OidcConfig oidc;
  std::filesystem::path authentication_config;  // empty: the flags say it all
  bool allow_privileged = true;                 // containers of pods may be privileged

  std::vector<std::string> service_account_issuers;                  // the first issues, all are believed
  std::vector<std::filesystem::path> service_account_key_files;      // empty: the signing key checks, too
  std::filesystem::path service_account_signing_key_file;            // empty: one made on the first start
  std::chrono::nanoseconds service_account_max_token_expiration{0};  // 0: no limit
  bool service_account_extend_token_expiration = true;
  bool service_account_lookup = true;
  bool enable_bootstrap_token_auth = false;
  std::vector<std::string> api_audiences;           // empty: the issuers
  std::string service_account_jwks_uri;             // empty: that of this server
  std::filesystem::path authorization_policy_file;  // of the mode ABAC
  std::vector<AuthorizationMode> authorization_modes = {AuthorizationMode::kNode,
                                                        AuthorizationMode::kRbac};  // asked in this order
  WebhookAuthorizationConfig authorization_webhook;                                 // of the mode Webhook
  std::filesystem::path authorization_config;  // empty: the flags say it all; else there are no modes

  StorageBackend storage_backend = StorageBackend::kEmbedded;
  std::vector<std::string> etcd_servers;
  std::vector<EtcdOverride> etcd_servers_overrides;
  std::filesystem::path etcd_cafile, etcd_certfile, etcd_keyfile;
  std::string etcd_prefix = "/registry";  // of all keys, in every backend
  std::chrono::nanoseconds etcd_healthcheck_timeout = std::chrono::seconds(2);        // of readiness, too
  std::chrono::nanoseconds etcd_db_metric_poll_interval = std::chrono::seconds(30);   // 0: never
  std::chrono::nanoseconds storage_initialization_timeout = std::chrono::minutes(1);  // of etcd
  std::chrono::seconds lease_reuse{60};             // for how long events share a lease, at most
  std::optional<size_t> delete_collection_workers;  // nullopt: registry::kCollectionWorkers
  std::chrono::nanoseconds etcd_compaction_interval = std::chrono::minutes(5);  // of etcd; 0: others do it
  std::chrono::nanoseconds history_retention = std::chrono::minutes(5);  // of a store of our own; 0: for ever
  std::optional<int64_t> accept_data_loss;  // the embedded store may lack what came after this revision
  WindowConfig watch_window;
  std::map<std::string, uint64_t> storage_quotas = {{"events", uint64_t{1} << 30}};  // as windows are named
  uint64_t max_object_bytes = 0;                     // 0: what the protocol and the store allow
  std::filesystem::path encryption_provider_config;  // empty: the embedded store encrypts secrets
  bool encryption_provider_config_automatic_reload = false;
  std::chrono::seconds event_ttl{3600};
  std::string service_cluster_ip_range = "10.0.0.0/24";
  std::string service_node_port_range = "30000-32767";

  // How kubelets are asked.
  std::filesystem::path kubelet_client_certificate, kubelet_client_key;  // both or neither
  std::filesystem::path kubelet_certificate_authority;                   // empty: any certificate will do
  std::vector<std::string> kubelet_preferred_address_types = {"Hostname", "InternalDNS", "InternalIP",
                                                              "ExternalDNS", "ExternalIP"};
  std::chrono::nanoseconds kubelet_timeout = std::chrono::seconds(30);  // to connect
  std::filesystem::path egress_selector_config_file;                    // empty: they are reached directly
  std::filesystem::path tracing_config_file;                            // empty: requests are not traced
  bool allow_loopback_backends = false;  // kubelets, pods and services may be on this machine
  bool allow_core_dumps = false;         // a crash may write down what is in memory

  FeatureGates feature_gates;
  RuntimeConfig runtime_config;

  // As kube-controller-manager: "*" for all, a name for one, "-name" against one.
  std::vector<std::string> controllers = {"*"};
  std::chrono::nanoseconds namespace_deletion_grace_period = std::chrono::seconds(5);  // 0: none

  AdmissionConfig admission;
  audit::Config audit;

  bool enable_priority_and_fairness = true;  // the two limits are then seats that all share
  int64_t max_requests_inflight = 400;
  int64_t max_mutating_requests_inflight = 200;
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(60);
  std::chrono::seconds min_request_timeout{1800};
  // How long /livez takes a start that is not through as alive; nullopt: for ever.
  std::optional<std::chrono::nanoseconds> livez_grace_period;
  std::chrono::nanoseconds shutdown_delay_duration{0};
  std::chrono::nanoseconds shutdown_grace_period = std::chrono::seconds(10);
  std::chrono::nanoseconds shutdown_watch_termination_grace_period{0};  // 0: watches end at once
  bool shutdown_send_retry_after = false;
  double goaway_chance = 0;
  std::vector<std::string> cors_allowed_origins;
  std::vector<std::string> strict_transport_security_directives;

  bool profiling = true;                     // /debug/pprof and /debug/flags are served
  std::map<std::string, std::string> flags;  // for /flagz: all that there are, by name
  base::LogConfig log;
  base::LogStreams log_streams;
};

bool RunsController(const Config& config, std::string_view name);

// Whether the server keeps anything in its data directory: objects, or keys and certificates that no flag
// names. One on etcd that is given all of its files writes nothing.
bool NeedsDataDir(const Config& config);

}  // namespace keelson::app
