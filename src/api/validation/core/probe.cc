#include "api/validation/core/probe.h"

#include <algorithm>
#include <string>

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

void CheckHttpGet(HTTPGetActionView http, const Path& path, ErrorList& errors) {
  CheckRequired(http.path(), path.Child("path"), errors);
  CheckPortNumberOrName(http.port(), path.Child("port"), errors);
  constexpr std::string_view kSchemes[] = {URIScheme::kHTTP, URIScheme::kHTTPS};
  CheckSupported(http.scheme(), kSchemes, path.Child("scheme"), errors);
  for (auto header : http.http_headers()) {
    errors.AddInvalid(path.Child("httpHeaders"), header.name(), IsHttpHeaderName(header.name()));
  }
}

// Exactly one of the actions that probes and hooks have in common, and those of their own.
class HandlerCheck {
 public:
  HandlerCheck(const Path& path, ErrorList& errors) : path_(path), errors_(errors) {}

  template <class Check>
  void Action(bool present, std::string_view name, Check check) {
    if (!present) return;
    if (found_) {
      errors_.Add(field::Forbidden(path_.Child(name), "may not specify more than 1 handler type"));
    } else {
      found_ = true;
      check(path_.Child(name));
    }
  }
  template <class Handler>
  void Common(Handler handler) {
    Action(bool(handler.exec()), "exec", [&](const Path& at) {
      if (handler.exec().command().empty()) errors_.Add(field::Required(at.Child("command"), ""));
    });
    Action(bool(handler.http_get()), "httpGet",
           [&](const Path& at) { CheckHttpGet(handler.http_get(), at, errors_); });
    Action(bool(handler.tcp_socket()), "tcpSocket", [&](const Path& at) {
      CheckPortNumberOrName(handler.tcp_socket().port(), at.Child("port"), errors_);
    });
  }
  void Finish() {
    if (!found_) errors_.Add(field::Required(path_, "must specify a handler type"));
  }

 private:
  const Path& path_;
  ErrorList& errors_;
  bool found_ = false;
};

void CheckLifecycleHandler(LifecycleHandlerView handler, GracePeriod grace, const Path& path,
                           ErrorList& errors) {
  HandlerCheck check(path, errors);
  check.Common(handler);
  check.Action(bool(handler.sleep()), "sleep", [&](const Path& at) {
    const int64_t seconds = handler.sleep().seconds();
    if (!grace || (seconds >= 0 && seconds <= *grace)) return;
    errors.Add(field::Invalid(
        at, RenderValue(seconds),
        "must be non-negative and less than terminationGracePeriodSeconds (" + std::to_string(*grace) + ")"));
  });
  check.Finish();
}

void CheckStopSignal(std::string_view signal, PodOSView os, const Path& path, ErrorList& errors) {
  if (!os)
    return errors.Add(field::Forbidden(path, "may not be set for containers with empty `spec.os.name`"));
  if (os.name() == "windows") {
    constexpr std::string_view kWindows[] = {Signal::kSIGKILL, Signal::kSIGTERM};
    CheckSupported(signal, kWindows, path, errors);
  } else if (os.name() == "linux") {
    CheckSupported(signal, kLifecycleType.FindMember("stopSignal").field->enum_values, path, errors);
  }
}

void CheckLifecycle(LifecycleView lifecycle, GracePeriod grace, PodOSView os, const Path& path,
                    ErrorList& errors) {
  if (auto hook = lifecycle.post_start()) CheckLifecycleHandler(hook, grace, path.Child("postStart"), errors);
  if (auto hook = lifecycle.pre_stop()) CheckLifecycleHandler(hook, grace, path.Child("preStop"), errors);
  if (lifecycle.has_stop_signal())
    CheckStopSignal(lifecycle.stop_signal(), os, path.Child("stopSignal"), errors);
}

void CheckProbe(ProbeView probe, const Path& path, ErrorList& errors) {
  const auto handler = probe.probe_handler();
  HandlerCheck check(path, errors);
  check.Common(handler);
  check.Action(bool(handler.grpc()), "grpc",
               [&](const Path& at) { CheckPortNumber(handler.grpc().port(), at.Child("port"), errors); });
  check.Finish();
  CheckNonNegative(probe.initial_delay_seconds(), path.Child("initialDelaySeconds"), errors);
  CheckNonNegative(probe.timeout_seconds(), path.Child("timeoutSeconds"), errors);
  CheckNonNegative(probe.period_seconds(), path.Child("periodSeconds"), errors);
  CheckNonNegative(probe.success_threshold(), path.Child("successThreshold"), errors);
  CheckNonNegative(probe.failure_threshold(), path.Child("failureThreshold"), errors);
  if (probe.has_termination_grace_period_seconds() && probe.termination_grace_period_seconds() <= 0) {
    errors.Add(field::Invalid(path.Child("terminationGracePeriodSeconds"),
                              RenderValue(probe.termination_grace_period_seconds()),
                              "must be greater than 0"));
  }
}

// One success is all that a probe which restarts its container can ask for.
void CheckRestartingProbe(ProbeView probe, const Path& path, ErrorList& errors) {
  if (!probe) return;
  CheckProbe(probe, path, errors);
  if (probe.success_threshold() != 1) {
    errors.Add(
        field::Invalid(path.Child("successThreshold"), RenderValue(probe.success_threshold()), "must be 1"));
  }
}

}  // namespace

void CheckProbesAndLifecycle(ContainerView container, GracePeriod grace, PodOSView os, const Path& path,
                             ErrorList& errors) {
  if (auto lifecycle = container.lifecycle())
    CheckLifecycle(lifecycle, grace, os, path.Child("lifecycle"), errors);
  CheckRestartingProbe(container.liveness_probe(), path.Child("livenessProbe"), errors);
  if (auto probe = container.readiness_probe()) {
    const Path at = path.Child("readinessProbe");
    CheckProbe(probe, at, errors);
    if (probe.has_termination_grace_period_seconds()) {
      errors.Add(field::Invalid(at.Child("terminationGracePeriodSeconds"),
                                RenderValue(probe.termination_grace_period_seconds()),
                                "must not be set for readinessProbes"));
    }
  }
  CheckRestartingProbe(container.startup_probe(), path.Child("startupProbe"), errors);
}

}  // namespace keelson::api::core
