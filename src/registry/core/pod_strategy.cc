#include <map>
#include <string>

#include "api/meta/object_meta.h"
#include "api/validation/core/pod.h"
#include "api/validation/core/qos.h"
#include "api/validation/ip.h"
#include "api/validation/names.h"
#include "registry/core/app_armor.h"
#include "registry/core/fields.h"
#include "registry/core/pod_rules.h"
#include "registry/core/pod_warnings.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::PodEditor;
using api::core_v1::PodPhase;
using api::core_v1::PodStatusEditor;
using api::core_v1::PodStatusView;
using api::core_v1::PodView;
using api::field::ErrorList;

// A pod that waits behind gates says so to whoever wonders why it is not scheduled.
void AddGatedCondition(PodEditor pod, const base::Clock& clock) {
  if (pod.spec().scheduling_gates().empty()) return;
  auto condition = pod.mutable_status().add_conditions();
  condition.set_type_static("PodScheduled");
  condition.set_status_static("False");
  condition.set_last_transition_time(api::NowSeconds(clock));
  condition.set_reason_static("SchedulingGated");
  condition.set_message_static("Scheduling is blocked due to non-empty scheduling gates");
}

// What only features show that are off: of an object that has it already it stays.
void DropDisabledStatus(PodStatusEditor now, PodStatusView was) {
  if (was.node_allocatable_resource_claim_statuses().empty())
    now.clear_node_allocatable_resource_claim_statuses();
  const auto shows_volumes = [](const auto& containers) {
    for (const auto container : containers)
      for (const auto mount : container.volume_mounts())
        if (mount.volume_status()) return true;
    return false;
  };
  if (shows_volumes(was.container_statuses()) || shows_volumes(was.init_container_statuses()) ||
      shows_volumes(was.ephemeral_container_statuses()))
    return;
  for (const auto& containers : {now.edit_container_statuses(), now.edit_init_container_statuses(),
                                 now.edit_ephemeral_container_statuses()})
    for (auto container : containers)
      for (auto mount : container.edit_volume_mounts()) mount.clear_volume_status();
}

// Pod: its status is the node's to write, its spec is nearly all fixed, and it is deleted
// in two steps so that its node can end it in order.
class PodStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }

  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    PodEditor pod(doc);
    pod.mutable_metadata().set_generation(1);
    // A class that the client claims is taken over, as upstream does.
    const std::string_view qos = api::core::QosClassOf(pod);
    pod.clear_status();
    pod.mutable_status().set_phase_static(PodPhase::kPending);
    pod.mutable_status().set_qos_class_static(qos);
    DropDisabledFields(context.features, pod.mutable_spec(), api::core_v1::PodSpecView());
    AddGatedCondition(pod, *context.clock);
    ApplyLabelKeys(pod);
    AdoptAppArmorAnnotations(pod, context.warnings);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidatePod(PodView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    std::string messages;
    for (const auto& m : api::IsDns1123Label(PodView(doc).metadata().name()))
      messages += (messages.empty() ? "" : " ") + m;
    Warnings warnings;
    if (!messages.empty())
      warnings.push_back(
          "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS "
          "label is recommended: [" +
          messages + "]");
    WarnOfPod(PodView(doc), warnings);
    return warnings;
  }

  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    const PodView before(was);
    PodEditor pod(now);
    DropDisabledFields(context.features, pod.mutable_spec(), before.spec());
    if (!api::Equal(pod.spec().node(), before.spec().node())) {
      pod.mutable_metadata().set_generation(pod.metadata().generation() + 1);
    }
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidatePodUpdate(PodView(now), PodView(was));
  }

  std::optional<int64_t> GracePeriodSeconds(const api::Doc& doc,
                                            const DeleteOptions& options) const override {
    const PodView pod(doc);
    int64_t period = options.grace_period_seconds.value_or(pod.spec().termination_grace_period_seconds());
    const bool scheduled = !pod.spec().node_name().empty();
    const bool ended =
        pod.status().phase() == PodPhase::kFailed || pod.status().phase() == PodPhase::kSucceeded;
    if (!scheduled || ended) period = 0;
    return period < 0 ? 1 : period;
  }
};

class PodStatusStrategy final : public PodStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
    const PodView before(was);
    PodEditor pod(now);
    auto metadata = pod.mutable_metadata();
    metadata.clear_deletion_timestamp();
    // Old kubelets corrupt owner references; nobody needs this way to change them.
    const size_t owners = api::meta_v1::kObjectMetaType.FindMember("ownerReferences").field->ordinal;
    metadata.node()->slot(owners) =
        before.metadata() ? api::DeepCopy(before.metadata().node()->slot(owners), now.arena()) : api::Value();
    auto status = pod.mutable_status();
    if (status.qos_class().empty()) status.set_qos_class(before.status().qos_class());
    KeepObservedGenerations(status, before.status());
    DropDisabledStatus(status, before.status());
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidatePodStatusUpdate(PodView(now), PodView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    std::vector<std::string> warnings;
    const auto status = PodView(now).status();
    auto warn = [&](auto ips, std::string_view member) {
      const api::field::Path root("status"), list = root.Child(member);
      size_t i = 0;
      for (auto entry : ips) {
        const api::field::Path item = list.Index(i++);
        if (auto warning = api::WarningForIp(item.Child("ip"), entry.ip()))
          warnings.push_back(std::move(*warning));
      }
    };
    warn(status.pod_ips(), "podIPs");
    warn(status.host_ips(), "hostIPs");
    return warnings;
  }

 private:
  // A client that does not know the field must not clear it. Types may repeat, so the n-th
  // condition of a type takes after the n-th of before.
  static void KeepObservedGenerations(api::core_v1::PodStatusEditor now, api::core_v1::PodStatusView was) {
    if (now.observed_generation() == 0) now.set_observed_generation(was.observed_generation());
    std::multimap<std::string_view, int64_t> generations;
    for (auto condition : was.conditions())
      generations.emplace(condition.type(), condition.observed_generation());
    for (auto condition : now.edit_conditions()) {
      auto it = generations.lower_bound(condition.type());
      const bool known = it != generations.end() && it->first == condition.type();
      if (condition.observed_generation() == 0 && known) condition.set_observed_generation(it->second);
      if (known) generations.erase(it);
    }
  }
};

}  // namespace

const Strategy& Pods() {
  static const PodStrategy strategy;
  return strategy;
}

const Strategy& PodStatus() {
  static const PodStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
