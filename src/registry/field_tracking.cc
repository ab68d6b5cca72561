#include "registry/field_tracking.h"

#include "admission/attributes.h"
#include "api/conversion/conversion.h"
#include "api/defaulting/defaulting.h"
#include "api/meta/object_meta.h"
#include "api/patch/raw_text.h"
#include "api/types/custom_type.h"
#include "registry/errors.h"
#include "registry/rest/object_checks.h"

namespace keelson::registry {
namespace {

// Applying leaves null in a custom object where something was taken out.
rest::Result<void> CoerceApplied(api::Doc& doc) {
  const api::CustomType* const custom = api::CustomOf(doc.type());
  if (!custom) return {};
  if (auto coerced = custom->Coerce(*doc.root(), doc.arena(), nullptr); !coerced)
    return base::Err(api::BadRequest(coerced.error()));
  return {};
}

}  // namespace

FieldTracking::FieldTracking(const api::ResourceDesc& resource, std::string_view subresource,
                             const base::Clock& clock)
    : resource_(resource), subresource_(subresource), clock_(clock), fields_(resource, subresource) {}

void FieldTracking::TrackIn(const api::ResourceDesc& served, const rest::WriteRequest& request,
                            const api::Doc* was, api::Doc& now) const {
  api::Doc after = api::ToServed(now.Clone(), served);
  api::Doc before;
  if (was) before = api::ToServed(was->Clone(), served);
  const api::managed_fields::FieldManager fields(served, subresource_);
  fields.Update(was ? &before : nullptr, after, request.field_manager, api::NowSeconds(clock_));

  static const uint32_t kManagedFields =
      api::meta_v1::kObjectMetaType.FindMember("managedFields").field->ordinal;
  const api::Value& tracked = api::MetadataOf(after).node()->slot(kManagedFields);
  api::MutableMetadataOf(now).node()->slot(kManagedFields) = api::DeepCopy(tracked, now.arena());
}

base::Task<void> FieldTracking::Track(const rest::WriteRequest& request, const api::Doc* was, api::Doc& now,
                                      bool asks) const {
  const api::CustomConverter* const converter = api::ConverterOf(now.type());
  if (!converter) {
    TrackWith(request, was, now, nullptr);
    co_return;
  }
  Conversions conversions;
  if (!asks) conversions.GiveUp();
  for (;;) {
    api::Doc tracked = now.Clone();
    TrackWith(request, was, tracked, &conversions);
    if (conversions.complete()) {
      now = std::move(tracked);
      co_return;
    }
    if (const auto fetched = co_await conversions.Fetch(*converter, request.occupancy); !fetched) {
      admission::AddWarning(request.warnings,
                            "managed fields of other versions stay as they are: " + fetched.error().message);
      conversions.GiveUp();
    }
  }
}

void FieldTracking::TrackWith(const rest::WriteRequest& request, const api::Doc* was, api::Doc& now,
                              Conversions* conversions) const {
  const auto& [group, written_version] = request.api_version;
  if (group != resource_.group || written_version != resource_.version) {
    const api::ResourceDesc* const served = api::FindResource(group, written_version, resource_.plural);
    if (served && served->IsConverted()) return TrackIn(*served, request, was, now);
  }
  // What comes by way of another kind (scale) is written in this one's own version.
  std::string version;
  if (group == resource_.group) version = written_version;
  if (!version.empty() && !group.empty()) version.insert(0, std::string(group) + "/");
  fields_.Update(was, now, request.field_manager, api::NowSeconds(clock_), version, conversions);
}

base::Task<rest::Result<api::Doc>> FieldTracking::Apply(const rest::WriteRequest& request,
                                                        std::string_view name,
                                                        const rest::ApplyConfiguration& configuration,
                                                        const api::Doc* was) const {
  const api::CustomConverter* const converter = api::ConverterOf(*configuration.body_desc->type);
  Conversions conversions;
  while (converter) {
    auto applied = ApplyWith(request, name, configuration, was, &conversions);
    if (conversions.complete()) co_return std::move(applied);
    if (const auto fetched = co_await conversions.Fetch(*converter, request.occupancy); !fetched)
      co_return base::Err(fetched.error().late ? api::RequestTimedOut()
                                               : UnknownError(fetched.error().message));
  }
  co_return ApplyWith(request, name, configuration, was, nullptr);
}

rest::Result<api::Doc> FieldTracking::ApplyWith(const rest::WriteRequest& request, std::string_view name,
                                                const rest::ApplyConfiguration& configuration,
                                                const api::Doc* was, Conversions* conversions) const {
  const api::ResourceDesc& body_desc = *configuration.body_desc;
  if (&body_desc == &resource_) return ApplyIn(fields_, request, name, configuration, was, conversions);
  const api::managed_fields::FieldManager fields(body_desc, subresource_);
  if (!body_desc.IsConverted()) return ApplyIn(fields, request, name, configuration, was, conversions);
  api::Doc served;
  if (was) served = api::ToServed(was->Clone(), body_desc);
  api::Doc applied = TRY(ApplyIn(fields, request, name, configuration, was ? &served : nullptr, conversions));
  api::SetDefaults(applied);  // those of the version it was applied in
  return api::ToStored(std::move(applied), body_desc);
}

rest::Result<api::Doc> FieldTracking::ApplyIn(const api::managed_fields::FieldManager& fields,
                                              const rest::WriteRequest& request, std::string_view name,
                                              const rest::ApplyConfiguration& configuration,
                                              const api::Doc* was, Conversions* conversions) const {
  const api::ResourceDesc& body_desc = *configuration.body_desc;
  api::Doc applied = TRY(fields.Apply(was, configuration.config, request.field_manager, configuration.force,
                                      api::NowSeconds(clock_), conversions));
  static const api::Doc kNothing;
  api::RewriteEmbedded(applied, was ? *was : kNothing);
  if (configuration.refusal) return base::Err(api::Status(*configuration.refusal));
  if (!configuration.warning.empty()) admission::AddWarning(request.warnings, configuration.warning);
  TRY(CoerceApplied(applied));
  const std::string_view uid = api::MetadataOf(applied).uid();
  if (!was && !uid.empty())
    return base::Err(api::Conflict({body_desc.group, body_desc.plural}, name,
                                   "uid mismatch: the provided object specified uid " + std::string(uid) +
                                       ", and no existing object was found"));
  TRY(rest::CheckName(request.ns, name, applied));
  return applied;
}

}  // namespace keelson::registry
