#include "aggregator/api_service.h"

#include "api/generated/apiregistration_v1.h"

namespace keelson::aggregator {

ApiService ReadApiService(const api::Doc& doc) {
  const api::apiregistration_v1::APIServiceView view(doc);
  const auto spec = view.spec();
  ApiService service{.name = std::string(view.metadata().name()),
                     .group = std::string(spec.group()),
                     .version = std::string(spec.version()),
                     .group_priority = spec.group_priority_minimum(),
                     .version_priority = spec.version_priority(),
                     .ca_bundle = std::string(spec.ca_bundle()),
                     .insecure = spec.insecure_skip_tls_verify()};
  if (const auto reference = spec.service())
    service.service = {.ns = std::string(reference.namespace_()),
                       .name = std::string(reference.name()),
                       .port = static_cast<uint16_t>(reference.has_port() ? reference.port() : 443)};
  const api::Value* const managed =
      view.metadata().labels().Find("kube-aggregator.kubernetes.io/automanaged");
  service.custom = managed && managed->string() == "true";
  for (const auto condition : view.status().conditions())
    if (condition.type() == "Available") service.available = condition.status() == "True";
  return service;
}

}  // namespace keelson::aggregator
