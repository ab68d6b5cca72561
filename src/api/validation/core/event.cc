#include "api/validation/core/event.h"

#include "api/validation/names.h"

namespace keelson::api::core {
namespace {

using field::ErrorList;
using field::Path;

void CheckLength(std::string_view name, std::string_view value, size_t limit, ErrorList& errors) {
  if (value.size() <= limit) return;
  errors.Add(field::Invalid(Path(name), field::RenderValue(""),
                            "can have at most " + std::to_string(limit) + " characters"));
}

void Require(std::string_view name, std::string_view value, ErrorList& errors) {
  if (value.empty()) errors.Add(field::Required(Path(name), ""));
}

// Events with an eventTime come from reporters that name themselves.
void ValidateReport(core_v1::EventView event, std::string_view reporter, ErrorList& errors) {
  constexpr size_t kShortLimit = 128, kNoteLimit = 1024;
  Require(reporter, event.reporting_component(), errors);
  errors.AddInvalid(Path(reporter), event.reporting_component(),
                    IsQualifiedName(event.reporting_component()));
  Require("reportingInstance", event.reporting_instance(), errors);
  CheckLength("reportingInstance", event.reporting_instance(), kShortLimit, errors);
  Require("action", event.action(), errors);
  CheckLength("action", event.action(), kShortLimit, errors);
  Require("reason", event.reason(), errors);
  CheckLength("reason", event.reason(), kShortLimit, errors);
  CheckLength("message", event.message(), kNoteLimit, errors);
}

// An event stands in the namespace of its object; events of cluster-scoped objects in
// "default", or "kube-system" when they carry an eventTime.
bool NamespacesAgree(core_v1::EventView event) {
  const std::string_view own = event.metadata().namespace_();
  const std::string_view involved = event.involved_object().namespace_();
  if (event.has_event_time()) return !involved.empty() || own == "default" || own == "kube-system";
  return involved.empty() ? own.empty() || own == "default" : own == involved;
}

}  // namespace

ErrorList ValidateEvent(core_v1::EventView event, std::string_view reporter) {
  ErrorList errors;
  if (!NamespacesAgree(event)) {
    const Path involved("involvedObject");
    errors.Add(field::Invalid(involved.Child("namespace"),
                              field::RenderValue(event.involved_object().namespace_()),
                              "does not match event.namespace"));
  }
  if (event.has_event_time()) ValidateReport(event, reporter, errors);
  const std::string_view ns = event.metadata().namespace_();
  errors.AddInvalid(Path("namespace"), ns, IsDns1123Subdomain(ns));
  return errors;
}

}  // namespace keelson::api::core
