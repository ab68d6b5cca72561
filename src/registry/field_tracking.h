// FieldTracking: metadata.managedFields through the writes of one resource or subresource, in whatever
// version a client writes. Documents come and go in the stored version; what a client wrote in another one is
// owned in that one.
//
// Threads: immutable, any.
#pragma once

#include <string>
#include <string_view>

#include "api/managed_fields/field_manager.h"
#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/clock.h"
#include "registry/rest/storage.h"

namespace keelson::registry {

class FieldTracking {
 public:
  // `resource` and `clock` must outlive this.
  FieldTracking(const api::ResourceDesc& resource, std::string_view subresource, const base::Clock& clock);

  // After a create, an update or a patch, with defaults and before admission: what differs between `was`
  // (null: a create) and `now` belongs to the request's manager from here on.
  // What managers own in versions that cannot be converted to stays theirs, with a warning: a write of the
  // stored version must not depend on who converts. `asks`: false: nobody is asked.
  base::Task<void> Track(const rest::WriteRequest& request, const api::Doc* was, api::Doc& now,
                         bool asks = true) const;

  // Server-side apply: `was` (null: nothing) with the configuration laid over it, tracked. Defaults of the
  // stored version and the rules of the resource are the caller's business. Errors: 409 when another manager
  // owns what would change; 400 when the configuration speaks of another object.
  base::Task<rest::Result<api::Doc>> Apply(const rest::WriteRequest& request, std::string_view name,
                                           const rest::ApplyConfiguration& configuration,
                                           const api::Doc* was) const;

 private:
  using Conversions = api::managed_fields::Conversions;
  void TrackWith(const rest::WriteRequest& request, const api::Doc* was, api::Doc& now,
                 Conversions* conversions) const;
  rest::Result<api::Doc> ApplyWith(const rest::WriteRequest& request, std::string_view name,
                                   const rest::ApplyConfiguration& configuration, const api::Doc* was,
                                   Conversions* conversions) const;
  void TrackIn(const api::ResourceDesc& served, const rest::WriteRequest& request, const api::Doc* was,
               api::Doc& now) const;
  rest::Result<api::Doc> ApplyIn(const api::managed_fields::FieldManager& fields,
                                 const rest::WriteRequest& request, std::string_view name,
                                 const rest::ApplyConfiguration& configuration, const api::Doc* was,
                                 Conversions* conversions) const;

  const api::ResourceDesc& resource_;
  const std::string subresource_;
  const base::Clock& clock_;
  const api::managed_fields::FieldManager fields_;
};

}  // namespace keelson::registry
