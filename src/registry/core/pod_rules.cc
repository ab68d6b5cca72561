#include "registry/core/pod_rules.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;
using api::MapView;

template <class Selector>
void AddRequirements(Selector selector, api::ScalarList keys, std::string_view op, MapView labels) {
  for (const api::Value& key : keys) {
    const api::Value* value = labels.Find(key.string());
    if (!value) continue;
    auto requirement = selector.add_match_expressions();
    requirement.set_key(key.string());
    requirement.set_operator_static(op);
    requirement.add_values(value->string());
  }
}

void ApplyToTerm(PodAffinityTermEditor term, MapView labels) {
  auto selector = term.edit_label_selector();
  if (!selector) return;  // matches nothing, with or without more requirements
  AddRequirements(selector, term.match_label_keys(), "In", labels);
  AddRequirements(selector, term.mismatch_label_keys(), "NotIn", labels);
}

template <class Affinity>
void ApplyToAffinity(Affinity affinity, MapView labels) {
  if (!affinity) return;
  for (auto term : affinity.edit_preferred_during_scheduling_ignored_during_execution()) {
    if (auto inner = term.edit_pod_affinity_term()) ApplyToTerm(inner, labels);
  }
  for (auto term : affinity.edit_required_during_scheduling_ignored_during_execution())
    ApplyToTerm(term, labels);
}

// Sources of projected volumes that belong to features of upstream that are off by default.
struct DisabledSources {
  bool trust_bundle = false, certificate = false;
};

DisabledSources UsedSources(PodSpecView spec) {
  DisabledSources used;
  for (auto volume : spec.volumes()) {
    for (auto source : volume.volume_source().projected().sources()) {
      if (source.cluster_trust_bundle()) used.trust_bundle = true;
      if (source.pod_certificate()) used.certificate = true;
    }
  }
  return used;
}

bool UsesStopSignal(PodSpecView spec) {
  for (auto container : spec.containers())
    if (container.lifecycle().has_stop_signal()) return true;
  for (auto container : spec.init_containers())
    if (container.lifecycle().has_stop_signal()) return true;
  return false;
}

// A lifecycle that held nothing else goes with the signal.
void DropStopSignals(api::EditList<ContainerEditor> containers) {
  for (auto container : containers) {
    auto lifecycle = container.edit_lifecycle();
    if (!lifecycle || !lifecycle.has_stop_signal()) continue;
    lifecycle.clear_stop_signal();
    if (!lifecycle.post_start() && !lifecycle.pre_stop()) container.clear_lifecycle();
  }
}

}  // namespace

void DropDisabledFields(const Features& features, PodSpecEditor now, PodSpecView was) {
  if (!features.generic_workload && !was.scheduling_group()) now.clear_scheduling_group();
  if (!UsesStopSignal(was)) {
    DropStopSignals(now.edit_containers());
    DropStopSignals(now.edit_init_containers());
  }
  const DisabledSources asked = UsedSources(now);
  if (!asked.trust_bundle && !asked.certificate) return;
  DisabledSources kept = UsedSources(was);
  kept.certificate = kept.certificate || features.pod_certificate_request;
  for (auto volume : now.edit_volumes()) {
    auto source = volume.edit_volume_source();
    auto projected = source ? source.edit_projected() : ProjectedVolumeSourceEditor();
    if (!projected) continue;
    for (auto projection : projected.edit_sources()) {
      if (!kept.trust_bundle) projection.clear_cluster_trust_bundle();
      if (!kept.certificate) projection.clear_pod_certificate();
    }
  }
}

void ApplyLabelKeys(PodEditor pod) {
  const MapView labels = pod.metadata().labels();
  auto spec = pod.mutable_spec();
  if (auto affinity = spec.edit_affinity()) {
    ApplyToAffinity(affinity.edit_pod_affinity(), labels);
    ApplyToAffinity(affinity.edit_pod_anti_affinity(), labels);
  }
  for (auto constraint : spec.edit_topology_spread_constraints()) {
    if (auto selector = constraint.edit_label_selector()) {
      AddRequirements(selector, constraint.match_label_keys(), "In", labels);
    }
  }
}

}  // namespace keelson::registry::core
