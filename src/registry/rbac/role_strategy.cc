#include "api/validation/rbac/rbac.h"
#include "registry/rbac/strategies.h"

namespace keelson::registry::rbac {
namespace {

using api::field::ErrorList;
using api::rbac_v1::RoleView;

class RoleStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  bool AllowCreateOnUpdate() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::rbac::ValidateName(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::rbac::ValidateRole(RoleView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::rbac::ValidateRole(RoleView(now));
  }
};

}  // namespace

const Strategy& Roles() {
  static const RoleStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::rbac
