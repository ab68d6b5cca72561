#include "controllers/cluster_role_aggregation.h"

#include <algorithm>
#include <vector>

#include "api/generated/rbac_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/label_selector_match.h"
#include "base/log.h"

namespace keelson::controllers {
namespace {

using api::rbac_v1::ClusterRoleEditor;
using api::rbac_v1::ClusterRoleView;
using Rules = std::vector<const api::StructNode*>;

constexpr client::Resource kClusterRoles{"rbac.authorization.k8s.io", "clusterroles"};

// The rules of all that `role` selects, selector by selector, each once. They live in `roles`.
Rules Aggregated(const ClusterRoleView& role, const std::vector<api::Doc>& roles) {
  Rules rules;
  for (const auto selector : role.aggregation_rule().cluster_role_selectors()) {
    for (const api::Doc& doc : roles) {
      const ClusterRoleView other(doc);
      if (other.metadata().name() == role.metadata().name() ||
          !api::SelectorMatches(selector, other.metadata().labels()))
        continue;
      for (const auto rule : other.rules()) {
        const auto same = [&](const api::StructNode* have) { return api::Equal(have, rule.node()); };
        if (std::ranges::none_of(rules, same)) rules.push_back(rule.node());
      }
    }
  }
  return rules;
}

bool HasRules(const ClusterRoleView& role, const Rules& wanted) {
  if (role.rules().size() != wanted.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!api::Equal(role.rules()[i].node(), wanted[i])) return false;
  return true;
}

bool SetRules(api::Doc& doc, const std::vector<api::Doc>& roles) {
  ClusterRoleEditor role(doc);
  if (!role.aggregation_rule()) return false;
  const Rules wanted = Aggregated(role, roles);
  if (HasRules(role, wanted)) return false;
  role.clear_rules();
  for (const api::StructNode* const rule : wanted) {
    api::StructNode* const added = role.add_rules().node();
    for (size_t i = 0; i < rule->slots().size(); ++i)
      added->slot(i) = api::DeepCopy(rule->slot(i), doc.arena());
  }
  return true;
}

}  // namespace

ClusterRoleAggregation::ClusterRoleAggregation(const client::Client& client, base::Executor& loop)
    : client_(client),
      cluster_roles_(client, kClusterRoles, loop),
      queue_(loop, [this](std::string) { return AggregateAll(); }) {}

void ClusterRoleAggregation::Start() {
  queue_.Start();
  cluster_roles_.Start([this](const client::Change&) { queue_.Add("all"); });
}

void ClusterRoleAggregation::Stop() {
  cluster_roles_.Stop();
  queue_.Stop();
}

base::Task<bool> ClusterRoleAggregation::AggregateAll() {
  const auto listed = co_await client_.List(kClusterRoles);
  if (!listed) co_return false;
  const std::vector<api::Doc>& roles = **listed;
  bool done = true;
  for (const api::Doc& doc : roles) {
    const ClusterRoleView role(doc);
    if (!role.aggregation_rule() || HasRules(role, Aggregated(role, roles))) continue;
    const auto updated =
        co_await client_.Update(kClusterRoles, "", std::string(role.metadata().name()),
                                [&roles](api::Doc& current) { return SetRules(current, roles); });
    if (updated || updated.error().code == 404) continue;
    base::Log(base::LogLevel::kWarning, "cannot aggregate a cluster role",
              {{"name", role.metadata().name()}, {"why", updated.error().message}});
    done = false;
  }
  co_return done;
}

}  // namespace keelson::controllers
