#include "auth/authz/rbac/rule_informers.h"

#include "api/generated/rbac_v1.h"

namespace keelson::auth::rbac {
namespace {

using client::Change;
using namespace api::rbac_v1;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

template <class RoleView>
void SeeRole(const Change& change, RuleIndex& index) {
  const std::string_view ns = change.object.ns(), name = change.object.name();
  const auto doc = DecodedChange(change, RoleView::Type());
  if (!doc) return index.RemoveRole(ns, name);
  index.PutRole(ns, name, RulesOf(RoleView(*doc).rules()));
}

template <class BindingView>
void SeeBinding(const Change& change, RuleIndex& index) {
  const std::string_view ns = change.object.ns(), name = change.object.name();
  const auto doc = DecodedChange(change, BindingView::Type());
  if (!doc) return index.RemoveBinding(ns, name);
  const BindingView binding(*doc);
  index.PutBinding(BindingOf(ns, name, binding.role_ref(), binding.subjects()));
}

using SeeRule = void (*)(const Change&, RuleIndex&);

client::Informer::Handler HandlerOf(RuleIndex& index, RuleIndex::Kind kind, bool namespaced, SeeRule see) {
  return {.changed = [&index, see](const Change& change) { see(change, index); },
          .relisting = [&index, kind, namespaced](bool) { index.StartRelist(kind, namespaced); },
          .told_all =
              [&index, kind, namespaced] {
                index.FinishRelist(kind, namespaced);
                index.Publish();
              }};
}

}  // namespace

RuleInformers::RuleInformers(const client::Client& client, RuleIndex& index, base::Executor& loop)
    : IndexInformers(loop) {
  const auto add = [&](std::string_view plural, RuleIndex::Kind kind, bool namespaced, SeeRule see) {
    Add(client, {kRbacGroup, plural}, HandlerOf(index, kind, namespaced, see));
  };
  using enum RuleIndex::Kind;
  add("clusterroles", kRoles, false, SeeRole<ClusterRoleView>);
  add("roles", kRoles, true, SeeRole<RoleView>);
  add("clusterrolebindings", kBindings, false, SeeBinding<ClusterRoleBindingView>);
  add("rolebindings", kBindings, true, SeeBinding<RoleBindingView>);
}

}  // namespace keelson::auth::rbac
