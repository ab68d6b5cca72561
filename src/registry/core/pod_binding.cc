#include "api/generated/core_v1.h"
#include "api/managed_fields/field_manager.h"
#include "api/meta/object_meta.h"
#include "api/validation/core/pod_subresources.h"
#include "api/validation/names.h"
#include "registry/core/pod_conditions.h"
#include "registry/core/pod_servings.h"
#include "registry/core/pod_store.h"
#include "registry/core/resource_names.h"
#include "registry/errors.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::BindingView;
using api::core_v1::PodEditor;
using api::core_v1::PodView;

constexpr api::GroupResource kPodBindings{"", "pods/binding"};

// Why the pod cannot be assigned; empty: it can.
std::string Obstacle(PodView pod) {
  const std::string name(pod.metadata().name());
  if (pod.metadata().has_deletion_timestamp())
    return "pod " + name + " is being deleted, cannot be assigned to a host";
  if (!pod.spec().node_name().empty())
    return "pod " + name + " is already assigned to node " + api::field::RenderValue(pod.spec().node_name());
  if (!pod.spec().scheduling_gates().empty()) return "pod " + name + " has non-empty .spec.schedulingGates";
  return {};
}

// The answer when the client expects another version of the pod.
api::Status OtherVersion(PodView pod, std::string_view wanted) {
  const auto metadata = pod.metadata();
  std::string why = "StorageError: invalid object, Code: 4, Key: /registry/pods/";
  why.append(metadata.namespace_()).append("/").append(metadata.name());
  why += ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: ";
  why.append(wanted).append(", ResourceVersion in object meta: ").append(metadata.resource_version());
  return api::Conflict(kPods, metadata.name(), why);
}

rest::Result<api::Doc> Assign(BindingView binding, const api::Doc& current, const base::Clock& clock) {
  const PodView was(current);
  const std::string_view wanted = binding.metadata().resource_version();
  if (!wanted.empty() && wanted != was.metadata().resource_version())
    return base::Err(OtherVersion(was, wanted));
  if (const std::string obstacle = Obstacle(was); !obstacle.empty())
    return base::Err(api::Conflict(kPodBindings, was.metadata().name(), obstacle));

  api::Doc doc = current.Clone();
  PodEditor pod(doc);
  pod.mutable_spec().set_node_name(binding.target().name());
  auto metadata = pod.mutable_metadata();
  for (const auto& [key, value] : binding.metadata().annotations())
    metadata.put_annotations(key, value.string());
  for (const auto& [key, value] : binding.metadata().labels()) metadata.put_labels(key, value.string());
  auto status = pod.mutable_status();
  status.clear_nominated_node_name();  // it has served its purpose
  SetPodCondition(status, {.type = "PodScheduled", .status = "True"}, clock);
  return doc;
}

base::Task<rest::Result<api::Doc>> AssignTask(std::shared_ptr<const api::Doc> binding,
                                              const base::Clock& clock, const api::Doc& current) {
  co_return Assign(BindingView(*binding), current, clock);
}

// What cannot be the name of a pod is told before one is looked for.
rest::Result<void> CheckPodName(std::string_view name) {
  if (name.empty()) return base::Err(api::BadRequest("Name parameter required."));
  const api::Messages wrong = api::NameIsPathSegment(name, false);
  if (wrong.empty()) return {};
  std::string why = "Name parameter invalid: " + api::field::RenderValue(name) + ": ";
  for (size_t i = 0; i < wrong.size(); ++i) why.append(i ? ";" : "").append(wrong[i]);
  return base::Err(api::BadRequest(why));
}

class BindingServing final : public Serving, public rest::Creater {
 public:
  BindingServing(ServingOptions options, PodStore& pods, const base::Clock& clock)
      : options_(std::move(options)),
        pods_(pods),
        clock_(clock),
        fields_(*api::FindResource("", "v1", "bindings"), options_.subresource) {}
  rest::Verbs verbs() override { return {.create = this}; }

  base::Task<rest::Result<rest::Written>> Create(rest::WriteRequest request, api::Doc doc) override {
    // Only pods/binding has a use for the uid of the pod.
    if (request.parent.empty()) api::WipeObjectMetaSystemFields(doc);
    CO_TRY(EnsureNamespaceMatches(request.ns, doc));
    fields_.Update(nullptr, doc, request.field_manager, api::NowSeconds(clock_));  // admission sees them
    const std::string asked(request.parent.empty() ? api::MetadataOf(doc).name() : request.parent);
    const auto attributes = options_.Creating(request, asked, doc);
    if (options_.admission.mutate) CO_TRY(co_await options_.admission.mutate(attributes));
    DropRepeatedOwners(request, doc);

    const BindingView given(doc);
    if (!request.parent.empty() && given.metadata().name() != request.parent)
      co_return base::Err(api::BadRequest("name in URL does not match name in Binding object"));
    if (const auto errors = api::core::ValidatePodBinding(given); !errors.empty())
      co_return base::Err(UnknownError(errors.Aggregate()));
    if (options_.admission.validate) CO_TRY(co_await options_.admission.validate(attributes));
    CO_TRY(CheckPodName(given.metadata().name()));

    std::string name(given.metadata().name()), uid(given.metadata().uid());
    auto binding = std::make_shared<const api::Doc>(std::move(doc));
    // Nobody owns what a binding sets.
    rest::UpdatedObject pod{
        .make = [this, binding](const api::Doc& current) { return AssignTask(binding, clock_, current); },
        .uid = std::move(uid),
        .tracked = true};
    CO_TRY(co_await pods_.own_writes().Update(std::move(request), std::move(name), std::move(pod)));
    co_return rest::Written{.created = true, .status = Carried()};
  }

 private:
  const ServingOptions options_;
  PodStore& pods_;
  const base::Clock& clock_;
  const api::managed_fields::FieldManager fields_;
};

}  // namespace

std::unique_ptr<Serving> ServeBinding(ServingOptions options, const Dependencies& dependencies) {
  auto& pods = static_cast<PodStore&>(*dependencies.stores->Find(kPods));
  return std::make_unique<BindingServing>(std::move(options), pods, *dependencies.clock);
}

}  // namespace keelson::registry::core
