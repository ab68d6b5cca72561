#include "api/validation/apps/stateful_set.h"
#include "api/validation/names.h"
#include "registry/apps/strategies.h"
#include "registry/core/workload_strategy.h"

namespace keelson::registry::apps {
namespace {

using api::apps_v1::StatefulSetEditor;
using api::apps_v1::StatefulSetView;
using api::field::ErrorList;
using api::field::Path;

// `claim_member` is what upstream puts between a claim's place and its resources.
void WarnOfSpec(StatefulSetView set, std::string_view claim_member, core::Warnings& warnings) {
  const Path spec("spec"), claims = spec.Child("volumeClaimTemplates");
  size_t i = 0;
  for (auto claim : set.spec().volume_claim_templates()) {
    const Path at = claims.Index(i++);
    core::WarnOfClaimSpec(claim.spec(), claim_member.empty() ? at : at.Child(claim_member), warnings);
  }
  if (set.spec().revision_history_limit() < 0)
    warnings.push_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is "
        "recommended");
}

// StatefulSet: its name becomes that of its pods with a number, so it must be a DNS label.
class StatefulSetStrategy : public core::WorkloadStrategy<StatefulSetView, StatefulSetEditor> {
 public:
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsLabel(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apps::ValidateStatefulSet(StatefulSetView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    const StatefulSetView set(doc);
    core::Warnings warnings;
    WarnOfTemplate(set, warnings);
    WarnOfSpec(set, "", warnings);
    return warnings;
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateStatefulSetUpdate(StatefulSetView(now), StatefulSetView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext& context, const api::Doc& now,
                                            const api::Doc& was) const override {
    core::Warnings warnings = WorkloadStrategy::WarningsOnUpdate(context, now, was);
    WarnOfSpec(StatefulSetView(now), "Spec", warnings);
    return warnings;
  }

 protected:
  // maxUnavailable is a feature that is off.
  void DropDisabled(const Features& features, StatefulSetEditor now, StatefulSetView was) const override {
    WorkloadStrategy::DropDisabled(features, now, was);
    if (was.spec().update_strategy().rolling_update().has_max_unavailable()) return;
    auto strategy = now.mutable_spec().mutable_update_strategy();
    if (auto update = strategy.edit_rolling_update()) update.clear_max_unavailable();
  }
};

class StatefulSetStatusStrategy final : public core::WorkloadStatusStrategy<StatefulSetStrategy> {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateStatefulSetStatusUpdate(StatefulSetView(now), StatefulSetView(was));
  }
};

}  // namespace

const Strategy& StatefulSets() {
  static const StatefulSetStrategy strategy;
  return strategy;
}

const Strategy& StatefulSetStatus() {
  static const StatefulSetStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::apps
