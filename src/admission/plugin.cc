#include "admission/plugin.h"

#include "api/meta/object_meta.h"

namespace keelson::admission {

base::Task<Verdict> Plugin::Mutate(Attributes) const { co_return Verdict(); }
base::Task<Verdict> Plugin::Validate(Attributes) const { co_return Verdict(); }

Verdict Refuse(const Attributes& request, std::string_view why) {
  std::string_view name = request.name;
  if (name.empty() && request.object) name = api::MetadataOf(*request.object).generate_name();
  return base::Err(api::Forbidden(request.group_resource(), name.empty() ? "Unknown" : name, why));
}

Verdict Fail(std::string why) { return base::Err(api::Status{.code = 500, .message = std::move(why)}); }

}  // namespace keelson::admission
