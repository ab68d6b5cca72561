// Roles and bindings, compiled from their objects into what a decision needs.
//
// Threads: immutable once made; safe from any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/generated/rbac_v1.h"
#include "auth/attributes.h"
#include "auth/subject.h"
#include "base/intrusive_ptr.h"

namespace keelson::auth::rbac {

// One allowance of a role; "*" stands for all.
struct PolicyRule {
  std::vector<std::string> verbs, groups, resources, names, urls;
};

// What a request asks, prepared once for all the roles that are asked.
struct Question {
  explicit Question(const Attributes& attributes);

  const Attributes& attributes;
  uint32_t verb = 0;  // its bit; 0: none of the usual verbs
  uint64_t resource_hash = 0,
           any_parent_hash = 0;  // of "pods/log", and of "*/log" where there is a subresource
};

// A Role, or a ClusterRole when it has no namespace.
class Role final : public base::RefCounted<Role> {
 public:
  Role(std::string_view ns, std::string_view name, std::vector<PolicyRule> rules);

  static uint64_t HashOf(std::string_view ns, std::string_view name);
  uint64_t hash() const { return hash_; }
  bool Is(std::string_view ns, std::string_view name) const { return name == name_ && ns == ns_; }

  // The first rule that allows it, the rules on all resources before others; null: none.
  const PolicyRule* Allows(const Question& question) const;
  const std::vector<PolicyRule>& rules() const { return rules_; }

 private:
  // A resource that a rule names.
  struct Named {
    uint64_t hash;
    uint32_t rule, resource;
  };
  const PolicyRule* AllowsResource(const Question& question) const;
  const PolicyRule* AllowsNamed(uint64_t hash, std::string_view parent, const Question& question) const;
  const PolicyRule* AllowsPath(const Question& question) const;

  const uint64_t hash_;
  const std::string ns_, name_;
  const std::vector<PolicyRule> rules_;
  uint32_t verbs_ = 0;                          // of all rules
  std::vector<uint32_t> rule_verbs_;            // by rule
  std::vector<Named> named_;                    // sorted by hash
  uint64_t named_signature_ = 0;                // a bit for each hash in named_
  std::vector<uint32_t> any_resource_, paths_;  // rules on all resources, and on paths
};
using RolePtr = base::IntrusivePtr<const Role>;

// A RoleBinding, or a ClusterRoleBinding when it has no namespace.
struct Binding final : base::RefCounted<Binding> {
  std::string ns, name;
  std::string role_kind, role_name;
  std::vector<Subject> subjects;  // a service account's namespace is filled in

  // Where its role is: the namespace is empty for a ClusterRole.
  std::string_view role_ns() const { return role_kind == "Role" ? std::string_view(ns) : std::string_view(); }
  // `ClusterRoleBinding "b" of ClusterRole "r" to User "u"`, with the first subject that applies.
  std::string Describe(const User& user) const;
};
using BindingPtr = base::IntrusivePtr<const Binding>;

// From the objects.
std::vector<PolicyRule> RulesOf(api::ListView<api::rbac_v1::PolicyRuleView> rules);
BindingPtr BindingOf(std::string_view ns, std::string_view name, api::rbac_v1::RoleRefView role,
                     api::ListView<api::rbac_v1::SubjectView> subjects);

}  // namespace keelson::auth::rbac
