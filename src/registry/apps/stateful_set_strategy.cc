#include "api/validation/apps/stateful_set.h"
#include "api/validation/names.h"
#include "registry/apps/strategies.h"
#include "registry/core/fields.h"
#include "registry/core/pod_rules.h"
#include "registry/core/pod_warnings.h"

namespace keelson::registry::apps {
namespace {

using api::apps_v1::StatefulSetEditor;
using api::apps_v1::StatefulSetView;
using api::field::ErrorList;
using api::field::Path;
using core::ClearField;
using core::KeepField;

// maxUnavailable is a feature that is off.
void DropDisabled(StatefulSetEditor now, StatefulSetView was) {
  auto spec = now.mutable_spec();
  core::DropDisabledFields(spec.mutable_template().mutable_spec(), was.spec().template_().spec());
  if (was.spec().update_strategy().rolling_update().has_max_unavailable()) return;
  if (auto update = spec.mutable_update_strategy().edit_rolling_update()) update.clear_max_unavailable();
}

void WarnOfTemplate(StatefulSetView set, core::Warnings& warnings) {
  const Path spec("spec");
  core::WarnOfPodTemplate(set.spec().template_(), spec.Child("template"), warnings);
}

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
class StatefulSetStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsLabel(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ClearField(doc, "status");
    StatefulSetEditor set(doc);
    set.mutable_metadata().set_generation(1);
    DropDisabled(set, {});
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
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    const StatefulSetView before(was);
    StatefulSetEditor after(now);
    DropDisabled(after, before);
    if (api::Equal(after.spec().node(), before.spec().node())) return;
    after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateStatefulSetUpdate(StatefulSetView(now), StatefulSetView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const StatefulSetView after(now), before(was);
    core::Warnings warnings;
    if (after.metadata().generation() != before.metadata().generation()) WarnOfTemplate(after, warnings);
    WarnOfSpec(after, "Spec", warnings);
    return warnings;
  }
};

class StatefulSetStatusStrategy final : public StatefulSetStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateStatefulSetStatusUpdate(StatefulSetView(now), StatefulSetView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
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
