#include "registry/apiregistration/local_services.h"

#include <algorithm>

#include "api/generated/apiregistration_v1.h"

namespace keelson::registry::apiregistration {
namespace {

constexpr std::string_view kOwnGroup = "apiregistration.k8s.io";

// Where a group stands in discovery, and a version within its group: higher comes first.
struct Priority {
  std::string_view group, version;
  int32_t group_minimum, version_priority;
};
constexpr Priority kPriorities[] = {
    {"", "v1", 18000, 1},
    {"admissionregistration.k8s.io", "v1", 16700, 15},
    {"admissionregistration.k8s.io", "v1alpha1", 16700, 9},
    {"admissionregistration.k8s.io", "v1beta1", 16700, 12},
    {"apiextensions.k8s.io", "v1", 16700, 15},
    {"apps", "v1", 17800, 15},
    {"authentication.k8s.io", "v1", 17700, 15},
    {"authorization.k8s.io", "v1", 17600, 15},
    {"autoscaling", "v1", 17500, 15},
    {"autoscaling", "v2", 17500, 30},
    {"batch", "v1", 17400, 15},
    {"certificates.k8s.io", "v1", 17300, 15},
    {"certificates.k8s.io", "v1alpha1", 17300, 1},
    {"certificates.k8s.io", "v1beta1", 17300, 9},
    {"coordination.k8s.io", "v1", 16500, 15},
    {"coordination.k8s.io", "v1alpha2", 16500, 12},
    {"coordination.k8s.io", "v1beta1", 16500, 13},
    {"discovery.k8s.io", "v1", 16200, 15},
    {"events.k8s.io", "v1", 17750, 15},
    {"flowcontrol.apiserver.k8s.io", "v1", 16100, 21},
    {"internal.apiserver.k8s.io", "v1alpha1", 16000, 9},
    {"networking.k8s.io", "v1", 17200, 15},
    {"networking.k8s.io", "v1beta1", 17200, 9},
    {"node.k8s.io", "v1", 16300, 15},
    {"policy", "v1", 17100, 15},
    {"rbac.authorization.k8s.io", "v1", 17000, 15},
    {"resource.k8s.io", "v1", 16200, 21},
    {"resource.k8s.io", "v1alpha3", 16200, 1},
    {"resource.k8s.io", "v1beta1", 16200, 9},
    {"resource.k8s.io", "v1beta2", 16200, 15},
    {"scheduling.k8s.io", "v1", 16600, 15},
    {"scheduling.k8s.io", "v1alpha2", 16600, 2},
    {"storage.k8s.io", "v1", 16800, 15},
    {"storage.k8s.io", "v1beta1", 16800, 9},
    {"storagemigration.k8s.io", "v1beta1", 15800, 9},
};

api::Doc MakeService(const Priority& priority) {
  api::Doc doc(api::apiregistration_v1::APIServiceView::Type());
  api::apiregistration_v1::APIServiceEditor service(doc);
  service.set_kind_static("APIService");
  service.set_api_version_static("apiregistration.k8s.io/v1");
  service.mutable_metadata().set_name(std::string(priority.version) + "." + std::string(priority.group));
  service.mutable_metadata().put_labels("kube-aggregator.kubernetes.io/automanaged", "onstart");
  auto spec = service.mutable_spec();
  spec.set_group_static(priority.group);
  spec.set_version_static(priority.version);
  spec.set_group_priority_minimum(priority.group_minimum);
  spec.set_version_priority(priority.version_priority);
  return doc;
}

}  // namespace

std::vector<api::Doc> LocalServices(std::span<const api::ResourceDesc* const> served) {
  std::vector<api::Doc> services;
  for (const Priority& priority : kPriorities) {
    const bool is_served = std::ranges::any_of(served, [&](const api::ResourceDesc* desc) {
      return desc->group == priority.group && desc->version == priority.version && desc->group != kOwnGroup;
    });
    if (is_served) services.push_back(MakeService(priority));
  }
  return services;
}

}  // namespace keelson::registry::apiregistration
