#include "api/validation/apps/replica_set.h"
#include "api/validation/names.h"
#include "registry/apps/strategies.h"
#include "registry/core/fields.h"
#include "registry/core/pod_rules.h"
#include "registry/core/pod_warnings.h"

namespace keelson::registry::apps {
namespace {

using api::apps_v1::ReplicaSetEditor;
using api::apps_v1::ReplicaSetView;
using api::field::ErrorList;
using core::ClearField;
using core::KeepField;

void WarnOfTemplate(ReplicaSetView set, core::Warnings& warnings) {
  const api::field::Path spec("spec");
  core::WarnOfPodTemplate(set.spec().template_(), spec.Child("template"), warnings);
}

class ReplicaSetStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ClearField(doc, "status");
    ReplicaSetEditor set(doc);
    set.mutable_metadata().set_generation(1);
    core::DropDisabledFields(set.mutable_spec().mutable_template().mutable_spec(), {});
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apps::ValidateReplicaSet(ReplicaSetView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    const ReplicaSetView set(doc);
    core::Warnings warnings;
    core::WarnOfWorkloadName(set.metadata().name(), warnings);
    WarnOfTemplate(set, warnings);
    return warnings;
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    const ReplicaSetView before(was);
    ReplicaSetEditor after(now);
    core::DropDisabledFields(after.mutable_spec().mutable_template().mutable_spec(),
                             before.spec().template_().spec());
    if (api::Equal(after.spec().node(), before.spec().node())) return;
    after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateReplicaSetUpdate(ReplicaSetView(now), ReplicaSetView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const ReplicaSetView after(now), before(was);
    core::Warnings warnings;
    if (after.metadata().generation() != before.metadata().generation()) WarnOfTemplate(after, warnings);
    return warnings;
  }
};

class ReplicaSetStatusStrategy final : public ReplicaSetStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::apps::ValidateReplicaSetStatus(ReplicaSetView(now).status());
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
  }
};

}  // namespace

const Strategy& ReplicaSets() {
  static const ReplicaSetStrategy strategy;
  return strategy;
}

const Strategy& ReplicaSetStatus() {
  static const ReplicaSetStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::apps
