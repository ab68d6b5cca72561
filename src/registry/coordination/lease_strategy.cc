#include "api/validation/coordination/lease.h"
#include "api/validation/names.h"
#include "registry/coordination/strategies.h"

namespace keelson::registry::coordination {
namespace {

using api::coordination_v1::LeaseEditor;
using api::coordination_v1::LeaseView;
using api::field::ErrorList;

// Lease: renewed by every node and every leader all the time, so nothing here is more than
// a look at a few fields. Coordinated leader election is not served: its fields stay only
// where they were stored before.
class LeaseStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowCreateOnUpdate() const override { return true; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    DropUnused(LeaseEditor(doc), LeaseView());
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::coordination::ValidateLease(LeaseView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    DropUnused(LeaseEditor(now), LeaseView(was));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::coordination::ValidateLease(LeaseView(now));
  }

 private:
  static void DropUnused(LeaseEditor now, LeaseView was) {
    auto spec = now.edit_spec();
    if (!spec) return;
    if (!was.spec().has_strategy()) spec.clear_strategy();
    if (!was.spec().has_preferred_holder()) spec.clear_preferred_holder();
  }
};

}  // namespace

const Strategy& Leases() {
  static const LeaseStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::coordination
