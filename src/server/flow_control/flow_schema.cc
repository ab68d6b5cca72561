#include "server/flow_control/flow_schema.h"

#include <algorithm>
#include <array>
#include <bit>

#include "auth/subject.h"
#include "auth/token_issuer.h"

namespace keelson::server::flow_control {
namespace {

using namespace api::flowcontrol_v1;

constexpr std::string_view kAll = "*";

std::vector<std::string> StringsOf(const api::ScalarList& list) {
  std::vector<std::string> strings;
  for (const api::Value& value : list) strings.emplace_back(value.string());
  return strings;
}

ResourceRule RuleOf(ResourcePolicyRuleView rule) {
  return {.verbs = StringSet(StringsOf(rule.verbs())),
          .groups = StringSet(StringsOf(rule.api_groups())),
          .resources = StringSet(StringsOf(rule.resources())),
          .namespaces = StringSet(StringsOf(rule.namespaces())),
          .cluster_scope = rule.cluster_scope()};
}

void AddSubject(SubjectView subject, std::vector<FlowSubject>& out) {
  using enum FlowSubject::Kind;
  if (subject.kind() == "User" && subject.user())
    out.push_back({.kind = kUser, .ns = "", .name = std::string(subject.user().name())});
  if (subject.kind() == "Group" && subject.group())
    out.push_back({.kind = kGroup, .ns = "", .name = std::string(subject.group().name())});
  if (subject.kind() == "ServiceAccount" && subject.service_account())
    out.push_back({.kind = kServiceAccount,
                   .ns = std::string(subject.service_account().namespace_()),
                   .name = std::string(subject.service_account().name())});
}

// Whether `path` is `url`, or below it; "/a/*" is below "/a/".
bool CoversUrl(std::string_view url, std::string_view path) {
  if (url == kAll || url == path) return true;
  if (url.ends_with('*')) url.remove_suffix(1);
  if (!path.starts_with(url)) return false;
  return url.ends_with('/') || (path.size() > url.size() && path[url.size()] == '/');
}

}  // namespace

bool StringSet::Has(std::string_view s) const {
  return all_ || std::ranges::find(strings_, s) != strings_.end();
}

bool ResourceRule::Matches(const endpoints::RequestInfo& info) const {
  if (!verbs.Has(info.verb) || !groups.Has(info.group)) return false;
  const bool resource = info.subresource.empty() ? resources.Has(info.resource)
                                                 : resources.Has(info.resource + "/" + info.subresource);
  if (!resource) return false;
  return info.ns.empty() ? cluster_scope : namespaces.Has(info.ns);
}

bool NonResourceRule::Matches(const endpoints::RequestInfo& info) const {
  return verbs.Has(info.verb) &&
         std::ranges::any_of(urls, [&](const std::string& url) { return CoversUrl(url, info.path); });
}

bool FlowRule::Matches(const endpoints::RequestInfo& info) const {
  const auto matches = [&](const auto& rule) { return rule.Matches(info); };
  return info.resource_request ? std::ranges::any_of(resource_rules, matches)
                               : std::ranges::any_of(non_resource_rules, matches);
}

FlowSchemaSpec FlowSchemaSpec::Of(FlowSchemaView schema) {
  const auto spec = schema.spec();
  FlowSchemaSpec flow{.name = std::string(schema.metadata().name()),
                      .uid = std::string(schema.metadata().uid()),
                      .generation = schema.metadata().generation(),
                      .level = std::string(spec.priority_level_configuration().name()),
                      .precedence = spec.matching_precedence()};
  const std::string_view method = spec.distinguisher_method() ? spec.distinguisher_method().type() : "";
  if (method == "ByUser") flow.distinguisher = Distinguisher::kByUser;
  if (method == "ByNamespace") flow.distinguisher = Distinguisher::kByNamespace;
  for (const auto rules : spec.rules()) {
    FlowRule& rule = flow.rules.emplace_back();
    for (const auto subject : rules.subjects()) AddSubject(subject, rule.subjects);
    for (const auto resource : rules.resource_rules()) rule.resource_rules.push_back(RuleOf(resource));
    for (const auto other : rules.non_resource_rules())
      rule.non_resource_rules.push_back(
          {.verbs = StringSet(StringsOf(other.verbs())), .urls = StringsOf(other.non_resource_urls())});
  }
  return flow;
}

FlowSchemaIndex::FlowSchemaIndex(std::vector<FlowSchemaSpec> schemas) : schemas_(std::move(schemas)) {
  for (size_t i = 0; i < schemas_.size(); ++i)
    for (const FlowRule& rule : schemas_[i].rules) rules_.push_back({static_cast<int>(i), &rule});
  words_ = (rules_.size() + 63) / 64;
  everybody_.resize(words_);
  for (size_t i = 0; i < rules_.size(); ++i)
    for (const FlowSubject& subject : rules_[i].rule->subjects) Add(subject, i);
}

void FlowSchemaIndex::Add(const FlowSubject& subject, size_t rule) {
  const auto mark = [&](RuleSet& set) {
    set.resize(words_);
    set[rule / 64] |= uint64_t{1} << (rule % 64);
  };
  switch (subject.kind) {
    case FlowSubject::Kind::kUser: return mark(subject.name == kAll ? everybody_ : users_[subject.name]);
    case FlowSubject::Kind::kGroup: return mark(subject.name == kAll ? everybody_ : groups_[subject.name]);
    case FlowSubject::Kind::kServiceAccount:
      if (subject.name == kAll) return mark(account_namespaces_[subject.ns]);
      return mark(users_[auth::ServiceAccountUserName(subject.ns, subject.name)]);
  }
}

void FlowSchemaIndex::Unite(const Sets& sets, std::string_view key, uint64_t* rules) {
  const auto it = sets.find(key);
  if (it == sets.end()) return;
  for (size_t i = 0; i < it->second.size(); ++i) rules[i] |= it->second[i];
}

int FlowSchemaIndex::Find(const endpoints::RequestInfo& info, const auth::User& user) const {
  std::array<uint64_t, 8> few;
  std::vector<uint64_t> many;
  if (words_ > few.size()) many.resize(words_);
  uint64_t* const candidates = words_ > few.size() ? many.data() : few.data();
  std::ranges::copy(everybody_, candidates);
  Unite(users_, user.name, candidates);
  for (const std::string& group : user.groups) Unite(groups_, group, candidates);
  if (std::string_view account = user.name;
      !account_namespaces_.empty() && account.starts_with(auth::kServiceAccountUserPrefix)) {
    account.remove_prefix(auth::kServiceAccountUserPrefix.size());
    if (const size_t colon = account.find(':'); colon != std::string_view::npos)
      Unite(account_namespaces_, account.substr(0, colon), candidates);
  }
  for (size_t word = 0; word < words_; ++word)
    for (uint64_t bits = candidates[word]; bits != 0; bits &= bits - 1) {
      const Rule& rule = rules_[word * 64 + static_cast<size_t>(std::countr_zero(bits))];
      if (rule.rule->Matches(info)) return rule.schema;
    }
  return -1;
}

}  // namespace keelson::server::flow_control
