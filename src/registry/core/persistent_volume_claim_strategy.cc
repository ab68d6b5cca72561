#include "api/codec/quantity.h"
#include "api/validation/core/persistent_volume_claim.h"
#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;
using api::field::ErrorList;

bool IsClaimOrSnapshot(TypedLocalObjectReferenceView source) {
  return (source.api_group().empty() && source.kind() == "PersistentVolumeClaim") ||
         (source.api_group() == "snapshot.storage.k8s.io" && source.kind() == "VolumeSnapshot");
}

// dataSource took only claims and snapshots and dropped all else in silence; dataSourceRef
// takes anything. Whichever of the two a client gives stands for both.
void NormalizeDataSources(PersistentVolumeClaimSpecEditor now, PersistentVolumeClaimSpecView was) {
  // Sources in other namespaces are a feature that is off.
  if (!was.data_source_ref() && !now.data_source_ref().namespace_().empty()) now.clear_data_source_ref();
  const bool had_source = was.data_source() || was.data_source_ref();
  if (!had_source && !now.data_source_ref() && !IsClaimOrSnapshot(now.data_source())) now.clear_data_source();
  auto copy = [](auto from, auto to) {
    to.set_kind(from.kind());
    to.set_name(from.name());
    if (from.has_api_group()) to.set_api_group(from.api_group());
  };
  if (now.data_source() && !now.data_source_ref()) {
    copy(now.data_source(), now.mutable_data_source_ref());
  } else if (now.data_source_ref() && !now.data_source() && now.data_source_ref().namespace_().empty()) {
    copy(now.data_source_ref(), now.mutable_data_source());
  }
}

std::vector<std::string> WarningsFor(PersistentVolumeClaimView claim) {
  std::vector<std::string> warnings;
  auto whole_bytes = [&](api::MapView list, std::string_view member) {
    const api::Value* storage = list.Find("storage");
    const auto quantity = storage ? api::Quantity::Parse(storage->string()) : api::Quantity();
    if (!quantity || quantity->MilliValue() % 1000 == 0) return;
    warnings.push_back("spec.resources." + std::string(member) + "[storage]: fractional byte value \"" +
                       std::string(storage->string()) + "\" is invalid, must be an integer");
  };
  whole_bytes(claim.spec().resources().requests(), "requests");
  whole_bytes(claim.spec().resources().limits(), "limits");
  return warnings;
}

class PersistentVolumeClaimStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    PersistentVolumeClaimEditor claim(doc);
    claim.clear_status();
    claim.mutable_status().set_phase_static(PersistentVolumeClaimPhase::kPending);
    NormalizeDataSources(claim.mutable_spec(), PersistentVolumeClaimSpecView());
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidatePersistentVolumeClaim(PersistentVolumeClaimView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return WarningsFor(PersistentVolumeClaimView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    NormalizeDataSources(PersistentVolumeClaimEditor(now).mutable_spec(),
                         PersistentVolumeClaimView(was).spec());
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidatePersistentVolumeClaimUpdate(PersistentVolumeClaimView(now),
                                                          PersistentVolumeClaimView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return WarningsFor(PersistentVolumeClaimView(now));
  }
};

class PersistentVolumeClaimStatusStrategy final : public PersistentVolumeClaimStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::core::ValidatePersistentVolumeClaimStatusUpdate(PersistentVolumeClaimView(now));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
  }
};

}  // namespace

const Strategy& PersistentVolumeClaims() {
  static const PersistentVolumeClaimStrategy strategy;
  return strategy;
}

const Strategy& PersistentVolumeClaimStatus() {
  static const PersistentVolumeClaimStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
