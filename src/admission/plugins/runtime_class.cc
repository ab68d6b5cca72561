#include "admission/plugins/runtime_class.h"

#include <optional>
#include <string>

#include "admission/plugins/tolerations.h"
#include "api/generated/core_v1.h"
#include "api/generated/node_v1.h"
#include "api/validation/core/checks.h"
#include "api/validation/field.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodSpecEditor;
using api::core_v1::PodSpecView;
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
  MergeTolerations(spec, AllOf(from.scheduling().tolerations()));
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
