#include "cmd/missing_flags.h"

#include <algorithm>

#include "base/go_bool.h"
#include "base/go_duration.h"

namespace keelson::cmd {
namespace {

using Kind = MissingFlag::Kind;

constexpr MissingFlag kFlags[] = {
    {"admission-control", Kind::kValue, ""},
    {"allow-metric-labels", Kind::kValue, ""},
    {"allow-metric-labels-manifest", Kind::kValue, ""},
    {"apiserver-count", Kind::kValue, "1"},
    {"contention-profiling", Kind::kBool, "false"},
    {"coordinated-leadership-lease-duration", Kind::kDuration, "15s"},
    {"coordinated-leadership-renew-deadline", Kind::kDuration, "10s"},
    {"coordinated-leadership-retry-period", Kind::kDuration, "2s"},
    {"debug-socket-path", Kind::kValue, ""},
    {"disabled-metrics", Kind::kValue, ""},
    {"emulated-version", Kind::kValue, ""},
    {"emulation-forward-compatible", Kind::kBool, "false"},
    {"enable-garbage-collector", Kind::kBool, "true"},
    {"enable-logs-handler", Kind::kBool, "false"},
    {"endpoint-reconciler-type", Kind::kValue, "lease"},
    {"insecure-bind-address", Kind::kValue, ""},
    {"insecure-port", Kind::kValue, "0"},
    {"kubelet-port", Kind::kValue, "10250"},
    {"kubelet-read-only-port", Kind::kValue, "10255"},
    {"kubernetes-service-node-port", Kind::kValue, "0"},
    {"max-connection-bytes-per-sec", Kind::kValue, "0"},
    {"min-compatibility-version", Kind::kValue, ""},
    {"permit-address-sharing", Kind::kBool, "false"},
    {"runtime-config-emulation-forward-compatible", Kind::kBool, "false"},
    {"service-account-signing-endpoint", Kind::kValue, ""},
    {"show-hidden-metrics-for-version", Kind::kValue, ""},
    {"storage-media-type", Kind::kValue, "application/vnd.kubernetes.protobuf"},
};

// The advice for refused flags whose names start with `beginning`; the first match counts.
struct Advice {
  std::string_view beginning, text;
};
constexpr Advice kAdvice[] = {
    {"admission-control", "use --enable-admission-plugins and --disable-admission-plugins"},
    {"allow-metric-", "leave it out: metrics are not filtered"},
    {"coordinated-leadership-", "leave it out: leaders elect themselves"},
    {"disabled-metrics", "leave it out: metrics are not filtered"},
    {"emulat", "leave it out: this server is v1.36"},
    {"enable-garbage-collector", "use --controllers=*,-garbage-collector-controller"},
    {"insecure-", "leave it out: everything is served over TLS"},
    {"kubelet-read-only-port", "leave it out: nobody is asked at that port"},
    {"min-compatibility-version", "leave it out: this server is v1.36"},
    {"service-account-signing-endpoint", "use --service-account-signing-key-file"},
    {"show-hidden-metrics", "leave it out: metrics are not filtered"},
};

std::string_view AdviceFor(std::string_view name) {
  for (const Advice& advice : kAdvice)
    if (name.starts_with(advice.beginning)) return advice.text;
  return "leave it out";
}

bool Says(const MissingFlag& flag, std::string_view value) {
  if (value == flag.as_is) return true;
  if (flag.kind == Kind::kDuration) {
    const auto time = base::ParseGoDuration(value);
    return time && *time == *base::ParseGoDuration(flag.as_is);
  }
  const auto given = base::ParseGoBool(value);
  return flag.kind == Kind::kBool && given && *given == (std::string_view(flag.as_is) == "true");
}

}  // namespace

std::span<const MissingFlag> MissingFlags() { return kFlags; }

const MissingFlag* FindMissingFlag(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kFlags, name, {}, &MissingFlag::name);
  return found != std::end(kFlags) && found->name == name ? found : nullptr;
}

std::optional<std::string> WhyRefused(const MissingFlag& flag, std::string_view value) {
  if (Says(flag, value)) return std::nullopt;
  std::string why = "flag --" + std::string(flag.name);
  if (flag.name.starts_with("insecure-"))
    return why + ": kube-apiserver has had no such flag since v1.24: " + std::string(AdviceFor(flag.name));
  why += " is known to kube-apiserver but not implemented by keelson";
  if (*flag.as_is) why += ", which behaves as with " + std::string(flag.as_is);
  return why + ": " + std::string(AdviceFor(flag.name));
}

}  // namespace keelson::cmd
