// RuleIndex: who is bound to which roles, ready to decide on. One writer keeps it current in proportion to
// what changes; readers take the newest published version and neither wait nor allocate.
//
// What a decision has to find are the roles of the one who asks, so they are filed under the subject: under
// the namespace of the binding (none: the whole cluster) and the name of a user or group. A service account
// is the user that it authenticates as. Say there are
//
//   ClusterRole view            allows get, list on pods, pods/log
//   ClusterRole pod-killer      allows delete on pods
//   ClusterRoleBinding viewers  binds view to Group devs
//   RoleBinding demo/cleaners   binds ClusterRole pod-killer to ServiceAccount sweeper
//   RoleBinding demo/cleaners2  binds ClusterRole pod-killer to User ann and to ServiceAccount sweeper
//
// Then the published version holds
//
//   grants  ("",     group devs)                               -> view, by viewers
//           ("demo", user  system:serviceaccount:demo:sweeper) -> pod-killer, by demo/cleaners
//           ("demo", user  ann)                                -> pod-killer, by demo/cleaners2
//   roles   view, pod-killer, each with its rules indexed by resource
//
// and whether ann, of the group devs, may delete pods in demo takes four look-ups: ("", ann), ("", devs) ->
// view, which has no rule with that verb, ("demo", ann) -> pod-killer, which allows it, by demo/cleaners2.
//
// A grant names its role and does not hold it, so a changed role is one entry whoever is bound to it. One
// binding is published for each subject and role, however many there are: it is the reason that is told. The
// writer knows the others and puts the next in its place when that one goes: without demo/cleaners, sweeper
// has pod-killer by demo/cleaners2.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "auth/authorizer.h"
#include "auth/authz/rbac/policy.h"
#include "base/hash_trie.h"
#include "base/published.h"

namespace keelson::auth::rbac {

// What a user or group is bound to in a namespace, or in the cluster.
struct Grants final : base::RefCounted<Grants> {
  struct Grant {
    uint64_t role_hash;
    BindingPtr binding;
  };

  static uint64_t HashOf(std::string_view ns, bool group, std::string_view name);
  uint64_t hash() const { return hash_; }
  bool Is(std::string_view in, bool is_group, std::string_view named) const {
    return group == is_group && name == named && ns == in;
  }

  uint64_t hash_ = 0;
  std::string ns, name;
  bool group = false;
  std::vector<Grant> grants;  // each role once, by the names of the bindings
};

// One version of all roles and bindings.
//
// Threads: immutable; any.
struct Policy final : base::Publishable<Policy> {
  base::HashTrie<Role> roles;
  base::HashTrie<Grants> grants;
  const uint64_t version = NextVersion();  // no other has it

  Verdict Decide(const Attributes& attributes) const;
  Rules RulesFor(const User& user, std::string_view ns) const;

 private:
  static uint64_t NextVersion();
  const Role* RoleOf(const Grants::Grant& grant) const;
  // Calls `visit` with the grants of the user and of each of their groups, until it returns true.
  template <class Visit>
  bool VisitGrants(const User& user, std::string_view ns, const Visit& visit) const;
  std::string ResolutionErrors(const User& user, std::string_view ns) const;
};

// Threads: one writer; Read from any.
class RuleIndex {
 public:
  enum class Kind : uint8_t { kRoles, kBindings };

  // `ns` is empty for what is not in a namespace.
  void PutRole(std::string_view ns, std::string_view name, std::vector<PolicyRule> rules);
  void RemoveRole(std::string_view ns, std::string_view name);
  void PutBinding(BindingPtr binding);
  void RemoveBinding(std::string_view ns, std::string_view name);
  // All there are of a kind are put next, in the cluster or in namespaces; FinishRelist removes those that
  // were not.
  void StartRelist(Kind kind, bool namespaced);
  void FinishRelist(Kind kind, bool namespaced);

  // What was put and removed is seen from now on.
  void Publish();

  base::Reading<Policy> Read() const { return published_.Read(); }

 private:
  using Key = std::pair<std::string, std::string>;  // namespace and name
  // By role, the names of the bindings that bind the subject to it.
  using Bound = std::map<std::string, std::set<std::string>>;
  struct Holder {
    std::string ns, name;
    bool group = false;
    Bound roles;
  };
  using Holders = std::unordered_map<std::string, Holder>;

  template <class Visit>
  void VisitHolders(const Binding& binding, const Visit& visit);
  void Unbind(const Binding& binding);
  void PublishHolder(const Holder& holder);
  std::set<Key>& Missing(Kind kind, bool namespaced) {
    return missing_[static_cast<size_t>(kind)][namespaced];
  }

  std::set<Key> roles_;
  std::map<Key, BindingPtr> bindings_;
  Holders holders_;
  std::set<std::string> touched_;  // keys of holders_ that are to be published
  std::set<Key> missing_[2][2];    // of a relist: not put yet; by kind and whether in a namespace
  base::HashTrie<Role> role_trie_;
  base::HashTrie<Grants> grants_trie_;
  bool changed_ = false;  // since Publish
  base::Published<Policy> published_{new Policy};
};

}  // namespace keelson::auth::rbac
