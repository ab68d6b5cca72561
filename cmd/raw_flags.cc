#include "cmd/raw_flags.h"

#include <type_traits>

namespace keelson::cmd {
namespace {

using app::Config;

// A flag behaves as one of pflag: the last of several wins; lists are joined and split at commas.
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
void Bool(CLI::App& cli, const std::string& name, bool& value, const std::string& help) {
  cli.add_flag(name, value, help)->take_last()->default_function([&value] {
    return std::string(value ? "true" : "false");
  });
}
void List(CLI::App& cli, const char* name, std::vector<std::string>& value, const char* help) {
  cli.add_option(name, value, help)->delimiter(',')->expected(1)->take_all();
}

void AddRemoteTokenFlags(CLI::App& cli, RawFlags& raw) {
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

void AddAuthorizationFlags(CLI::App& cli, RawFlags& raw) {
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

void AddFrontProxyFlags(CLI::App& cli, RawFlags& raw) {
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
  Single(
      cli, "--proxy-client-cert-file", raw.proxy_client_cert_file,
      "certificate by which this server proves to aggregated API servers that it may name users; read again "
      "when it changes");
  Single(cli, "--proxy-client-key-file", raw.proxy_client_key_file, "key of --proxy-client-cert-file");
  Bool(cli, "--aggregator-reject-forwarding-redirect{true}", raw.config.aggregator.reject_forwarding_redirect,
       "redirects that aggregated API servers answer with are not passed on");
  Single(cli, "--peer-ca-file", raw.peer_ca_file,
         "authorities of the certificates of other API servers on the same etcd, for kubernetes.default.svc; "
         "with "
         "it requests for what only others serve are passed on to them, and discovery tells of it");
  Single(cli, "--peer-advertise-ip", raw.config.peers.advertise_ip,
         "where other API servers reach this one; default: --advertise-address");
  Single(cli, "--peer-advertise-port", raw.peer_advertise_port,
         "the port there; default: the one that is served on");
}

void AddNetworkFlags(CLI::App& cli, RawFlags& raw) {
  Config& c = raw.config;
  Single(cli, "--data-dir", raw.data_dir,
         "holds everything the server writes (default $XDG_DATA_HOME/keelson or ~/.local/share/keelson); "
         "unused on "
         "etcd when flags name the serving certificate, the authorities of clients and the key of tokens");
  Single(cli, "--threads", c.threads, "event loops; 0: one per core");

  Single(cli, "--bind-address", c.bind_address, "address to listen on");
  Single(cli, "--secure-port", raw.secure_port, "port to listen on; 0: any free one");
  Single(cli, "--advertise-address", c.advertise_address, "address that others reach this server at");
  Single(
      cli, "--external-hostname", c.external_hostname,
      "name in URLs for clients elsewhere, in discovery and OpenID discovery; default: --advertise-address");
  Single(cli, "--advertise-port", raw.advertise_port,
         "port that others reach this server at; 0: --secure-port; a flag of k3s, not of kube-apiserver");
  cli.add_flag("--permit-port-sharing{true}", c.permit_port_sharing,
               "other processes may listen on --secure-port, too; the kernel spreads connections over them")
      ->take_last();
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
}

void AddTlsFlags(CLI::App& cli, RawFlags& raw) {
  Config& c = raw.config;
  Single(cli, "--tls-cert-file", raw.tls_cert_file,
         "serving certificate, with its chain; default: one made on the first start; like every file of "
         "certificates it is read again when it changes");
  Single(cli, "--tls-private-key-file", raw.tls_private_key_file, "key of --tls-cert-file");
  Single(
      cli, "--cert-dir", raw.cert_dir,
      "holds the serving certificate apiserver.crt and its key apiserver.key, which are made there when they "
      "are not; without a --data-dir, and unless objects are kept on this disk, all else that is written, "
      "too; --tls-cert-file counts more")
      ->default_str("");
  cli.add_option(
         "--tls-sni-cert-key", raw.tls_sni_cert_keys,
         "certificate,key[:name,...]: files of a certificate for clients that ask for these names, or for "
         "those in it; may be given more than once: earlier ones count more, and names that are given "
         "count more than those in certificates")
      ->expected(1)
      ->take_all();
  Single(cli, "--tls-min-version", c.tls_min_version, "VersionTLS12 or VersionTLS13");
  List(cli, "--tls-cipher-suites", c.tls_cipher_suites, "cipher suites for TLS 1.2, by their IANA names");
  cli.add_option("--tls-curve-preferences", c.tls_curve_preferences,
                 "key exchanges by their numbers in TLS, the best first: 23 (P-256), 24 (P-384), 25 (P-521), "
                 "29 (X25519)")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  cli.add_flag("--disable-http2-serving{true}", c.disable_http2_serving, "only HTTP/1.1 is offered")
      ->take_last();
  List(cli, "--tls-san", c.tls_san, "more names and addresses for the generated serving certificate");
}

void AddAuthenticationFlags(CLI::App& cli, RawFlags& raw) {
  Config& c = raw.config;
  Single(cli, "--client-ca-file", raw.client_ca_file,
         "authorities of client certificates; default: the server's own");
  Single(cli, "--token-auth-file", raw.token_auth_file, "CSV of token,user,uid[,\"group,...\"]");
  AddFrontProxyFlags(cli, raw);
  AddRemoteTokenFlags(cli, raw);
  Bool(cli, "--anonymous-auth{true}", c.anonymous_auth, "requests without credentials are system:anonymous");
}

void AddServiceAccountFlags(CLI::App& cli, RawFlags& raw) {
  Config& c = raw.config;
  List(cli, "--service-account-issuer", c.service_account_issuers,
       "who issues service account tokens; the first issues, all are believed");
  List(cli, "--service-account-key-file", raw.service_account_key_files,
       "keys that service account tokens are checked with; default: the signing key");
  Single(cli, "--service-account-signing-key-file", raw.service_account_signing_key_file,
         "signs service account tokens; default: a key made on the first start");
  Single(cli, "--service-account-max-token-expiration", raw.service_account_max_token_expiration,
         "longest life of a service account token; 0: no limit");
  Bool(cli, "--service-account-extend-token-expiration{true}", c.service_account_extend_token_expiration,
       "tokens of pods live for a year, so that programs that do not reload them go on");
  Bool(cli, "--service-account-lookup{true}", c.service_account_lookup,
       "tokens that secrets hold must be in their secret still, and their service account must exist");
  Bool(cli, "--enable-bootstrap-token-auth{true}", c.enable_bootstrap_token_auth,
       "secrets of the type bootstrap.kubernetes.io/token in kube-system authenticate");
  Single(
      cli, "--service-account-jwks-uri", c.service_account_jwks_uri,
      "where others find the keys of tokens, by https, as OpenID discovery tells; default: at this server");
  List(cli, "--api-audiences", c.api_audiences,
       "whom tokens for this server are meant for; default: the issuers");
}

void AddStorageFlags(CLI::App& cli, RawFlags& raw) {
  Config& c = raw.config;
  Single(cli, "--storage-backend", raw.storage_backend, "embedded (the default), memory or etcd3");
  List(cli, "--etcd-servers", raw.etcd_servers,
       "etcd to store in (http://host:port, unix:///path, ...); implies etcd3");
  List(cli, "--etcd-servers-overrides", raw.etcd_servers_overrides,
       "group/resource#servers, the servers separated by semicolons: a built-in resource is stored on these "
       "(/events#https://10.0.0.1:2379;https://10.0.0.2:2379); apps/*: every resource of a group");
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
  Bool(cli, "--encryption-provider-config-automatic-reload{true}",
       c.encryption_provider_config_automatic_reload,
       "use --encryption-provider-config anew whenever it changes");
}

void AddStoreCareFlags(CLI::App& cli, RawFlags& raw) {
  Single(cli, "--etcd-healthcheck-timeout", raw.etcd_healthcheck_timeout,
         "an etcd that takes longer to answer is not well");
  Single(cli, "--etcd-readycheck-timeout", raw.etcd_readycheck_timeout,
         "as --etcd-healthcheck-timeout: one question serves both checks");
  Single(cli, "--etcd-db-metric-poll-interval", raw.etcd_db_metric_poll_interval,
         "how often etcd is asked for apiserver_storage_size_bytes; 0: never");
  Single(cli, "--etcd-count-metric-poll-period", raw.etcd_count_metric_poll_period,
         "how old apiserver_resource_objects may be; it is what there is at the moment");
  Single(cli, "--storage-initialization-timeout", raw.storage_initialization_timeout,
         "how long the start waits for etcd's first answer");
  Single(cli, "--lease-reuse-duration-seconds", raw.lease_reuse_duration_seconds,
         "for how long events share a lease, at most");
  Single(cli, "--delete-collection-workers", raw.delete_collection_workers,
         "objects of a collection that are deleted at a time (default 256)")
      ->default_str("");
}

void AddWatchCacheFlags(CLI::App& cli, RawFlags& raw) {
  Bool(cli, "--watch-cache{true}", raw.watch_cache,
       "false: events are kept in memory for as long as watches need them, not to resume from; objects are "
       "in any case");
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
}

void AddClusterFlags(CLI::App& cli, RawFlags& raw) {
  Config& c = raw.config;
  Bool(cli, "--allow-privileged{true}", c.allow_privileged, "containers of pods may be privileged");
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
  Single(cli, "--kubelet-timeout", raw.kubelet_timeout,
         "how long connecting to a kubelet may take (default 30s)");
  Single(cli, "--egress-selector-config-file", raw.egress_selector_config_file,
         "EgressSelectorConfiguration: a proxy that connections to kubelets, pods and services go through");
  Single(cli, "--tracing-config-file", raw.tracing_config_file,
         "TracingConfiguration: which requests are traced, and the collector that their spans are sent to");
  Bool(cli, "--enable-aggregator-routing{true}", c.admission.webhooks_to_endpoints,
       "services of admission webhooks and aggregated APIs are reached at their endpoints, not at their "
       "cluster addresses");
  Bool(cli, "--allow-loopback-backends{true}", c.allow_loopback_backends,
       "logs, exec and the proxies also connect to kubelets, pods and services at loopback addresses of "
       "this machine");
  Bool(cli, "--allow-core-dumps{true}", c.allow_core_dumps,
       "a crash may leave a core dump; it would hold keys, tokens and the data of secrets");
}

void AddApiFlags(CLI::App& cli, RawFlags& raw) {
  Config& c = raw.config;
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
}

void AddAdmissionFlags(CLI::App& cli, RawFlags& raw) {
  Config& c = raw.config;
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
}

// Adds the flags `--audit-NAME-*` of one sink, the log or the webhook.
void AddAuditSinkFlags(CLI::App& cli, const std::string& name, audit::BatchFlags& batch,
                       std::string& max_wait, audit::TruncateFlags& truncate, std::string& version) {
  const auto single = [&](const std::string& flag, auto& value, const char* help) {
    Single(cli, ("--audit-" + name + flag).c_str(), value, help);
  };
  const auto flag = [&](const std::string& rest, bool& value, const char* help) {
    Bool(cli, "--audit-" + name + rest + "{true}", value, help);
  };
  single(
      "-mode", batch.mode,
      "who waits for an event to be kept: batch: nobody; blocking: the answer; blocking-strict: the answer, "
      "and a request is refused when its first event cannot be kept");
  single("-batch-buffer-size", batch.buffer_size, "events that may wait in the mode batch; more are dropped");
  single("-batch-max-size", batch.max_size, "events in one batch");
  single("-batch-max-wait", max_wait, "how long a batch waits to become full");
  flag("-batch-throttle-enable", batch.throttle_enable, "batches are limited in number");
  single("-batch-throttle-qps", batch.throttle_qps, "batches in a second, on average");
  single("-batch-throttle-burst", batch.throttle_burst, "batches at once, after a rest");
  flag("-truncate-enabled", truncate.enabled, "events and batches are limited in size");
  single("-truncate-max-batch-size", truncate.max_batch_size, "bytes of a batch; a longer one is split");
  single(
      "-truncate-max-event-size", truncate.max_event_size,
      "bytes of an event; a longer one loses its request and response, and if that is not enough it is lost");
  single("-version", version, "of the events: audit.k8s.io/v1");
}

void AddAuditFlags(CLI::App& cli, RawFlags& raw) {
  audit::LogConfig& log = raw.config.audit.log;
  audit::WebhookConfig& webhook = raw.config.audit.webhook;
  Single(cli, "--audit-policy-file", raw.audit_policy_file,
         "Policy of audit.k8s.io/v1: which requests are recorded, and how much of them");
  Single(cli, "--audit-log-path", log.path, "file that events are written to; -: standard output");
  Single(cli, "--audit-log-maxage", log.max_age, "days that old files are kept; 0: no limit");
  Single(cli, "--audit-log-maxbackup", log.max_backups, "old files that are kept; 0: no limit");
  Single(cli, "--audit-log-maxsize", log.max_size, "MiB after which the file is put aside; 0: never");
  Bool(cli, "--audit-log-compress{true}", log.compress, "old files are compressed by gzip");
  Single(cli, "--audit-log-format", log.format, "json, or legacy: a line of text");
  AddAuditSinkFlags(cli, "log", log.batch, raw.audit_log_max_wait, log.truncate, log.version);
  Single(cli, "--audit-webhook-config-file", raw.audit_webhook_config_file,
         "kubeconfig of a webhook that events are sent to");
  Single(cli, "--audit-webhook-initial-backoff,--audit-webhook-batch-initial-backoff",
         raw.audit_webhook_initial_backoff, "how long to wait before what failed is sent again");
  AddAuditSinkFlags(cli, "webhook", webhook.batch, raw.audit_webhook_max_wait, webhook.truncate,
                    webhook.version);
}

void AddRequestFlags(CLI::App& cli, RawFlags& raw) {
  Config& c = raw.config;
  Bool(cli, "--enable-priority-and-fairness{true}", c.enable_priority_and_fairness,
       "requests share the server by flow schemas and priority levels");
  Single(cli, "--max-requests-inflight", c.max_requests_inflight,
         "seats that requests share, with those of --max-mutating-requests-inflight; without priority and "
         "fairness, "
         "reads under way at a time, 0: no limit");
  Single(cli, "--max-mutating-requests-inflight", c.max_mutating_requests_inflight,
         "seats that requests share, with those of --max-requests-inflight; without priority and fairness, "
         "writes under way at a time, 0: no limit");
  Single(cli, "--request-timeout", raw.request_timeout, "longest time for a request that is no watch");
  Single(cli, "--min-request-timeout", raw.min_request_timeout,
         "shortest time in seconds before a watch without timeoutSeconds is ended");
  Single(cli, "--livez-grace-period", raw.livez_grace_period,
         "how long after the start /livez passes though the start is not through; default: until it is");
  Single(cli, "--shutdown-delay-duration", raw.shutdown_delay_duration,
         "time to go on serving after a signal to stop, not ready any more");
  Bool(cli, "--shutdown-send-retry-after{true}", c.shutdown_send_retry_after,
       "after that time new requests are answered with 429 until those under way are done; only then is "
       "listening ended");
  Single(cli, "--shutdown-watch-termination-grace-period", raw.shutdown_watch_grace_period,
         "time within which watches are ended one after the other; 0: all at once");
  Single(cli, "--goaway-chance", c.goaway_chance,
         "how likely an answer of HTTP/2 ends its connection, so that clients spread over servers; 0.02 at "
         "most");
  List(cli, "--cors-allowed-origins", c.cors_allowed_origins,
       "regular expressions: web pages of these origins may read answers");
  List(cli, "--strict-transport-security-directives", c.strict_transport_security_directives,
       "max-age=seconds, includeSubDomains, preload: the header Strict-Transport-Security of answers");
  Single(cli, "--shutdown-grace-period", raw.shutdown_grace_period,
         "time that requests under way get to finish at the end");

  Bool(cli, "--profiling{true}", c.profiling,
       "profiles of the processor and the heap, and the log's verbosity, at /debug/pprof and /debug/flags");
}

void AddLogFlags(CLI::App& cli, RawFlags& raw) {
  Single(cli, "-v,--v", raw.verbosity,
         "how much is logged; 3: a line for each request; 4: what is tried again, and the like");
  Single(cli, "--vmodule", raw.vmodule,
         "pattern=N,...: files whose names match log as with -v=N; not in the format json");
  Single(cli, "--logging-format", raw.logging_format,
         "keelson: for people; text and json: as kube-apiserver logs by these names (default under the name "
         "kube-apiserver: text)");
  Single(cli, "--log-flush-frequency", raw.log_flush_frequency,
         "how long lines wait that --log-*-info-buffer-size gathers");
  const auto output = [&](const std::string& format, RawFlags::LogOutput& to) {
    Bool(cli, "--log-" + format + "-split-stream{true}", to.split_stream,
         "in that format, only what went wrong is written to stderr, and the rest to stdout; needs the "
         "feature gate LoggingAlphaOptions");
    Single(cli, ("--log-" + format + "-info-buffer-size").c_str(), to.info_buffer_size,
           "bytes (512, 1k, 2Ki) of lines to stdout that are gathered before they are written; needs the "
           "feature gate LoggingAlphaOptions");
  };
  output("text", raw.log_text);
  output("json", raw.log_json);
}

}  // namespace

void AddServeFlags(CLI::App& cli, RawFlags& raw) {
  cli.set_help_flag("-h,--help", "print this and end");
  cli.add_flag("--version{true}", raw.version, "print the version and end")->take_last();
  AddNetworkFlags(cli, raw);
  AddTlsFlags(cli, raw);
  AddAuthenticationFlags(cli, raw);
  AddServiceAccountFlags(cli, raw);
  AddAuthorizationFlags(cli, raw);
  AddStorageFlags(cli, raw);
  AddStoreCareFlags(cli, raw);
  AddWatchCacheFlags(cli, raw);
  AddClusterFlags(cli, raw);
  AddApiFlags(cli, raw);
  AddAdmissionFlags(cli, raw);
  AddAuditFlags(cli, raw);
  AddRequestFlags(cli, raw);
  AddLogFlags(cli, raw);
}

}  // namespace keelson::cmd
