#include "api/validation/core/fields.h"
#include "api/validation/names.h"
#include "api/validation/storage/csi.h"
#include "registry/core/generation.h"
#include "registry/storage/strategies.h"

namespace keelson::registry::storage_api {
namespace {

using api::field::ErrorList;
using api::storage_v1::CSIDriverEditor;
using api::storage_v1::CSIDriverView;

class CsiDriverStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    DropUnused(CSIDriverEditor(doc), CSIDriverView());
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::storage_api::ValidateCsiDriver(CSIDriverView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return Warnings(CSIDriverView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    DropUnused(CSIDriverEditor(now), CSIDriverView(was));
    core::CountGeneration(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::storage_api::ValidateCsiDriverUpdate(CSIDriverView(now), CSIDriverView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const CSIDriverView after(now), before(was);
    if (api::core::SameField(after.spec(), before.spec(), "tokenRequests")) return {};
    return Warnings(after);
  }

 private:
  // Scaling by volume limits is not served: its field stays only where it was stored before.
  static void DropUnused(CSIDriverEditor now, CSIDriverView was) {
    auto spec = now.edit_spec();
    if (spec && !was.spec().has_prevent_pod_scheduling_if_missing())
      spec.clear_prevent_pod_scheduling_if_missing();
  }
  static std::vector<std::string> Warnings(CSIDriverView driver) {
    const auto spec = driver.spec();
    if (spec.token_requests().empty() || spec.has_service_account_token_in_secrets()) return {};
    return {
        "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent "
        "possible logging of tokens in volume attributes"};
  }
};

}  // namespace

const Strategy& CsiDrivers() {
  static const CsiDriverStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::storage_api
