#include "auth/authz/rbac/rule_index.h"

#include <algorithm>
#include <atomic>

#include "api/validation/quote.h"
#include "auth/aggregate_error.h"
#include "auth/authz/hash.h"
#include "auth/authz/rbac/decision_cache.h"
#include "auth/token_issuer.h"

namespace keelson::auth::rbac {
namespace {

auto IsRole(std::string_view ns, std::string_view name) {
  return [ns, name](const Role& role) { return role.Is(ns, name); };
}
auto IsHolder(std::string_view ns, bool group, std::string_view name) {
  return [ns, group, name](const Grants& grants) { return grants.Is(ns, group, name); };
}

// What the cache of a client says of a role that is not there.
std::string NotFound(const Binding& binding) {
  if (binding.role_kind != "Role" && binding.role_kind != "ClusterRole")
    return "unsupported role reference kind: " + api::Quoted(binding.role_kind);
  return (binding.role_kind == "Role" ? "role" : "clusterrole") + std::string(".rbac.authorization.k8s.io ") +
         api::Quoted(binding.role_name) + " not found";
}

}  // namespace

uint64_t Grants::HashOf(std::string_view ns, bool group, std::string_view name) {
  return Scatter(HashBytes(name, HashBytes(group ? "/g" : "/u", HashBytes(ns))));
}

const Role* Policy::RoleOf(const Grants::Grant& grant) const {
  const Binding& binding = *grant.binding;
  // What was stored without validation may name something else, which allows nothing.
  const bool cluster = binding.role_kind == "ClusterRole";
  if (!cluster && (binding.role_kind != "Role" || binding.ns.empty())) return nullptr;
  return roles.Find(grant.role_hash, IsRole(binding.role_ns(), binding.role_name));
}

uint64_t Policy::NextVersion() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

template <class Visit>
bool Policy::VisitGrants(const User& user, std::string_view ns, const Visit& visit) const {
  const auto visit_holder = [&](bool group, std::string_view name) {
    const Grants* const found = grants.Find(Grants::HashOf(ns, group, name), IsHolder(ns, group, name));
    return found && visit(*found);
  };
  if (visit_holder(false, user.name)) return true;
  return std::ranges::any_of(user.groups,
                             [&](const std::string& group) { return visit_holder(true, group); });
}

Verdict Policy::Decide(const Attributes& attributes) const {
  if (!attributes.user) return {};
  const User& user = *attributes.user;
  DecisionCache& cache = DecisionCache::ForThread();
  if (attributes.resource_request) {
    const std::string* const reason = cache.ReasonFor(attributes, version);
    if (reason && !attributes.wants_reason) return {Decision::kAllow, {}};
    if (reason && !reason->empty()) return {Decision::kAllow, *reason};
  }
  const Question question(attributes);
  const Binding* allowing = nullptr;
  bool by_name = false;
  bool missing = false;
  const auto allows = [&](const Grants& held) {
    for (const Grants::Grant& grant : held.grants) {
      const Role* const role = RoleOf(grant);
      missing |= role == nullptr;
      const PolicyRule* const rule = role ? role->Allows(question) : nullptr;
      if (!rule) continue;
      allowing = grant.binding.get();
      by_name = !rule->names.empty();
      return true;
    }
    return false;
  };
  if (VisitGrants(user, "", allows) || (!attributes.ns.empty() && VisitGrants(user, attributes.ns, allows))) {
    Verdict verdict{Decision::kAllow, {}};
    if (attributes.wants_reason) verdict.reason = "RBAC: allowed by " + allowing->Describe(user);
    if (attributes.resource_request && !by_name) cache.Keep(version, verdict.reason);
    return verdict;
  }
  Verdict verdict{Decision::kNoOpinion, {}};
  if (missing) verdict.reason = "RBAC: " + ResolutionErrors(user, attributes.ns);
  return verdict;
}

std::string Policy::ResolutionErrors(const User& user, std::string_view ns) const {
  AggregateError errors;
  const auto collect = [&](const Grants& held) {
    for (const Grants::Grant& grant : held.grants)
      if (!RoleOf(grant)) errors.Add(NotFound(*grant.binding));
    return false;
  };
  VisitGrants(user, "", collect);
  if (!ns.empty()) VisitGrants(user, ns, collect);
  return errors.ToString();
}

Rules Policy::RulesFor(const User& user, std::string_view ns) const {
  Rules rules;
  const auto add_scope = [&](std::string_view scope) {
    std::vector<const Grants::Grant*> found;
    VisitGrants(user, scope, [&](const Grants& held) {
      for (const Grants::Grant& grant : held.grants) found.push_back(&grant);
      return false;
    });
    std::ranges::stable_sort(found, {},
                             [](const Grants::Grant* g) -> const std::string& { return g->binding->name; });
    std::set<const Role*> told;
    for (const Grants::Grant* const grant : found) {
      const Role* const role = RoleOf(*grant);
      if (!role || !told.insert(role).second) continue;
      for (const PolicyRule& rule : role->rules()) {
        if (!rule.resources.empty())
          rules.resources.push_back({rule.verbs, rule.groups, rule.resources, rule.names});
        if (!rule.urls.empty()) rules.non_resources.push_back({rule.verbs, rule.urls});
      }
    }
  };
  add_scope("");
  if (!ns.empty()) add_scope(ns);
  rules.error = ResolutionErrors(user, ns);
  return rules;
}

void RuleIndex::PutRole(std::string_view ns, std::string_view name, std::vector<PolicyRule> rules) {
  Key key{ns, name};
  Missing(Kind::kRoles, !ns.empty()).erase(key);
  roles_.insert(std::move(key));
  role_trie_.Put(RolePtr(new Role(ns, name, std::move(rules))), IsRole(ns, name));
  changed_ = true;
}

void RuleIndex::RemoveRole(std::string_view ns, std::string_view name) {
  if (!roles_.erase(Key{ns, name})) return;
  role_trie_.Remove(Role::HashOf(ns, name), IsRole(ns, name));
  changed_ = true;
}

template <class Visit>
void RuleIndex::VisitHolders(const Binding& binding, const Visit& visit) {
  for (const Subject& subject : binding.subjects) {
    const bool account = subject.kind == Subject::Kind::kServiceAccount;
    if (subject.kind == Subject::Kind::kOther || (account && subject.ns.empty())) continue;
    const bool group = subject.kind == Subject::Kind::kGroup;
    std::string name = account ? ServiceAccountUserName(subject.ns, subject.name) : subject.name;
    visit(group, std::move(name));
  }
}

void RuleIndex::PutBinding(BindingPtr binding) {
  Key key{binding->ns, binding->name};
  Missing(Kind::kBindings, !binding->ns.empty()).erase(key);
  BindingPtr& place = bindings_[std::move(key)];
  if (place) Unbind(*place);
  VisitHolders(*binding, [&](bool group, std::string name) {
    std::string holder_key = binding->ns + (group ? "/g" : "/u") + name;
    Holder& holder = holders_[holder_key];
    holder.ns = binding->ns;
    holder.name = std::move(name);
    holder.group = group;
    holder.roles[binding->role_kind + "/" + binding->role_name].insert(binding->name);
    touched_.insert(std::move(holder_key));
  });
  place = std::move(binding);
  changed_ = true;
}

void RuleIndex::RemoveBinding(std::string_view ns, std::string_view name) {
  const auto found = bindings_.find(Key{ns, name});
  if (found == bindings_.end()) return;
  Unbind(*found->second);
  bindings_.erase(found);
  changed_ = true;
}

// A subject that is named twice is visited twice, and unbound the first time.
void RuleIndex::Unbind(const Binding& binding) {
  VisitHolders(binding, [&](bool group, const std::string& name) {
    std::string key = binding.ns + (group ? "/g" : "/u") + name;
    const auto holder = holders_.find(key);
    if (holder == holders_.end()) return;
    Bound& roles = holder->second.roles;
    const auto bound = roles.find(binding.role_kind + "/" + binding.role_name);
    if (bound == roles.end()) return;
    bound->second.erase(binding.name);
    if (bound->second.empty()) roles.erase(bound);
    touched_.insert(std::move(key));
  });
}

void RuleIndex::StartRelist(Kind kind, bool namespaced) {
  std::set<Key>& missing = Missing(kind, namespaced);
  missing.clear();
  const auto note = [&](const Key& key) {
    if (key.first.empty() != namespaced) missing.insert(key);
  };
  if (kind == Kind::kRoles)
    for (const Key& key : roles_) note(key);
  else
    for (const auto& [key, binding] : bindings_) note(key);
}

void RuleIndex::FinishRelist(Kind kind, bool namespaced) {
  for (const auto& [ns, name] : std::exchange(Missing(kind, namespaced), {}))
    kind == Kind::kRoles ? RemoveRole(ns, name) : RemoveBinding(ns, name);
}

void RuleIndex::PublishHolder(const Holder& holder) {
  const auto is = IsHolder(holder.ns, holder.group, holder.name);
  const uint64_t hash = Grants::HashOf(holder.ns, holder.group, holder.name);
  if (holder.roles.empty()) return grants_trie_.Remove(hash, is);
  base::IntrusivePtr<Grants> held(new Grants);
  held->hash_ = hash;
  held->ns = holder.ns;
  held->name = holder.name;
  held->group = holder.group;
  held->grants.reserve(holder.roles.size());
  for (const auto& [role, bindings] : holder.roles) {
    const BindingPtr& binding = bindings_.at(Key{holder.ns, *bindings.begin()});
    held->grants.push_back({Role::HashOf(binding->role_ns(), binding->role_name), binding});
  }
  std::ranges::sort(held->grants, {},
                    [](const Grants::Grant& g) -> const std::string& { return g.binding->name; });
  grants_trie_.Put(base::IntrusivePtr<const Grants>(held), is);
}

void RuleIndex::Publish() {
  if (!std::exchange(changed_, false)) return;
  for (const std::string& key : std::exchange(touched_, {})) {
    const auto holder = holders_.find(key);
    PublishHolder(holder->second);
    if (holder->second.roles.empty()) holders_.erase(holder);
  }
  auto next = std::make_unique<Policy>();
  next->roles = role_trie_;
  next->grants = grants_trie_;
  published_.Replace(next.release());
}

}  // namespace keelson::auth::rbac
