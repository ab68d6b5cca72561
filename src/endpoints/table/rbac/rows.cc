#include "endpoints/table/rbac/rows.h"

#include "api/generated/rbac_v1.h"

namespace keelson::endpoints::table::rbac {
namespace {

using namespace api::rbac_v1;

template <class BindingView>
void BindingRow(const api::StructNode& object, Cells& cells) {
  const BindingView binding(&object);
  std::string users, groups, accounts;
  const auto add = [](std::string& column, std::string_view ns, std::string_view name) {
    if (!column.empty()) column += ", ";
    if (!ns.empty()) column.append(ns).append("/");
    column += name;
  };
  for (const SubjectView subject : binding.subjects()) {
    if (subject.kind() == "ServiceAccount") add(accounts, subject.namespace_(), subject.name());
    if (subject.kind() == "User") add(users, "", subject.name());
    if (subject.kind() == "Group") add(groups, "", subject.name());
  }
  cells.Text(binding.metadata().name());
  cells.Text(std::string(binding.role_ref().kind()) + "/" + std::string(binding.role_ref().name()));
  cells.Age(binding.metadata().creation_timestamp());
  cells.Text(users);
  cells.Text(groups);
  cells.Text(accounts);
}

constexpr KindRow kRows[] = {{"ClusterRoleBinding", BindingRow<ClusterRoleBindingView>},
                             {"RoleBinding", BindingRow<RoleBindingView>}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::rbac
