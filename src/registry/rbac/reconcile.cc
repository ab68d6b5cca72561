// Reconcile: how a role or binding gets what it lacks.
#include "api/generated/rbac_v1.h"
#include "api/meta/object_meta.h"
#include "registry/rbac/bootstrap_policy.h"
#include "registry/rbac/permissions.h"

namespace keelson::registry::rbac {
namespace {

using namespace api::rbac_v1;

constexpr std::string_view kAutoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

// Each adds what is missing, and tells whether something was.
template <class RoleEditor, class RoleView>
bool AddMissingRules(RoleEditor existing, RoleView expected) {
  std::vector<Permission> missing;
  for (const auto rule : expected.rules())
    ForEachPermission(rule, [&](const Permission& wanted) {
      const bool covered = AnyOf(existing.rules(), [&](PolicyRuleView had) { return Covers(had, wanted); });
      if (!covered) missing.push_back(wanted);
    });
  for (const Permission& permission : missing) AddRule(existing.add_rules(), permission);
  return !missing.empty();
}

bool AddMissingSelectors(ClusterRoleEditor existing, ClusterRoleView expected, api::Arena& arena) {
  if (!expected.aggregation_rule()) {
    const bool had = static_cast<bool>(existing.aggregation_rule());
    existing.clear_aggregation_rule();
    return had;
  }
  bool added = false;
  for (const auto selector : expected.aggregation_rule().cluster_role_selectors()) {
    const bool covered = AnyOf(existing.aggregation_rule().cluster_role_selectors(),
                               [&](const auto had) { return api::Equal(had.node(), selector.node()); });
    if (covered) continue;
    const auto copy = api::Value::Of(const_cast<api::StructNode*>(selector.node()));
    existing.mutable_aggregation_rule().mutable_cluster_role_selectors().Append(api::DeepCopy(copy, arena),
                                                                                arena);
    added = true;
  }
  return added;
}

template <class BindingEditor, class BindingView>
bool AddMissingSubjects(BindingEditor existing, BindingView expected, api::Arena& arena) {
  bool added = false;
  for (const SubjectView subject : expected.subjects()) {
    const bool bound =
        AnyOf(existing.subjects(), [&](SubjectView had) { return api::Equal(had.node(), subject.node()); });
    if (bound) continue;
    const auto copy = api::Value::Of(const_cast<api::StructNode*>(subject.node()));
    existing.mutable_subjects().Append(api::DeepCopy(copy, arena), arena);
    added = true;
  }
  return added;
}

// Labels and annotations: a value that is there stays as it is.
bool AddMissingMetadata(api::Doc& existing, const api::Doc& expected) {
  auto metadata = api::MutableMetadataOf(existing);
  bool added = false;
  for (const auto& [key, value] : api::MetadataOf(expected).labels())
    if (!metadata.labels().Find(key)) {
      metadata.put_labels(key, value.string());
      added = true;
    }
  for (const auto& [key, value] : api::MetadataOf(expected).annotations())
    if (!metadata.annotations().Find(key)) {
      metadata.put_annotations(key, value.string());
      added = true;
    }
  return added;
}

template <class BindingEditor, class BindingView>
Reconciliation ReconcileBinding(api::Doc& existing, const api::Doc& expected) {
  BindingEditor binding(existing);
  const BindingView wanted(expected);
  if (!api::Equal(binding.role_ref().node(), wanted.role_ref().node())) return Reconciliation::kRecreate;
  bool changed = AddMissingMetadata(existing, expected);
  changed = AddMissingSubjects(binding, wanted, existing.arena()) || changed;
  return changed ? Reconciliation::kUpdate : Reconciliation::kNone;
}

}  // namespace

Reconciliation Reconcile(api::Doc& existing, const api::Doc& expected) {
  const api::Value* const auto_update = api::MetadataOf(existing).annotations().Find(kAutoUpdate);
  if (auto_update && auto_update->string() == "false") return Reconciliation::kNone;
  const api::TypeDesc* const type = &expected.type();
  if (type == &RoleBindingView::Type())
    return ReconcileBinding<RoleBindingEditor, RoleBindingView>(existing, expected);
  if (type == &ClusterRoleBindingView::Type())
    return ReconcileBinding<ClusterRoleBindingEditor, ClusterRoleBindingView>(existing, expected);

  bool changed = AddMissingMetadata(existing, expected);
  if (type == &RoleView::Type()) {
    changed = AddMissingRules(RoleEditor(existing), RoleView(expected)) || changed;
  } else {
    changed = AddMissingRules(ClusterRoleEditor(existing), ClusterRoleView(expected)) || changed;
    changed = AddMissingSelectors(ClusterRoleEditor(existing), ClusterRoleView(expected), existing.arena()) ||
              changed;
  }
  return changed ? Reconciliation::kUpdate : Reconciliation::kNone;
}

}  // namespace keelson::registry::rbac
