#include "api/validation/events/event.h"

#include "api/validation/core/checks.h"
#include "api/validation/core/event.h"
#include "api/validation/core/fields.h"
#include "api/validation/object_meta.h"
#include "api/validation/unversioned.h"

namespace keelson::api::events {
namespace {

using core_v1::EventView;
using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr std::string_view kReporter = "reportingController";

void CheckSeries(EventView event, ErrorList& errors) {
  const auto series = event.series();
  if (!series) return;
  if (series.count() < 2)
    errors.Add(field::Invalid(Path("series.count"), RenderValue(""), "should be at least 2"));
  if (!series.has_last_observed_time()) errors.Add(field::Required(Path("series.lastObservedTime"), ""));
}

void RefuseDeprecated(bool given, std::string_view member, ErrorList& errors) {
  if (given) errors.Add(field::Invalid(Path(member), RenderValue(""), "needs to be unset"));
}

}  // namespace

ErrorList ValidateEvent(EventView event) {
  ErrorList errors = core::ValidateEvent(event, kReporter);
  const Path metadata("metadata");
  errors.Append(ValidateObjectMeta(event.metadata(), /*namespaced=*/true, NameIsDnsSubdomain, metadata));
  errors.Append(ValidateStandardFinalizers(event.metadata(), metadata.Child("finalizers")));
  CheckSeries(event, errors);
  if (!event.has_event_time()) errors.Add(field::Required(Path("eventTime"), ""));
  if (event.type() != "Normal" && event.type() != "Warning") {
    errors.Add(
        field::Invalid(Path("type"), RenderValue(""), "has invalid value: " + std::string(event.type())));
  }
  RefuseDeprecated(event.has_first_timestamp(), "firstTimestamp", errors);
  RefuseDeprecated(event.has_last_timestamp(), "lastTimestamp", errors);
  RefuseDeprecated(event.count() != 0, "count", errors);
  const auto source = event.source();
  RefuseDeprecated(!source.component().empty() || !source.host().empty(), "source", errors);
  return errors;
}

ErrorList ValidateEventUpdate(EventView now, EventView was) {
  ErrorList errors = core::ValidateEvent(now, kReporter);
  if (!core::SameStruct(now.series(), was.series())) CheckSeries(now, errors);
  const auto keep = [&](std::string_view member, std::string_view reported_as) {
    if (core::SameField(now, was, member)) return;
    errors.Add(field::Invalid(Path(reported_as), field::RenderUnversionedField(now.node(), member),
                              kFieldImmutable));
  };
  for (const std::string_view member : {"involvedObject", "reason", "message", "source", "firstTimestamp",
                                        "lastTimestamp", "count", "type", "eventTime", "action", "related"})
    keep(member, member);
  keep("reportingComponent", kReporter);
  keep("reportingInstance", "reportingInstance");
  return errors;
}

}  // namespace keelson::api::events
