#include "api/validation/names.h"
#include "api/validation/policy/pod_disruption_budget.h"
#include "registry/core/fields.h"
#include "registry/policy/strategies.h"

namespace keelson::registry::policy {
namespace {

using api::field::ErrorList;
using api::policy_v1::PodDisruptionBudgetEditor;
using api::policy_v1::PodDisruptionBudgetView;
using core::ClearField;
using core::KeepField;

class PodDisruptionBudgetStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  bool ChecksStandardFinalizers() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsPathSegment(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ClearField(doc, "status");
    PodDisruptionBudgetEditor(doc).mutable_metadata().set_generation(1);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::policy::ValidatePodDisruptionBudget(PodDisruptionBudgetView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    const PodDisruptionBudgetView before(was);
    PodDisruptionBudgetEditor after(now);
    if (api::Equal(after.spec().node(), before.spec().node())) return;
    after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::policy::ValidatePodDisruptionBudgetUpdate(PodDisruptionBudgetView(now),
                                                          PodDisruptionBudgetView(was));
  }
  bool AllowUnconditionalUpdate() const override { return false; }
};

class PodDisruptionBudgetStatusStrategy final : public PodDisruptionBudgetStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::policy::ValidatePodDisruptionBudgetStatus(PodDisruptionBudgetView(now).status());
  }
};

}  // namespace

const Strategy& PodDisruptionBudgets() {
  static const PodDisruptionBudgetStrategy strategy;
  return strategy;
}

const Strategy& PodDisruptionBudgetStatus() {
  static const PodDisruptionBudgetStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::policy
