#include "api/defaulting/authentication/defaults.h"

#include "api/generated/authentication_v1.h"

namespace keelson::api::authentication {
namespace {

void SetTokenRequestDefaults(Doc& doc) {
  auto spec = authentication_v1::TokenRequestEditor(doc).mutable_spec();
  constexpr int64_t kHour = 60 * 60;
  if (!spec.has_expiration_seconds()) spec.set_expiration_seconds(kHour);
}

constexpr DefaultsEntry kDefaults[] = {{&authentication_v1::kTokenRequestType, SetTokenRequestDefaults}};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::authentication
