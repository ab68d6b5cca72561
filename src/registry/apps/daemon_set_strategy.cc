#include <algorithm>
#include <string>

#include "api/validation/apps/daemon_set.h"
#include "registry/apps/strategies.h"
#include "registry/core/kept_fields.h"
#include "registry/core/workload_strategy.h"

namespace keelson::registry::apps {
namespace {

using api::apps::kTemplateGenerationAnnotation;
using api::apps::TemplateGenerationOf;
using api::apps_v1::DaemonSetEditor;
using api::apps_v1::DaemonSetView;
using api::field::ErrorList;

bool SameTemplate(DaemonSetView a, DaemonSetView b) {
  return api::Equal(a.spec().template_().node(), b.spec().template_().node());
}

void SetTemplateGeneration(DaemonSetEditor set, int64_t generation) {
  set.mutable_metadata().put_annotations(kTemplateGenerationAnnotation, std::to_string(generation));
}

// DaemonSet: besides the generation of its spec, an annotation counts the changes of its
// template; nobody but this file sets it once the object exists.
class DaemonSetStrategy : public core::WorkloadStrategy<DaemonSetView, DaemonSetEditor> {
 public:
  // Whoever writes the object sets the annotation, sent or not.
  void PrepareForTracking(api::Doc& doc) const override {
    DaemonSetEditor set(doc);
    if (!set.metadata().annotations().Find(kTemplateGenerationAnnotation)) SetTemplateGeneration(set, 0);
  }
  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    WorkloadStrategy::PrepareForCreate(context, doc);
    DaemonSetEditor set(doc);
    // What is no number stays, for Validate to refuse.
    if (const auto given = TemplateGenerationOf(set.metadata()))
      SetTemplateGeneration(set, std::max<int64_t>(*given, 1));
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apps::ValidateDaemonSet(DaemonSetView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    core::Warnings warnings;
    WarnOfTemplate(DaemonSetView(doc), warnings);
    return warnings;
  }
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    WorkloadStrategy::PrepareForUpdate(context, now, was);
    const DaemonSetView before(was);
    DaemonSetEditor after(now);
    const int64_t generation = TemplateGenerationOf(before.metadata()).value_or(0);
    SetTemplateGeneration(after, SameTemplate(after, before) ? generation : generation + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateDaemonSetUpdate(DaemonSetView(now), DaemonSetView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const DaemonSetView after(now), before(was);
    core::Warnings warnings;
    if (!SameTemplate(after, before)) WarnOfTemplate(after, warnings);
    return warnings;
  }
};

class DaemonSetStatusStrategy final : public core::WorkloadStatusStrategy<DaemonSetStrategy> {
 public:
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    WorkloadStatusStrategy::PrepareForUpdate(context, now, was);
    // Part of the spec, wherever it is written.
    core::KeepAnnotation(DaemonSetEditor(now).mutable_metadata(), DaemonSetView(was).metadata(),
                         kTemplateGenerationAnnotation);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateDaemonSetStatusUpdate(DaemonSetView(now), DaemonSetView(was));
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
