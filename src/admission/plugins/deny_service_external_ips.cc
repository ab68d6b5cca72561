#include "admission/plugins/deny_service_external_ips.h"

#include <algorithm>

#include "api/generated/core_v1.h"

namespace keelson::admission {

using api::core_v1::ServiceView;

Concern DenyServiceExternalIps::ConcernWith(const api::ResourceDesc& resource,
                                            std::string_view subresource) const {
  return {.validates = Is(resource, subresource, {"", "services"})};
}

base::Task<Verdict> DenyServiceExternalIps::Validate(Attributes request) const {
  if (request.operation != Operation::kCreate && request.operation != Operation::kUpdate) co_return Verdict();
  const auto had = [&](std::string_view ip) {
    if (!request.old_object) return false;
    return std::ranges::any_of(ServiceView(*request.old_object).spec().external_ips(),
                               [&](const api::Value& old) { return old.string() == ip; });
  };
  for (const api::Value& ip : ServiceView(*request.object).spec().external_ips())
    if (!had(ip.string())) co_return Refuse(request, "Use of external IPs is denied by admission control");
  co_return Verdict();
}

}  // namespace keelson::admission
