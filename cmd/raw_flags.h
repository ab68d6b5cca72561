// RawFlags: the values of the flags of serve as they are given; InterpretFlags checks them and makes a
// Config.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/config.h"

namespace keelson::cmd {

// Stands for the value of "--flag=", which CLI11 would take from the next argument.
inline constexpr char kEmptyValue[] = "\x01";

struct RawFlags {
  app::Config config;
  bool version = false;
  std::string data_dir, cert_dir;
  std::string tls_cert_file, tls_private_key_file, client_ca_file, token_auth_file, proxy_client_ca_file;
  std::string proxy_client_cert_file, proxy_client_key_file;
  std::string peer_ca_file, peer_advertise_port;
  std::string authentication_config, oidc_ca_file, token_webhook_config_file, admission_control_config_file;
  std::string token_webhook_cache_ttl = "2m0s";
  std::vector<std::string> oidc_signing_algs, oidc_required_claims;
  bool oidc_given = false;
  int secure_port = 6443, advertise_port = 0;
  std::vector<std::string> authorization_mode, etcd_servers, etcd_servers_overrides;
  std::string authorization_policy_file, authorization_config, authorization_webhook_config_file;
  std::string authorization_webhook_authorized_ttl = "5m0s", authorization_webhook_unauthorized_ttl = "30s";
  bool authorization_flags_given = false;  // that a file would contradict
  std::string storage_backend, etcd_cafile, etcd_certfile, etcd_keyfile;
  std::string etcd_compaction_interval = "5m0s", history_retention;
  std::string etcd_healthcheck_timeout = "2s", etcd_readycheck_timeout = "2s",
              etcd_count_metric_poll_period = "1m0s", etcd_db_metric_poll_interval = "30s",
              storage_initialization_timeout = "1m0s";
  int64_t lease_reuse_duration_seconds = 60;
  std::optional<int64_t> delete_collection_workers;
  std::optional<int64_t> accept_data_loss;
  std::vector<std::string> storage_quotas;
  std::string max_object_bytes = "0", window_bytes = "32Mi", window_age = "5m0s";
  std::string encryption_provider_config;
  std::vector<std::string> watch_cache_sizes;
  bool watch_cache = true;
  int default_watch_cache_size = 100;
  std::string event_ttl = "1h0m0s", request_timeout = "1m0s";
  std::string namespace_deletion_grace_period = "5s", livez_grace_period;
  std::string shutdown_delay_duration = "0s", shutdown_grace_period = "10s",
              shutdown_watch_grace_period = "0s";
  std::vector<std::string> tls_sni_cert_keys;
  std::vector<std::string> service_account_key_files;
  std::string service_account_signing_key_file, service_account_max_token_expiration = "0s";
  std::vector<std::string> feature_gates, runtime_config, kubelet_preferred_address_types;
  std::string egress_selector_config_file, kubelet_timeout, tracing_config_file;
  std::string kubelet_client_certificate, kubelet_client_key, kubelet_certificate_authority;
  std::string audit_policy_file, audit_webhook_config_file;
  std::string audit_log_max_wait = "0s", audit_webhook_max_wait = "30s",
              audit_webhook_initial_backoff = "10s";
  int64_t min_request_timeout = 1800;
  int http2_max_streams = 0;
  int64_t max_connections = 0, max_unauthenticated_connections = 16384;
  int64_t max_unauthenticated_connections_per_address = 1024;
  int verbosity = 0;
  std::string logging_format = "keelson", vmodule, log_flush_frequency = "5s";
  // The flags of one log format: --log-text-*, --log-json-*.
  struct LogOutput {
    bool split_stream = false;
    std::string info_buffer_size = "0";
  };
  LogOutput log_text, log_json;
};

// Tells `cli` of every flag of serve; what is given goes to `raw`, whose values are the defaults.
void AddServeFlags(CLI::App& cli, RawFlags& raw);

}  // namespace keelson::cmd
