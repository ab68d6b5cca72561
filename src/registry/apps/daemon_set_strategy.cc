#include <algorithm>
#include <string>

#include "api/validation/apps/daemon_set.h"
#include "api/validation/names.h"
#include "registry/apps/strategies.h"
#include "registry/core/fields.h"
#include "registry/core/kept_fields.h"
#include "registry/core/pod_rules.h"
#include "registry/core/pod_warnings.h"

namespace keelson::registry::apps {
namespace {

using api::apps::kTemplateGenerationAnnotation;
using api::apps::TemplateGenerationOf;
using api::apps_v1::DaemonSetEditor;
using api::apps_v1::DaemonSetView;
using api::field::ErrorList;
using core::ClearField;
using core::KeepField;

core::Warnings TemplateWarnings(DaemonSetView set) {
  const api::field::Path spec("spec");
  core::Warnings warnings;
  core::WarnOfPodTemplate(set.spec().template_(), spec.Child("template"), warnings);
  return warnings;
}

bool SameTemplate(DaemonSetView a, DaemonSetView b) {
  return api::Equal(a.spec().template_().node(), b.spec().template_().node());
}

void SetTemplateGeneration(DaemonSetEditor set, int64_t generation) {
  set.mutable_metadata().put_annotations(kTemplateGenerationAnnotation, std::to_string(generation));
}

// DaemonSet: besides the generation of its spec, an annotation counts the changes of its
// template; nobody but this file sets it once the object exists.
class DaemonSetStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  // Whoever writes the object sets the annotation, sent or not.
  void PrepareForTracking(api::Doc& doc) const override {
    DaemonSetEditor set(doc);
    if (!set.metadata().annotations().Find(kTemplateGenerationAnnotation)) SetTemplateGeneration(set, 0);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ClearField(doc, "status");
    DaemonSetEditor set(doc);
    set.mutable_metadata().set_generation(1);
    // What is no number stays, for Validate to refuse.
    if (const auto given = TemplateGenerationOf(set.metadata()))
      SetTemplateGeneration(set, std::max<int64_t>(*given, 1));
    core::DropDisabledFields(set.mutable_spec().mutable_template().mutable_spec(), {});
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apps::ValidateDaemonSet(DaemonSetView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return TemplateWarnings(DaemonSetView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    const DaemonSetView before(was);
    DaemonSetEditor after(now);
    core::DropDisabledFields(after.mutable_spec().mutable_template().mutable_spec(),
                             before.spec().template_().spec());
    const int64_t generation = TemplateGenerationOf(before.metadata()).value_or(0);
    SetTemplateGeneration(after, SameTemplate(after, before) ? generation : generation + 1);
    if (api::Equal(after.spec().node(), before.spec().node())) return;
    after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateDaemonSetUpdate(DaemonSetView(now), DaemonSetView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const DaemonSetView after(now), before(was);
    if (SameTemplate(after, before)) return {};
    return TemplateWarnings(after);
  }
};

class DaemonSetStatusStrategy final : public DaemonSetStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
    // Part of the spec, wherever it is written.
    core::KeepAnnotation(DaemonSetEditor(now).mutable_metadata(), DaemonSetView(was).metadata(),
                         kTemplateGenerationAnnotation);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateDaemonSetStatusUpdate(DaemonSetView(now), DaemonSetView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
  }
};

}  // namespace

const Strategy& DaemonSets() {
  static const DaemonSetStrategy strategy;
  return strategy;
}

const Strategy& DaemonSetStatus() {
  static const DaemonSetStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::apps
