// WorkloadStrategy: the rules shared by the kinds that make pods from a template. A new
// generation comes with warnings of its template; what belongs to features that are off is
// not taken.
#pragma once

#include "registry/core/pod_rules.h"
#include "registry/core/pod_warnings.h"
#include "registry/core/spec_strategy.h"

namespace keelson::registry::core {

template <typename View, typename Editor>
class WorkloadStrategy : public SpecStrategy {
 public:
  bool NamespaceScoped() const override { return true; }
  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    SpecStrategy::PrepareForCreate(context, doc);
    DropDisabled(context.features, Editor(doc), View());
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    const View workload(doc);
    Warnings warnings;
    WarnOfWorkloadName(workload.metadata().name(), warnings);
    WarnOfTemplate(workload, warnings);
    return warnings;
  }
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    DropDisabled(context.features, Editor(now), View(was));
    SpecStrategy::PrepareForUpdate(context, now, was);
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    Warnings warnings;
    if (NewGeneration(now, was)) WarnOfTemplate(View(now), warnings);
    return warnings;
  }

 protected:
  static bool NewGeneration(const api::Doc& now, const api::Doc& was) {
    return View(now).metadata().generation() != View(was).metadata().generation();
  }
  // `was` is null on creation.
  virtual void DropDisabled(const Features& features, Editor now, View was) const {
    if constexpr (requires { now.mutable_spec().mutable_template(); })
      DropDisabledFields(features, now.mutable_spec().mutable_template().mutable_spec(),
                         was.spec().template_().spec());
  }
  virtual void WarnOfTemplate(View workload, Warnings& warnings) const {
    if constexpr (requires { workload.spec().template_(); }) {
      const api::field::Path spec("spec");
      WarnOfPodTemplate(workload.spec().template_(), spec.Child("template"), warnings);
    }
  }
};

// The status subresource of a workload: the spec stays, and there is nothing to warn of.
template <typename Workload>
class WorkloadStatusStrategy : public Workload {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
  }
};

}  // namespace keelson::registry::core
