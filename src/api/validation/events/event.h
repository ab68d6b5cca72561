// Events as events.k8s.io wants them: stricter than the core group, though the objects are
// the same and errors name the fields of the stored form.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::events {

field::ErrorList ValidateEvent(core_v1::EventView event);
// An event is a report: only the series it has become may change.
field::ErrorList ValidateEventUpdate(core_v1::EventView now, core_v1::EventView was);

}  // namespace keelson::api::events
