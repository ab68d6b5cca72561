#include "api/validation/rbac/rbac.h"
#include "registry/rbac/strategies.h"

namespace keelson::registry::rbac {
namespace {

using api::field::ErrorList;
using api::rbac_v1::ClusterRoleBindingView;

class ClusterRoleBindingStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowCreateOnUpdate() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::rbac::ValidateName(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::rbac::ValidateClusterRoleBinding(ClusterRoleBindingView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::rbac::ValidateClusterRoleBindingUpdate(ClusterRoleBindingView(now),
                                                       ClusterRoleBindingView(was));
  }
};

}  // namespace

const Strategy& ClusterRoleBindings() {
  static const ClusterRoleBindingStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::rbac
