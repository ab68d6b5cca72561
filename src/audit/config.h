// What the flags --audit-* decide.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace keelson::audit {

struct BatchFlags {
  std::string mode;  // batch, blocking or blocking-strict
  int64_t buffer_size = 10'000, max_size = 1;
  std::chrono::nanoseconds max_wait{0};
  bool throttle_enable = false;
  double throttle_qps = 0;
  int64_t throttle_burst = 0;
};

struct TruncateFlags {
  bool enabled = false;
  int64_t max_batch_size = 10 * 1024 * 1024, max_event_size = 100 * 1024;
};

struct LogConfig {
  std::string path;                                          // empty: none; "-": standard output
  int64_t max_age = 366, max_backups = 100, max_size = 100;  // days, files, MiB
  bool compress = false;
  std::string format = "json";  // or legacy
  std::string version = "audit.k8s.io/v1";
  BatchFlags batch{.mode = "blocking"};
  TruncateFlags truncate;
};

struct WebhookConfig {
  std::filesystem::path config_file;  // a kubeconfig; empty: none
  std::chrono::nanoseconds initial_backoff = std::chrono::seconds(10);
  std::string version = "audit.k8s.io/v1";
  BatchFlags batch{.mode = "batch",
                   .max_size = 400,
                   .max_wait = std::chrono::seconds(30),
                   .throttle_enable = true,
                   .throttle_qps = 10,
                   .throttle_burst = 15};
  TruncateFlags truncate;
};

struct Config {
  std::filesystem::path policy_file;  // empty: nothing is audited
  LogConfig log;
  WebhookConfig webhook;
};

// What is wrong with the flags of the sinks that are used, in upstream's words.
std::vector<std::string> Validate(const Config& config);

}  // namespace keelson::audit
