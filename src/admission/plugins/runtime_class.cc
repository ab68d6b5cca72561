#include "admission/plugins/runtime_class.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/generated/node_v1.h"
#include "api/validation/core/checks.h"
#include "api/validation/field.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodSpecEditor;
using api::core_v1::PodSpecView;
using api::core_v1::TolerationView;
using api::node_v1::RuntimeClassView;

constexpr std::string_view kOtherOverhead =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

// The class a pod names. nullopt: it names none.
base::Task<client::Result<std::optional<api::Doc>>> FindClass(const client::Client& objects,
                                                              const Attributes& request, PodSpecView spec) {
  if (!spec.has_runtime_class_name()) co_return std::optional<api::Doc>();
  auto found = co_await objects.Get({"node.k8s.io", "runtimeclasses"}, "",
                                    std::string(spec.runtime_class_name()), client::Fresh::kAbsenceIsSure);
  if (found && !*found) {
    auto refused = Refuse(request, "pod rejected: RuntimeClass " +
                                       api::field::RenderValue(spec.runtime_class_name()) + " not found");
    co_return base::Err(std::move(refused.error()));
  }
  co_return std::move(found);
}

// All that `narrow` tolerates, `wide` tolerates too.
bool Covers(TolerationView wide, TolerationView narrow) {
  if (api::Equal(wide.node(), narrow.node())) return true;
  const bool exists = wide.operator_() == "Exists";
  if (narrow.key() != wide.key() && !(wide.key().empty() && exists)) return false;
  if (!wide.effect().empty() && narrow.effect() != wide.effect()) return false;
  if (wide.effect() == "NoExecute" && wide.has_toleration_seconds() &&
      (!narrow.has_toleration_seconds() || narrow.toleration_seconds() > wide.toleration_seconds()))
    return false;
  if (exists) return true;
  return (wide.operator_().empty() || wide.operator_() == "Equal") && narrow.operator_() == "Equal" &&
         narrow.value() == wide.value();
}

// More tolerations than anybody writes are not compared with each other.
constexpr size_t kMostCompared = 1000;

// Those of the pod, then those of the class, without what another one covers.
void MergeTolerations(PodSpecEditor spec, api::ListView<TolerationView> more) {
  std::vector<TolerationView> all;
  for (const auto one : spec.tolerations()) all.push_back(one);
  for (const auto one : more)
    all.emplace_back(
        api::DeepCopy(api::Value::Of(const_cast<api::StructNode*>(one.node())), spec.arena()).node());
  std::vector<TolerationView> merged;
  for (size_t i = 0; i < all.size(); ++i) {
    const TolerationView one = all[i];
    const auto covers = [one](TolerationView other) { return Covers(other, one); };
    const auto replaces = [one](TolerationView later) {
      return !api::Equal(later.node(), one.node()) && Covers(later, one);
    };
    const bool redundant = all.size() <= kMostCompared &&
                           (std::ranges::any_of(merged, covers) ||
                            std::any_of(all.begin() + static_cast<ptrdiff_t>(i) + 1, all.end(), replaces));
    if (!redundant) merged.push_back(one);
  }
  spec.clear_tolerations();
  for (const TolerationView one : merged)
    spec.mutable_tolerations().Append(api::Value::Of(const_cast<api::StructNode*>(one.node())), spec.arena());
}

Verdict SetOverhead(const Attributes& request, PodSpecEditor spec, RuntimeClassView from) {
  if (!from.overhead().node()) return {};
  const api::MapView overhead = from.overhead().pod_fixed();
  if (!spec.overhead().empty() && !api::core::SameMap(spec.overhead(), overhead))
    return Refuse(request, kOtherOverhead);
  spec.clear_overhead();
  for (const auto& entry : overhead) spec.put_overhead(entry.key, entry.value.string());
  return {};
}

Verdict SetScheduling(const Attributes& request, PodSpecEditor spec, RuntimeClassView from) {
  if (!from.scheduling().node()) return {};
  for (const auto& [key, value] : from.scheduling().node_selector()) {
    const api::Value* const own = spec.node_selector().Find(key);
    if (own && own->string() != value.string()) {
      const std::string in = "nodeSelector[" + std::string(key) + "] = ";
      return Refuse(request, "conflict: runtimeClass.scheduling." + in + std::string(value.string()) +
                                 "; pod.spec." + in + std::string(own->string()));
    }
    spec.put_node_selector(key, value.string());
  }
  MergeTolerations(spec, from.scheduling().tolerations());
  return {};
}

}  // namespace

Concern RuntimeClass::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  const bool pods = Is(resource, subresource, {"", "pods"});
  return {.mutates = pods, .validates = pods};
}

base::Task<Verdict> RuntimeClass::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  auto spec = api::core_v1::PodEditor(*request.object).mutable_spec();
  const auto found = CO_TRY(co_await FindClass(objects_, request, spec));
  if (!found) co_return Verdict();
  const RuntimeClassView from(*found);
  auto verdict = SetOverhead(request, spec, from);
  co_return verdict ? SetScheduling(request, spec, from) : std::move(verdict);
}

base::Task<Verdict> RuntimeClass::Validate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  const PodSpecView spec = api::core_v1::PodView(*request.object).spec();
  const auto found = CO_TRY(co_await FindClass(objects_, request, spec));
  const RuntimeClassView from = found ? RuntimeClassView(*found) : RuntimeClassView();
  if (from.overhead().node()) {
    if (!api::core::SameMap(spec.overhead(), from.overhead().pod_fixed()))
      co_return Refuse(request, kOtherOverhead);
  } else if (!spec.overhead().empty()) {
    co_return Refuse(request,
                     "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  }
  co_return Verdict();
}

}  // namespace keelson::admission
