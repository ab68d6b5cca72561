#include "admission/plugins/priority.h"

#include <string>

#include "admission/plugins/resources.h"
#include "api/generated/core_v1.h"
#include "api/generated/scheduling_v1.h"
#include "api/generated/scheduling_v1alpha2.h"

namespace keelson::admission {
namespace {

using api::scheduling_v1::PriorityClassView;

constexpr api::GroupResource kClasses{"scheduling.k8s.io", "priorityclasses"};

// A class, or what holds where no class is the default.
struct Chosen {
  std::string name;
  int32_t priority = 0;
  std::string preemption_policy = "PreemptLowerPriority";
};

Chosen ChosenFrom(PriorityClassView one) {
  return {std::string(one.metadata().name()), one.value(), std::string(one.preemption_policy())};
}

// Several defaults can only come from a race; the lowest counts then. nullopt: there is none.
base::Task<client::Result<std::optional<Chosen>>> FindDefault(const client::Client& objects) {
  const auto all = CO_TRY(co_await objects.List(kClasses));
  PriorityClassView chosen;
  for (const api::Doc& doc : *all) {
    const PriorityClassView one(doc);
    if (one.global_default() && (!chosen.node() || one.value() < chosen.value())) chosen = one;
  }
  if (!chosen.node()) co_return std::optional<Chosen>();
  co_return std::optional(ChosenFrom(chosen));
}

base::Task<base::Result<Chosen, api::Status>> Choose(const client::Client& objects, const Attributes& request,
                                                     std::string_view name) {
  if (name.empty()) {
    auto found = CO_TRY(co_await FindDefault(objects));
    co_return std::move(found).value_or(Chosen());
  }
  const auto found =
      CO_TRY(co_await objects.Get(kClasses, "", std::string(name), client::Fresh::kAbsenceIsSure));
  if (!found) {
    auto refused = Refuse(request, "no PriorityClass with name " + std::string(name) + " was found");
    co_return base::Err(std::move(refused.error()));
  }
  co_return ChosenFrom(PriorityClassView(*found));
}

Verdict Apply(const Attributes& request, api::core_v1::PodSpecEditor spec, const Chosen& chosen) {
  if (spec.has_priority() && spec.priority() != chosen.priority)
    return Refuse(request, "the integer value of priority (" + std::to_string(spec.priority()) +
                               ") must not be provided in pod spec; priority admission controller computed " +
                               std::to_string(chosen.priority) + " from the given PriorityClass name");
  spec.set_priority_class_name(chosen.name);
  spec.set_priority(chosen.priority);
  if (chosen.preemption_policy.empty()) return {};
  if (spec.has_preemption_policy() && spec.preemption_policy() != chosen.preemption_policy)
    return Refuse(request, "the string value of PreemptionPolicy (" + std::string(spec.preemption_policy()) +
                               ") must not be provided in pod spec; priority admission controller computed " +
                               chosen.preemption_policy + " from the given PriorityClass name");
  spec.set_preemption_policy(chosen.preemption_policy);
  return {};
}

// A client that does not send back what was set here leaves it as it is.
void Keep(api::core_v1::PodSpecEditor now, api::core_v1::PodSpecView was) {
  if (!now.has_priority() && was.has_priority()) now.set_priority(was.priority());
  if (!now.has_preemption_policy() && was.has_preemption_policy())
    now.set_preemption_policy(was.preemption_policy());
}

}  // namespace

Concern Priority::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  return {.mutates =
              Is(resource, subresource, kPods) || (of_pod_groups_ && Is(resource, subresource, kPodGroups)),
          .validates = Is(resource, subresource, kClasses)};
}

base::Task<Verdict> Priority::MutateGroup(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  auto spec = api::scheduling_v1alpha2::PodGroupEditor(*request.object).mutable_spec();
  const auto chosen = CO_TRY(co_await Choose(objects_, request, spec.priority_class_name()));
  if (spec.has_priority() && spec.priority() != chosen.priority)
    co_return Refuse(request, "priority set in the pod group (" + std::to_string(spec.priority()) +
                                  ") must match the priority computed (" + std::to_string(chosen.priority) +
                                  ") based on the priority class set in the spec");
  spec.set_priority(chosen.priority);
  spec.set_priority_class_name(chosen.name);
  co_return Verdict();
}

base::Task<Verdict> Priority::Mutate(Attributes request) const {
  if (Is(*request.resource, request.subresource, kPodGroups)) co_return co_await MutateGroup(request);
  if (request.operation == Operation::kDelete) co_return Verdict();
  auto spec = api::core_v1::PodEditor(*request.object).mutable_spec();
  if (request.operation == Operation::kUpdate) {
    Keep(spec, api::core_v1::PodView(*request.old_object).spec());
    co_return Verdict();
  }
  const auto chosen = CO_TRY(co_await Choose(objects_, request, spec.priority_class_name()));
  co_return Apply(request, spec, chosen);
}

base::Task<Verdict> Priority::Validate(Attributes request) const {
  if (request.operation == Operation::kDelete) co_return Verdict();
  const PriorityClassView now(*request.object);
  if (!now.global_default()) co_return Verdict();
  const auto other = CO_TRY(co_await FindDefault(objects_));
  if (!other || (request.operation == Operation::kUpdate && other->name == now.metadata().name()))
    co_return Verdict();
  co_return Refuse(
      request, "PriorityClass " + other->name + " is already marked as default. Only one default can exist");
}

}  // namespace keelson::admission
