#include "api/meta/object_meta.h"
#include "api/validation/core/persistent_volume.h"
#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::PersistentVolumeEditor;
using api::core_v1::PersistentVolumePhase;
using api::core_v1::PersistentVolumeView;
using api::field::ErrorList;

class PersistentVolumeStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    ClearField(doc, "status");
    auto status = PersistentVolumeEditor(doc).mutable_status();
    status.set_phase_static(PersistentVolumePhase::kPending);
    status.set_last_phase_transition_time(api::NowSeconds(*context.clock));
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidatePersistentVolume(PersistentVolumeView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidatePersistentVolumeUpdate(PersistentVolumeView(now), PersistentVolumeView(was));
  }
};

class PersistentVolumeStatusStrategy final : public PersistentVolumeStrategy {
 public:
  // The time of the last change of phase is kept by the server unless the client sets it.
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
    auto status = PersistentVolumeEditor(now).mutable_status();
    const auto before = PersistentVolumeView(was).status();
    if (status.phase() == before.phase()) {
      if (!status.has_last_phase_transition_time() && before.has_last_phase_transition_time()) {
        status.set_last_phase_transition_time(before.last_phase_transition_time());
      }
    } else if (!status.has_last_phase_transition_time() ||
               (before.has_last_phase_transition_time() &&
                status.last_phase_transition_time() == before.last_phase_transition_time())) {
      status.set_last_phase_transition_time(api::NowSeconds(*context.clock));
    }
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc&, const api::Doc&) const override {
    return {};
  }
};

}  // namespace

const Strategy& PersistentVolumes() {
  static const PersistentVolumeStrategy strategy;
  return strategy;
}

const Strategy& PersistentVolumeStatus() {
  static const PersistentVolumeStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
