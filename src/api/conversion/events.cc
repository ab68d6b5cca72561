// Event of events.k8s.io and of the core group: one object under two sets of names.
#include "api/conversion/mapping.h"
#include "api/generated/core_v1.h"
#include "api/generated/events_v1.h"

namespace keelson::api {

std::span<const Mapping> EventMappings() {
  static constexpr FieldPair fields[] = {
      {"reportingController", "reportingComponent"},
      {"regarding", "involvedObject"},
      {"note", "message"},
      {"deprecatedSource", "source"},
      {"deprecatedFirstTimestamp", "firstTimestamp"},
      {"deprecatedLastTimestamp", "lastTimestamp"},
      {"deprecatedCount", "count"},
  };
  static constexpr Mapping mappings[] = {{&events_v1::kEventType, &core_v1::kEventType, fields}};
  return mappings;
}

}  // namespace keelson::api
