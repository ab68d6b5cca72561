#include "audit/config.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>

#include "audit/encoding.h"

namespace keelson::audit {
namespace {

std::string Shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

std::optional<std::string> CheckBatch(const std::string& sink, const BatchFlags& flags) {
  constexpr std::string_view kModes[] = {"batch", "blocking", "blocking-strict"};
  if (std::ranges::find(kModes, flags.mode) == std::end(kModes))
    return "invalid audit " + sink + " mode " + flags.mode +
           ", allowed modes are \"batch,blocking,blocking-strict\"";
  if (flags.mode != "batch") return std::nullopt;
  const auto positive = [&](const std::string& what, double number) -> std::optional<std::string> {
    if (number > 0) return std::nullopt;
    return "invalid audit batch " + sink + " " + what + " " + Shown(number) + ", must be a positive number";
  };
  if (auto error = positive("buffer size", static_cast<double>(flags.buffer_size))) return error;
  if (auto error = positive("max batch size", static_cast<double>(flags.max_size))) return error;
  if (!flags.throttle_enable) return std::nullopt;
  if (auto error = positive("throttle QPS", flags.throttle_qps)) return error;
  return positive("throttle burst", static_cast<double>(flags.throttle_burst));
}

std::optional<std::string> CheckTruncate(const std::string& sink, const TruncateFlags& flags) {
  const std::string start = "invalid audit truncate " + sink + " max ";
  const std::string event = std::to_string(flags.max_event_size),
                    batch = std::to_string(flags.max_batch_size);
  if (flags.max_event_size <= 0) return start + "event size " + event + ", must be a positive number";
  if (flags.max_batch_size < flags.max_event_size)
    return start + "batch size " + batch + ", must be greater than max event size (" + event + ")";
  return std::nullopt;
}

void CheckSink(const std::string& sink, const BatchFlags& batch, const TruncateFlags& truncate,
               std::string_view version, std::vector<std::string>& errors) {
  if (auto error = CheckBatch(sink, batch)) errors.push_back(*std::move(error));
  if (auto error = CheckTruncate(sink, truncate)) errors.push_back(*std::move(error));
  if (version != kVersion)
    errors.emplace_back("invalid group version, allowed versions are [\"audit.k8s.io/v1\"]");
}

}  // namespace

std::vector<std::string> Validate(const Config& config) {
  std::vector<std::string> errors;
  if (const LogConfig& log = config.log; !log.path.empty()) {
    CheckSink("log", log.batch, log.truncate, log.version, errors);
    if (log.format != "json" && log.format != "legacy")
      errors.push_back("invalid audit log format " + log.format + ", allowed formats are \"legacy,json\"");
    const auto not_negative = [&](const char* flag, int64_t value) {
      if (value < 0)
        errors.push_back("--audit-log-" + std::string(flag) + " " + std::to_string(value) +
                         " can't be a negative number");
    };
    not_negative("maxage", log.max_age);
    not_negative("maxbackup", log.max_backups);
    not_negative("maxsize", log.max_size);
  }
  if (const WebhookConfig& webhook = config.webhook; !webhook.config_file.empty())
    CheckSink("webhook", webhook.batch, webhook.truncate, webhook.version, errors);
  return errors;
}

}  // namespace keelson::audit
