#include <vector>

#include "api/codec/map_builder.h"
#include "api/defaulting/core/defaults.h"
#include "api/defaulting/core/pod_defaults.h"
#include "api/defaulting/core/resource_list.h"
#include "api/validation/core/pod_resources.h"
#include "api/validation/core/resource_names.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;

// Whoever limits a resource and says nothing of requests asks for all of the limit. Only in
// pods: a template leaves it to the pods made from it.
void RequestLimits(EditList<ContainerEditor> containers) {
  for (auto container : containers) {
    if (container.resources().limits().empty()) continue;
    auto resources = container.mutable_resources();
    CopyMissing(resources.limits(), resources.mutable_requests(), container.arena());
  }
}

// On the host's network a container port is a host port.
void UseHostPorts(EditList<ContainerEditor> containers) {
  for (auto container : containers)
    for (auto port : container.edit_ports())
      if (port.host_port() == 0) port.set_host_port(port.container_port());
}

void SetMissing(MapNode& list, std::string_view name, const Quantity& amount, Arena& arena) {
  if (!list.Find(name)) list.Set(name, Value::String(arena.CopyString(amount.ToString())), arena);
}

// Limits on huge pages for the pod as a whole follow from those of its containers.
void SetPodHugePageLimits(PodSpecEditor spec, ResourceRequirementsEditor resources) {
  if (resources.limits().empty() && resources.requests().empty()) return;
  for (const auto& [name, amount] : AggregateContainers(spec, ResourceSide::kLimits)) {
    if (!IsHugePageResourceName(name) || resources.requests().Find(name)) continue;
    SetMissing(resources.mutable_limits(), name, amount, spec.arena());
  }
}

// Requests for the pod as a whole are what its containers ask for, else its limits.
void SetPodRequests(PodSpecEditor spec, ResourceRequirementsEditor resources) {
  if (resources.limits().empty()) return;
  for (const auto& [name, amount] : AggregateContainers(spec, ResourceSide::kRequests)) {
    if (IsPodLevelResource(name) && IsOvercommitAllowed(name)) {
      SetMissing(resources.mutable_requests(), name, amount, spec.arena());
    }
  }
  std::vector<MapNode::Entry> missing;
  for (const MapNode::Entry& limit : resources.limits())
    if (IsPodLevelResource(limit.key) && !resources.requests().Find(limit.key)) missing.push_back(limit);
  if (missing.empty()) return;
  MapBuilder requests(resources.mutable_requests(), spec.arena());
  for (const MapNode::Entry& limit : missing) requests.Add(limit.key, limit.value);
  requests.Finish();
}

template <class Statuses>
void RoundUpStatuses(Statuses statuses) {
  for (auto status : statuses) {
    RoundUpResourceLists(status.node(), status.arena());
    RoundUpResourceLists(status.edit_resources().node(), status.arena());
  }
}

// podIP is the first of podIPs; where they differ the older field wins, because an older
// kubelet knows only that.
void SyncPodIps(PodStatusEditor status) {
  const auto ips = status.pod_ips();
  if (status.pod_ip().empty()) {
    if (!ips.empty()) status.set_pod_ip_static(ips[0].ip());
  } else if (ips.empty() || ips[0].ip() != status.pod_ip()) {
    status.clear_pod_ips();
    status.add_pod_ips().set_ip_static(status.pod_ip());
  }
}

}  // namespace

void SetPodDefaults(Doc& doc) {
  PodEditor pod(doc);
  auto spec = pod.mutable_spec();
  RequestLimits(spec.edit_containers());
  RequestLimits(spec.edit_init_containers());
  if (auto resources = spec.edit_resources()) {
    SetPodHugePageLimits(spec, resources);
    SetPodRequests(spec, resources);
  }
  if (!spec.has_enable_service_links()) spec.set_enable_service_links(true);
  if (spec.host_network()) {
    UseHostPorts(spec.edit_containers());
    UseHostPorts(spec.edit_init_containers());
  }
  SetPodSpecDefaults(spec);
  if (spec.termination_grace_period_seconds() < 0) spec.set_termination_grace_period_seconds(1);
  if (auto status = pod.edit_status()) {
    SyncPodIps(status);
    RoundUpStatuses(status.edit_init_container_statuses());
    RoundUpStatuses(status.edit_container_statuses());
    RoundUpStatuses(status.edit_ephemeral_container_statuses());
  }
}

void SetPodTemplateDefaults(Doc& doc) {
  SetPodSpecDefaults(PodTemplateEditor(doc).mutable_template().mutable_spec());
}

}  // namespace keelson::api::core
