// Managed fields of what is answered and not kept, so that no Store tracks them: reviews.
#pragma once

#include <string_view>

#include "api/managed_fields/field_manager.h"
#include "api/meta/object_meta.h"
#include "api/types/resource_desc.h"
#include "base/clock.h"
#include "registry/rest/storage.h"

namespace keelson::registry {

class UnstoredFields {
 public:
  // Requires: v1 of the group has the resource.
  UnstoredFields(std::string_view group, std::string_view plural, const base::Clock& clock)
      : fields_(*api::FindResource(group, "v1", plural), ""), clock_(clock) {}

  // What the client sent is its own.
  void Track(const rest::WriteRequest& request, api::Doc& doc) const {
    fields_.Update(nullptr, doc, request.field_manager, api::NowSeconds(clock_));
  }

 private:
  const api::managed_fields::FieldManager fields_;
  const base::Clock& clock_;
};

}  // namespace keelson::registry
