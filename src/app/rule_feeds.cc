#include "app/rule_feeds.h"

#include "api/generated/rbac_v1.h"
#include "app/decoded_event.h"

namespace keelson::app {
namespace {

using auth::rbac::BindingOf;
using auth::rbac::RuleIndex;
using auth::rbac::RulesOf;
using registry::rest::EventType;
using registry::rest::WatchEvent;
using namespace api::rbac_v1;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

template <class RoleView>
void SeeRole(const WatchEvent& event, RuleIndex& index) {
  const std::string_view ns = event.object->ns(), name = event.object->name();
  const auto doc = DecodedEvent(event, RoleView::Type());
  if (!doc) return index.RemoveRole(ns, name);
  index.PutRole(ns, name, RulesOf(RoleView(*doc).rules()));
}

template <class BindingView>
void SeeBinding(const WatchEvent& event, RuleIndex& index) {
  const std::string_view ns = event.object->ns(), name = event.object->name();
  const auto doc = DecodedEvent(event, BindingView::Type());
  if (!doc) return index.RemoveBinding(ns, name);
  const BindingView binding(*doc);
  index.PutBinding(BindingOf(ns, name, binding.role_ref(), binding.subjects()));
}

using See = void (*)(const WatchEvent&, RuleIndex&);

Feed::Observer ObserverOf(RuleIndex& index, RuleIndex::Kind kind, bool namespaced, See see) {
  return {.see = [&index, see](const WatchEvent& event) { see(event, index); },
          .relisting = [&index, kind, namespaced] { index.StartRelist(kind, namespaced); },
          .told_all =
              [&index, kind, namespaced] {
                index.FinishRelist(kind, namespaced);
                index.Publish();
              }};
}

}  // namespace

RuleFeeds::RuleFeeds(const Resources& resources, RuleIndex& index, base::Executor& loop) : IndexFeeds(loop) {
  const auto add = [&](std::string_view plural, RuleIndex::Kind kind, bool namespaced, See see) {
    Add(*resources.Find({kRbacGroup, plural}), ObserverOf(index, kind, namespaced, see));
  };
  using enum RuleIndex::Kind;
  add("clusterroles", kRoles, false, SeeRole<ClusterRoleView>);
  add("roles", kRoles, true, SeeRole<RoleView>);
  add("clusterrolebindings", kBindings, false, SeeBinding<ClusterRoleBindingView>);
  add("rolebindings", kBindings, true, SeeBinding<RoleBindingView>);
}

}  // namespace keelson::app
