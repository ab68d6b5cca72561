// Jobs. Metadata common to all kinds is checked elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "api/generated/batch_v1.h"
#include "api/validation/field.h"

namespace keelson::api::batch {

// Labels that tie pods to their job; the short ones are older.
constexpr std::string_view kControllerUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kJobNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kLegacyControllerUidLabel = "controller-uid";
constexpr std::string_view kLegacyJobNameLabel = "job-name";

// A condition of this type with status True.
bool HasCondition(batch_v1::JobStatusView status, std::string_view type);

field::ErrorList ValidateJob(batch_v1::JobView job);
field::ErrorList ValidateJobUpdate(batch_v1::JobView now, batch_v1::JobView was);
field::ErrorList ValidateJobStatusUpdate(batch_v1::JobView now, batch_v1::JobView was);

// A contradiction rather than a wrong value, so that none is shown.
inline field::Error Contradiction(const field::Path& path, std::string_view why) {
  return {field::ErrorType::kInvalid, path.ToString(), {}, false, std::string(why)};
}

// What holds of the spec of a job and of the template of one, which has no selector yet.
void CheckJobSpec(batch_v1::JobSpecView spec, const field::Path& path, field::ErrorList& errors);

}  // namespace keelson::api::batch
