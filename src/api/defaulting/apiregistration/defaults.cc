#include "api/defaulting/apiregistration/defaults.h"

#include "api/generated/apiregistration_v1.h"

namespace keelson::api::apiregistration {
namespace {

void SetApiServiceDefaults(Doc& doc) {
  apiregistration_v1::APIServiceEditor service(doc);
  if (!service.spec().service()) return;
  auto reference = service.mutable_spec().mutable_service();
  constexpr int32_t kHttps = 443;
  if (!reference.has_port()) reference.set_port(kHttps);
}

constexpr DefaultsEntry kDefaults[] = {{&apiregistration_v1::kAPIServiceType, SetApiServiceDefaults}};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::apiregistration
