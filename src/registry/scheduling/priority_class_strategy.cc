#include "api/validation/names.h"
#include "api/validation/scheduling/priority_class.h"
#include "registry/core/generation.h"
#include "registry/scheduling/strategies.h"

namespace keelson::registry::scheduling {
namespace {

using api::field::ErrorList;
using api::scheduling_v1::PriorityClassView;

class PriorityClassStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { core::StartGeneration(doc); }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::scheduling::ValidatePriorityClass(PriorityClassView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::scheduling::ValidatePriorityClassUpdate(PriorityClassView(now), PriorityClassView(was));
  }
};

}  // namespace

const Strategy& PriorityClasses() {
  static const PriorityClassStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::scheduling
