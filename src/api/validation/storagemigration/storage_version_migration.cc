#include "api/validation/storagemigration/storage_version_migration.h"

#include <algorithm>
#include <string>

#include "api/validation/conditions.h"
#include "api/validation/names.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"
#include "base/ascii.h"

namespace keelson::api::storagemigration {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using storagemigration_v1beta1::StorageVersionMigrationView;

// All complaints about a value in one error.
void AddJoined(const Messages& messages, std::string_view value, const Path& path, ErrorList& errors) {
  if (messages.empty()) return;
  std::string joined;
  for (const std::string& message : messages) joined.append(joined.empty() ? "" : ",").append(message);
  errors.Add(field::Invalid(path, RenderValue(value), joined));
}

bool IsTrue(StorageVersionMigrationView migration, std::string_view type) {
  for (const auto condition : migration.status().conditions())
    if (condition.type() == type) return condition.status() == "True";
  return false;
}

// A positive number without leading zeros.
bool IsResourceVersion(std::string_view text) {
  return !text.empty() && text[0] != '0' && std::ranges::all_of(text, base::IsDigit);
}

}  // namespace

ErrorList ValidateMigration(StorageVersionMigrationView now, StorageVersionMigrationView was) {
  ErrorList errors;
  const auto what = now.spec().resource();
  const Path spec("spec"), path = spec.Child("resource"), resource = path.Child("resource");
  if (what.resource().empty())
    errors.Add(field::Required(resource, "resource is required to be set"));
  else
    AddJoined(IsDns1035Label(what.resource()), what.resource(), resource, errors);
  if (!what.group().empty())
    AddJoined(IsDns1123Subdomain(what.group()), what.group(), path.Child("group"), errors);
  if (was && !Equal(now.spec().node(), was.spec().node()))
    errors.Add(field::Invalid(spec, field::RenderUnversionedField(now.node(), "spec"), "field is immutable"));
  return errors;
}

ErrorList ValidateMigrationStatus(StorageVersionMigrationView now, StorageVersionMigrationView was) {
  const Path status("status"), version = status.Child("resourceVersion"), path = status.Child("conditions");
  const std::string_view at = now.status().resource_version(), was_at = was.status().resource_version();
  ErrorList errors;
  if (!at.empty() && !IsResourceVersion(at))
    errors.Add(
        field::Invalid(version, RenderValue(at), "resource version is not well formed: " + std::string(at)));
  errors.Append(ValidateConditions(now.status().conditions(), path));
  if (!was_at.empty() && was_at != at)
    errors.Add(field::Invalid(version, RenderValue(at), "field is immutable"));
  const auto refuse = [&](std::string_view why) {
    errors.Add(field::Invalid(path, field::RenderField(now.status().node(), "conditions"), why));
  };
  const bool succeeded = IsTrue(now, "Succeeded"), failed = IsTrue(now, "Failed");
  if (succeeded && failed) refuse("Both success and failed conditions cannot be true at the same time");
  if (IsTrue(was, "Succeeded") && !succeeded)
    refuse("Success condition cannot be set to false once it is true");
  if (IsTrue(was, "Failed") && !failed) refuse("Failed condition cannot be set to false once it is true");
  return errors;
}

}  // namespace keelson::api::storagemigration
