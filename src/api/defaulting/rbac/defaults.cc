#include "api/defaulting/rbac/defaults.h"

#include "api/generated/rbac_v1.h"

namespace keelson::api::rbac {
namespace {

constexpr std::string_view kGroupName = "rbac.authorization.k8s.io";

template <class BindingEditor>
void SetBindingDefaults(Doc& doc) {
  BindingEditor binding(doc);
  if (binding.role_ref().api_group().empty()) binding.mutable_role_ref().set_api_group_static(kGroupName);
  for (auto subject : binding.edit_subjects()) {
    const bool of_our_group = subject.kind() == "User" || subject.kind() == "Group";
    if (of_our_group && subject.api_group().empty()) subject.set_api_group_static(kGroupName);
  }
}

constexpr DefaultsEntry kDefaults[] = {
    {&rbac_v1::kClusterRoleBindingType, SetBindingDefaults<rbac_v1::ClusterRoleBindingEditor>},
    {&rbac_v1::kRoleBindingType, SetBindingDefaults<rbac_v1::RoleBindingEditor>},
};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::rbac
