#include "api/generated/core_v1.h"
#include "api/generated/policy_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/label_selector_match.h"
#include "registry/core/disruption_budget.h"
#include "registry/core/pod_conditions.h"
#include "registry/core/pod_servings.h"
#include "registry/core/resource_names.h"
#include "registry/decode.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::PodEditor;
using api::core_v1::PodPhase;
using api::core_v1::PodView;
using api::policy_v1::EvictionEditor;
using api::policy_v1::EvictionView;
using api::policy_v1::PodDisruptionBudgetView;

constexpr api::GroupResource kBudgets{"policy", "poddisruptionbudgets"};
// Conflicts come from others who change the same pod; after so many the client decides.
constexpr int kAttempts = 20;

bool HasEnded(PodView pod) {
  return pod.status().phase() == PodPhase::kSucceeded || pod.status().phase() == PodPhase::kFailed ||
         pod.metadata().has_deletion_timestamp();
}

// Nothing is disrupted by the end of a pod that does not run.
bool NeedsNoBudget(PodView pod) { return HasEnded(pod) || pod.status().phase() == PodPhase::kPending; }

DeleteOptions OptionsOf(EvictionView eviction, bool dry_run) {
  const auto given = eviction.delete_options();
  DeleteOptions options;
  if (given.has_grace_period_seconds()) options.grace_period_seconds = given.grace_period_seconds();
  if (given.preconditions().has_uid()) options.uid = given.preconditions().uid();
  if (given.preconditions().has_resource_version())
    options.resource_version = given.preconditions().resource_version();
  if (given.has_propagation_policy()) options.propagation_policy = given.propagation_policy();
  if (given.has_orphan_dependents()) options.orphan_dependents = given.orphan_dependents();
  options.dry_run = dry_run || !given.dry_run().empty();
  return options;
}

api::Status Differs(PodView pod, const std::string& what, const std::string& wanted, std::string_view found,
                    const std::string& why) {
  return api::Conflict({"", "Pod"}, pod.metadata().name(),
                       "the " + what + " in the precondition (" + wanted + ") does not match the " + what +
                           " in record (" + std::string(found) + "). The object might have been " + why);
}

// The pod with a condition that tells why it ends.
rest::Result<api::Doc> Marked(const DeleteOptions& options, const api::Doc& current,
                              const base::Clock& clock) {
  const PodView was(current);
  const auto metadata = was.metadata();
  if (options.uid && !options.uid->empty() && *options.uid != metadata.uid())
    return base::Err(Differs(was, "UID", *options.uid, metadata.uid(), "deleted and then recreated"));
  if (options.resource_version && !options.resource_version->empty() &&
      *options.resource_version != metadata.resource_version())
    return base::Err(
        Differs(was, "ResourceVersion", *options.resource_version, metadata.resource_version(), "modified"));
  api::Doc doc = current.Clone();
  SetPodCondition(PodEditor(doc).mutable_status(),
                  {.type = "DisruptionTarget",
                   .status = "True",
                   .reason = "EvictionByEvictionAPI",
                   .message = "Eviction API: evicting"},
                  clock);
  return doc;
}

base::Task<rest::Result<api::Doc>> MarkTask(std::shared_ptr<const DeleteOptions> options,
                                            const base::Clock& clock, const api::Doc& current) {
  co_return Marked(*options, current, clock);
}

base::Task<rest::Result<api::Doc>> DecrementTask(std::string pod, const base::Clock& clock,
                                                 const api::Doc& current) {
  co_return WithOneDisruptionLess(current, pod, clock);
}

// An option that makes no sense here; its value is true.
api::Status RefusedOption(std::string_view name) {
  const api::field::Path options("deleteOptions");
  api::field::ErrorList errors;
  errors.Add(api::field::Invalid(options.Child("ignoreStoreReadErrorWithClusterBreakingPotential"), "true",
                                 "can not be set for pod eviction, try after removing the option"));
  return api::Invalid({"policy", "Eviction"}, name, errors);
}

class EvictionServing final : public Serving, public rest::Creater {
 public:
  EvictionServing(ServingOptions options, const Dependencies& dependencies)
      : options_(std::move(options)),
        pods_(WithoutAdmission(*dependencies.stores->Find(kPods))),
        pod_status_(WithoutAdmission(*dependencies.stores->Find(kPods, "status"))),
        budgets_(*dependencies.stores->Find(kBudgets)),
        budget_status_(*dependencies.stores->Find(kBudgets, "status")),
        server_user_(dependencies.server_user),
        clock_(*dependencies.clock) {}
  rest::Verbs verbs() override { return {.create = this}; }

  base::Task<rest::Result<rest::Written>> Create(rest::WriteRequest request, api::Doc doc) override {
    api::WipeObjectMetaSystemFields(doc);
    CO_TRY(EnsureNamespaceMatches(request.ns, doc));
    const auto attributes = options_.Creating(request, request.parent, doc);
    if (options_.admission.mutate) CO_TRY(co_await options_.admission.mutate(attributes));
    DropRepeatedOwners(request, doc);

    const EvictionView eviction(doc);
    if (eviction.metadata().name() != request.parent)
      co_return base::Err(api::BadRequest("name in URL does not match name in Eviction object"));
    if (eviction.delete_options().ignore_store_read_error_with_cluster_breaking_potential())
      co_return base::Err(RefusedOption(request.parent));
    if (request.dry_run && eviction.delete_options() && eviction.delete_options().dry_run().empty())
      EvictionEditor(doc).mutable_delete_options().add_dry_run("All");
    if (options_.admission.validate) CO_TRY(co_await options_.admission.validate(attributes));
    DeleteOptions options = OptionsOf(eviction, request.dry_run);
    auto evicted = CO_TRY(co_await Evict(std::move(request), std::move(options)));
    co_return rest::Written{.created = true, .status = std::move(evicted)};
  }

 private:
  // What an admitted eviction does to its pod is not asked about again.
  static StoreOptions WithoutAdmission(const Store& store) {
    StoreOptions options = store.options();
    options.admission = {};
    return options;
  }

  base::Task<rest::Result<api::Doc>> ReadPod(std::string ns, std::string name) {
    const auto object = CO_TRY(co_await pods_.Get(std::move(ns), std::move(name), {}));
    co_return DecodeStored(*object, api::core_v1::kPodType);
  }

  // The Status to answer with.
  base::Task<rest::Result<api::Status>> Evict(rest::WriteRequest request, DeleteOptions options) {
    request.dry_run = options.dry_run;
    for (int attempt = 1;; ++attempt) {
      const auto pod = CO_TRY(co_await ReadPod(request.ns, request.parent));
      const PodView view(pod);
      if (!NeedsNoBudget(view)) co_return co_await EvictGuarded(std::move(request), std::move(options), view);
      DeleteOptions exact = options;
      // It must not have come to run meanwhile.
      if (!HasEnded(view) && !options.resource_version)
        exact.resource_version = view.metadata().resource_version();
      auto deleted = co_await MarkAndDelete(request, std::move(exact));
      if (deleted) co_return Carried();
      const bool conflict = deleted.error().code == 409 && !options.resource_version;
      if (!conflict || attempt == kAttempts) co_return base::Err(std::move(deleted.error()));
    }
  }

  // `pod` runs: whatever budget selects it must allow its end.
  base::Task<rest::Result<api::Status>> EvictGuarded(rest::WriteRequest request, DeleteOptions options,
                                                     PodView pod) {
    auto budgets = CO_TRY(co_await BudgetsOf(request.ns, pod.metadata().labels()));
    if (budgets.size() > 1) co_return ManyBudgets();
    DeleteOptions exact = options;
    std::string budget;
    bool must_stay_unready = false;
    if (!budgets.empty()) {
      const PodDisruptionBudgetView view(budgets[0]);
      budget = view.metadata().name();
      must_stay_unready = !IsPodReady(pod) && SparesUnready(view);
      if (must_stay_unready) exact.resource_version = pod.metadata().resource_version();
    }
    if (!budget.empty() && !must_stay_unready) {
      rest::UpdatedObject decremented{[this, name = request.parent](const api::Doc& current) {
                                        return DecrementTask(name, clock_, current);
                                      },
                                      {}};
      // The server counts, on whosever behalf, and admission judges that as a write of its own.
      rest::WriteRequest own{.user = server_user_ ? server_user_ : request.user,
                             .ns = request.ns,
                             .dry_run = request.dry_run,
                             .api_version = {kBudgets.group, "v1"}};
      CO_TRY(co_await budget_status_.Update(std::move(own), budget, std::move(decremented)));
    }
    auto deleted = co_await MarkAndDelete(std::move(request), std::move(exact));
    if (deleted) co_return Carried();
    // It may have become ready since: whether the budget allows that is asked anew.
    if (deleted.error().code == 409 && must_stay_unready && !options.resource_version)
      co_return base::Err(StillProcessed(budget));
    co_return base::Err(std::move(deleted.error()));
  }

  base::Task<rest::Result<void>> MarkAndDelete(rest::WriteRequest request, DeleteOptions options) {
    const std::string name = request.parent;
    if (!options.dry_run) {
      auto shared = std::make_shared<const DeleteOptions>(options);
      // Nobody owns the condition.
      rest::UpdatedObject marked{
          .make = [this, shared](const api::Doc& current) { return MarkTask(shared, clock_, current); },
          .tracked = true};
      const auto written = CO_TRY(co_await pod_status_.Update(request, name, std::move(marked)));
      if (options.resource_version) {
        const auto doc = CO_TRY(DecodeWritten(written.object, api::core_v1::kPodType));
        options.resource_version = api::MetadataOf(doc).resource_version();
      }
    }
    CO_TRY(co_await pods_.Delete(std::move(request), name, std::move(options)));
    co_return rest::Result<void>();
  }

  // Those of the namespace that select pods with these labels.
  base::Task<rest::Result<std::vector<api::Doc>>> BudgetsOf(std::string ns, api::MapView labels) {
    rest::ListOptions all{.ns = std::move(ns)};
    const auto list = CO_TRY(co_await budgets_.List(std::move(all)));
    std::vector<api::Doc> found;
    for (const rest::Object* object : list.items) {
      auto doc = CO_TRY(DecodeStored(*object, api::policy_v1::kPodDisruptionBudgetType));
      const auto selector = PodDisruptionBudgetView(doc).spec().selector();
      if (api::IsUsableSelector(selector) && api::SelectorMatches(selector, labels))
        found.push_back(std::move(doc));
    }
    co_return std::move(found);
  }

  const ServingOptions options_;
  Store pods_, pod_status_;
  Store& budgets_;
  Store& budget_status_;
  const auth::User* const server_user_;  // may be null
  const base::Clock& clock_;
};

}  // namespace

std::unique_ptr<Serving> ServeEviction(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<EvictionServing>(std::move(options), dependencies);
}

}  // namespace keelson::registry::core
