#include <set>

#include "api/validation/core/checks.h"
#include "api/validation/core/fields.h"
#include "api/validation/render.h"
#include "api/validation/storage/csi.h"

namespace keelson::api::storage_api {
namespace {

using namespace storage_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

void CheckTokenRequests(ListView<TokenRequestView> requests, const Path& path, ErrorList& errors) {
  constexpr int64_t kMin = 10 * 60, kMax = int64_t{1} << 32;
  std::set<std::string_view> audiences;
  size_t i = 0;
  for (const auto request : requests) {
    const Path at = path.Index(i++), expiration = at.Child("expirationSeconds");
    if (!audiences.insert(request.audience()).second) {
      errors.Add(field::Duplicate(at.Child("audience"), RenderValue(request.audience())));
      continue;
    }
    if (!request.has_expiration_seconds()) continue;
    const int64_t seconds = request.expiration_seconds();
    if (seconds < kMin) {
      errors.Add(field::Invalid(expiration, RenderValue(seconds),
                                "may not specify a duration less than 10 minutes"));
    }
    if (seconds > kMax) {
      errors.Add(field::Invalid(expiration, RenderValue(seconds),
                                "may not specify a duration larger than 2^32 seconds"));
    }
  }
}

}  // namespace

ErrorList ValidateCsiDriver(CSIDriverView driver) {
  ErrorList errors;
  const auto spec = driver.spec();
  const Path path("spec");
  const auto require = [&](bool given, std::string_view member) {
    if (!given) errors.Add(field::Required(path.Child(member), ""));
  };
  require(spec.has_attach_required(), "attachedRequired");  // as upstream spells it
  require(spec.has_pod_info_on_mount(), "podInfoOnMount");
  require(spec.has_storage_capacity(), "storageCapacity");
  if (spec.has_fs_group_policy()) {
    constexpr std::string_view kPolicies[] = {"File", "None", "ReadWriteOnceWithFSType"};
    core::CheckSupported(spec.fs_group_policy(), kPolicies, path.Child("fsGroupPolicy"), errors);
  }
  CheckTokenRequests(spec.token_requests(), path.Child("tokenRequests"), errors);
  constexpr std::string_view kModes[] = {"Persistent", "Ephemeral"};
  for (const Value& mode : spec.volume_lifecycle_modes())
    core::CheckSupported(mode.string(), kModes, path.Child("volumeLifecycleModes"), errors);
  require(spec.has_se_linux_mount(), "seLinuxMount");
  if (spec.has_node_allocatable_update_period_seconds() &&
      spec.node_allocatable_update_period_seconds() < 10) {
    errors.Add(field::Invalid(path.Child("nodeAllocatableUpdatePeriodSeconds"),
                              RenderValue(spec.node_allocatable_update_period_seconds()),
                              "must be greater than or equal to 10 seconds"));
  }
  if (spec.has_service_account_token_in_secrets() && spec.token_requests().empty()) {
    errors.Add(field::Invalid(path.Child("serviceAccountTokenInSecrets"),
                              RenderValue(spec.service_account_token_in_secrets()),
                              "serviceAccountTokenInSecrets is set but no tokenRequests are specified"));
  }
  return errors;
}

ErrorList ValidateCsiDriverUpdate(CSIDriverView now, CSIDriverView was) {
  ErrorList errors = ValidateCsiDriver(now);
  const Path path("spec");
  const auto keep = [&](std::string_view member, std::string_view reported_as) {
    if (core::SameField(now.spec(), was.spec(), member)) return;
    errors.Add(field::Invalid(path.Child(reported_as), field::RenderField(now.spec().node(), member),
                              kFieldImmutable));
  };
  keep("attachRequired", "attachedRequired");
  keep("volumeLifecycleModes", "volumeLifecycleModes");
  return errors;
}

}  // namespace keelson::api::storage_api
