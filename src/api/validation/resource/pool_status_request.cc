#include "api/validation/resource/pool_status_request.h"

#include <string>

#include "api/validation/conditions.h"
#include "api/validation/core/checks.h"
#include "api/validation/long_name.h"
#include "api/validation/render.h"
#include "api/validation/resource/device_names.h"
#include "api/validation/unversioned.h"

namespace keelson::api::resource {
namespace {

using field::RenderValue;
using resource_v1alpha3::PoolStatusView;
using resource_v1alpha3::ResourcePoolStatusRequestView;

constexpr int32_t kMaxLimit = 1000;
constexpr size_t kMaxPools = 1000, kMaxRequestConditions = 10, kMaxErrorSize = 256;

void CheckDriver(std::string_view driver, const Path& path, ErrorList& errors) {
  if (driver.empty()) return errors.Add(field::Required(path, ""));
  errors.AddInvalid(path, driver, IsLongNameCaseless(driver));
}

// Names with slashes between them.
void CheckSegments(std::string_view name, const Path& path, ErrorList& errors) {
  if (name.size() > kDns1123SubdomainMaxLength) errors.Add(field::TooLong(path, kDns1123SubdomainMaxLength));
  std::string_view rest = name;
  for (size_t i = 0;; ++i) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    const std::string segment = "segment " + std::to_string(i) + ": ";
    if (part.empty())
      errors.Add(field::Invalid(path, RenderValue(name), segment + "must not be empty"));
    else
      for (const std::string& message : IsLongName(part))
        errors.Add(field::Invalid(path, RenderValue(part), segment + message));
    if (part.size() == rest.size()) return;
    rest.remove_prefix(part.size() + 1);
  }
}

void CheckAtLeast(int64_t value, int64_t least, const Path& path, ErrorList& errors) {
  if (value < least)
    errors.Add(field::Invalid(path, RenderValue(value),
                              "must be greater than or equal to " + std::to_string(least)));
}

void CheckPool(PoolStatusView pool, const Path& path, ErrorList& errors) {
  CheckDriver(pool.driver(), path.Child("driver"), errors);
  if (pool.pool_name().empty())
    errors.Add(field::Required(path.Child("poolName"), ""));
  else
    CheckSegments(pool.pool_name(), path.Child("poolName"), errors);
  if (pool.generation() == 0)
    errors.Add(field::Required(path.Child("generation"), ""));
  else
    CheckAtLeast(pool.generation(), 0, path.Child("generation"), errors);
  const auto count = [&](bool given, int32_t value, int32_t least, std::string_view member) {
    if (given) CheckAtLeast(value, least, path.Child(member), errors);
  };
  count(pool.has_resource_slice_count(), pool.resource_slice_count(), 1, "resourceSliceCount");
  count(pool.has_total_devices(), pool.total_devices(), 0, "totalDevices");
  count(pool.has_allocated_devices(), pool.allocated_devices(), 0, "allocatedDevices");
  count(pool.has_available_devices(), pool.available_devices(), 0, "availableDevices");
  count(pool.has_unavailable_devices(), pool.unavailable_devices(), 0, "unavailableDevices");
  if (pool.has_node_name())
    errors.AddInvalid(path.Child("nodeName"), pool.node_name(), IsLongName(pool.node_name()));
  if (pool.validation_error().size() > kMaxErrorSize)
    errors.Add(field::TooLong(path.Child("validationError"), kMaxErrorSize));
}

}  // namespace

ErrorList ValidatePoolStatusRequest(ResourcePoolStatusRequestView now, ResourcePoolStatusRequestView was) {
  ErrorList errors;
  const Path path("spec");
  const auto spec = now.spec();
  if (was) {
    if (!core::SameStruct(spec, was.spec())) errors.Add(field::Invalid(path, "null", kFieldImmutable));
    return errors;
  }
  CheckDriver(spec.driver(), path.Child("driver"), errors);
  if (spec.has_pool_name()) CheckSegments(spec.pool_name(), path.Child("poolName"), errors);
  const Path limit = path.Child("limit");
  if (!spec.has_limit()) {
    errors.Add(field::Required(limit, ""));
    return errors;
  }
  if (spec.limit() > kMaxLimit)
    errors.Add(field::Invalid(limit, RenderValue(spec.limit()),
                              "must be less than or equal to " + std::to_string(kMaxLimit)));
  CheckAtLeast(spec.limit(), 1, limit, errors);
  return errors;
}

ErrorList ValidatePoolStatusRequestStatus(ResourcePoolStatusRequestView now,
                                          ResourcePoolStatusRequestView was) {
  ErrorList errors;
  const Path path("status");
  const auto status = now.status();
  if (core::SameStruct(status, was.status()) && static_cast<bool>(status) == static_cast<bool>(was.status()))
    return errors;
  if (was.status())
    errors.Add(field::Invalid(path, field::RenderUnversionedField(now.node(), "status"), kFieldImmutable));
  if (!status) return errors;
  const Path conditions = path.Child("conditions"), pools = path.Child("pools"),
             count = path.Child("poolCount");
  if (!was.status()) errors.Append(ValidateConditions(status.conditions(), conditions));
  if (!status.has_pool_count())
    errors.Add(field::Required(count, ""));
  else
    CheckAtLeast(status.pool_count(), 0, count, errors);
  if (CheckSize(status.pools().size(), kMaxPools, pools, errors))
    for (size_t i = 0; i < status.pools().size(); ++i) CheckPool(status.pools()[i], pools.Index(i), errors);
  CheckSize(status.conditions().size(), kMaxRequestConditions, conditions, errors);
  return errors;
}

}  // namespace keelson::api::resource
