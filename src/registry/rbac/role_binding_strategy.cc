#include "api/validation/rbac/rbac.h"
#include "registry/rbac/strategies.h"

namespace keelson::registry::rbac {
namespace {

using api::field::ErrorList;
using api::rbac_v1::RoleBindingView;

class RoleBindingStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  bool AllowCreateOnUpdate() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::rbac::ValidateName(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::rbac::ValidateRoleBinding(RoleBindingView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::rbac::ValidateRoleBindingUpdate(RoleBindingView(now), RoleBindingView(was));
  }
};

}  // namespace

const Strategy& RoleBindings() {
  static const RoleBindingStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::rbac
