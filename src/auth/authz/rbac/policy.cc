#include "auth/authz/rbac/policy.h"

#include <algorithm>

#include "api/validation/quote.h"
#include "auth/authz/hash.h"

namespace keelson::auth::rbac {
namespace {

constexpr std::string_view kAll = "*";
constexpr std::string_view kUsualVerbs[] = {"get",    "list",  "watch",  "create",
                                            "update", "patch", "delete", "deletecollection"};
constexpr uint32_t kAnyVerb = 1U << 30, kOtherVerbs = 1U << 31;

// 0: none of the usual ones.
uint32_t VerbBit(std::string_view verb) {
  for (size_t i = 0; i < std::size(kUsualVerbs); ++i)
    if (verb == kUsualVerbs[i]) return 1U << i;
  return 0;
}

uint32_t VerbBits(const std::vector<std::string>& verbs) {
  uint32_t bits = 0;
  for (const std::string& verb : verbs) {
    const uint32_t bit = verb == kAll ? kAnyVerb : VerbBit(verb);
    bits |= bit ? bit : kOtherVerbs;
  }
  return bits;
}

bool HasString(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

bool VerbMatches(const PolicyRule& rule, uint32_t bits, const Question& question) {
  if (bits & kAnyVerb) return true;
  if (question.verb) return bits & question.verb;
  return (bits & kOtherVerbs) && HasString(rule.verbs, question.attributes.verb);
}

bool GroupMatches(const PolicyRule& rule, std::string_view group) {
  return std::ranges::any_of(rule.groups, [&](const std::string& g) { return g == group || g == kAll; });
}

bool NameMatches(const PolicyRule& rule, std::string_view name) {
  return rule.names.empty() || HasString(rule.names, name);
}

// A trailing '*' stands for any rest.
bool PathMatches(std::string_view pattern, std::string_view path) {
  if (pattern == path || pattern == kAll) return true;
  if (!pattern.ends_with('*')) return false;
  while (pattern.ends_with('*')) pattern.remove_suffix(1);
  return path.starts_with(pattern);
}

// Whether `text` is `parent`, or `parent`/`child` when there is a child.
bool IsJoined(std::string_view text, std::string_view parent, std::string_view child) {
  if (child.empty()) return text == parent;
  return text.size() == parent.size() + 1 + child.size() && text.starts_with(parent) &&
         text[parent.size()] == '/' && text.ends_with(child);
}

uint64_t HashJoined(std::string_view parent, std::string_view child) {
  uint64_t hash = HashBytes(parent);
  return child.empty() ? hash : HashBytes(child, HashBytes("/", hash));
}

uint64_t SignatureBit(uint64_t hash) { return uint64_t{1} << (hash & 63); }

std::vector<std::string> Strings(api::ScalarList list) {
  std::vector<std::string> strings;
  strings.reserve(list.size());
  for (const api::Value& value : list) strings.emplace_back(value.string());
  return strings;
}

std::string DescribeSubject(const Subject& subject) {
  switch (subject.kind) {
    case Subject::Kind::kUser: return "User " + api::Quoted(subject.name);
    case Subject::Kind::kGroup: return "Group " + api::Quoted(subject.name);
    default: return "ServiceAccount " + api::Quoted(subject.name + "/" + subject.ns);
  }
}

}  // namespace

Question::Question(const Attributes& a) : attributes(a), verb(VerbBit(a.verb)) {
  if (!a.resource_request) return;
  resource_hash = HashJoined(a.resource, a.subresource);
  if (!a.subresource.empty()) any_parent_hash = HashJoined(kAll, a.subresource);
}

uint64_t Role::HashOf(std::string_view ns, std::string_view name) {
  return Scatter(HashBytes(name, HashBytes("/", HashBytes(ns))));
}

Role::Role(std::string_view ns, std::string_view name, std::vector<PolicyRule> rules)
    : hash_(HashOf(ns, name)), ns_(ns), name_(name), rules_(std::move(rules)) {
  for (uint32_t i = 0; i < rules_.size(); ++i) {
    const PolicyRule& rule = rules_[i];
    rule_verbs_.push_back(VerbBits(rule.verbs));
    verbs_ |= rule_verbs_.back();
    if (!rule.urls.empty()) paths_.push_back(i);
    if (HasString(rule.resources, kAll)) {
      any_resource_.push_back(i);
      continue;
    }
    for (uint32_t r = 0; r < rule.resources.size(); ++r) {
      named_.push_back({HashBytes(rule.resources[r]), i, r});
      named_signature_ |= SignatureBit(named_.back().hash);
    }
  }
  std::ranges::sort(named_, {}, &Named::hash);
}

const PolicyRule* Role::Allows(const Question& question) const {
  const uint32_t wanted = (question.verb ? question.verb : kOtherVerbs) | kAnyVerb;
  if (!(verbs_ & wanted)) return nullptr;
  return question.attributes.resource_request ? AllowsResource(question) : AllowsPath(question);
}

const PolicyRule* Role::AllowsResource(const Question& question) const {
  const Attributes& a = question.attributes;
  for (const uint32_t i : any_resource_) {
    const PolicyRule& rule = rules_[i];
    if (VerbMatches(rule, rule_verbs_[i], question) && GroupMatches(rule, a.group) &&
        NameMatches(rule, a.name))
      return &rule;
  }
  if (const PolicyRule* const rule = AllowsNamed(question.resource_hash, a.resource, question)) return rule;
  return a.subresource.empty() ? nullptr : AllowsNamed(question.any_parent_hash, kAll, question);
}

const PolicyRule* Role::AllowsNamed(uint64_t hash, std::string_view parent, const Question& question) const {
  if (!(named_signature_ & SignatureBit(hash))) return nullptr;
  const Attributes& a = question.attributes;
  for (const Named& named : std::ranges::equal_range(named_, hash, {}, &Named::hash)) {
    const PolicyRule& rule = rules_[named.rule];
    if (VerbMatches(rule, rule_verbs_[named.rule], question) && GroupMatches(rule, a.group) &&
        NameMatches(rule, a.name) && IsJoined(rule.resources[named.resource], parent, a.subresource))
      return &rule;
  }
  return nullptr;
}

const PolicyRule* Role::AllowsPath(const Question& question) const {
  for (const uint32_t i : paths_) {
    const PolicyRule& rule = rules_[i];
    if (!VerbMatches(rule, rule_verbs_[i], question)) continue;
    for (const std::string& url : rule.urls)
      if (PathMatches(url, question.attributes.path)) return &rule;
  }
  return nullptr;
}

std::string Binding::Describe(const User& user) const {
  const bool cluster = ns.empty();
  std::string text = cluster ? "ClusterRoleBinding " : "RoleBinding ";
  text += api::Quoted(cluster ? name : name + "/" + ns);
  text += " of " + role_kind + " " + api::Quoted(role_name) + " to ";
  for (const Subject& subject : subjects)
    if (subject.AppliesTo(user)) return text + DescribeSubject(subject);
  return text;
}

std::vector<PolicyRule> RulesOf(api::ListView<api::rbac_v1::PolicyRuleView> views) {
  std::vector<PolicyRule> rules;
  rules.reserve(views.size());
  for (const api::rbac_v1::PolicyRuleView view : views)
    rules.push_back({.verbs = Strings(view.verbs()),
                     .groups = Strings(view.api_groups()),
                     .resources = Strings(view.resources()),
                     .names = Strings(view.resource_names()),
                     .urls = Strings(view.non_resource_urls())});
  return rules;
}

BindingPtr BindingOf(std::string_view ns, std::string_view name, api::rbac_v1::RoleRefView role,
                     api::ListView<api::rbac_v1::SubjectView> subjects) {
  base::IntrusivePtr<Binding> binding(new Binding);
  binding->ns = ns;
  binding->name = name;
  binding->role_kind = role.kind();
  binding->role_name = role.name();
  for (const api::rbac_v1::SubjectView s : subjects)
    binding->subjects.push_back(Subject::Of(s.kind(), s.namespace_(), s.name(), ns));
  return binding;
}

}  // namespace keelson::auth::rbac
