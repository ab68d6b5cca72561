#include "api/validation/coordination/lease_candidate.h"
#include "api/validation/names.h"
#include "registry/coordination/strategies.h"

namespace keelson::registry::coordination {
namespace {

using api::coordination_v1beta1::LeaseCandidateView;
using api::field::ErrorList;

class LeaseCandidateStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowCreateOnUpdate() const override { return true; }
  bool AllowUnconditionalUpdate() const override { return false; }
  // A trailing dash is fine anyway.
  std::vector<std::string> ValidateName(std::string_view name, bool) const override {
    return api::IsConfigMapKey(name);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::coordination::ValidateLeaseCandidate(LeaseCandidateView(doc), LeaseCandidateView());
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::coordination::ValidateLeaseCandidate(LeaseCandidateView(now), LeaseCandidateView(was));
  }
};

}  // namespace

const Strategy& LeaseCandidates() {
  static const LeaseCandidateStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::coordination
