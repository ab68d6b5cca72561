#include "api/validation/apps/controller_revision.h"

#include "api/validation/core/checks.h"
#include "api/validation/render.h"

namespace keelson::api::apps {

using apps_v1::ControllerRevisionView;
using core::CheckNonNegative;
using field::Path;

field::ErrorList ValidateControllerRevision(ControllerRevisionView revision) {
  field::ErrorList errors;
  CheckNonNegative(revision.revision(), Path("revision"), errors);
  const Path path("data");
  const std::string_view data = revision.data();
  // What was decoded is JSON, without blanks around it.
  if (data.empty() || data == "null") {
    errors.Add(field::Required(path, "data is mandatory"));
  } else if (!data.starts_with('{')) {
    errors.Add(field::Required(path, "data must be a valid JSON object"));
  }
  return errors;
}

field::ErrorList ValidateControllerRevisionUpdate(ControllerRevisionView now, ControllerRevisionView was) {
  field::ErrorList errors;
  CheckNonNegative(now.revision(), Path("revision"), errors);
  if (now.data() != was.data())
    errors.Add(field::Invalid(Path("data"), field::RenderField(now.node(), "data"), kFieldImmutable));
  return errors;
}

}  // namespace keelson::api::apps
