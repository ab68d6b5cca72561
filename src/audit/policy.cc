#include "audit/policy.h"

#include <algorithm>

namespace keelson::audit {
namespace {

bool Contains(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

bool InOneOf(const std::vector<std::string>& groups, const auth::User* user) {
  return user &&
         std::ranges::any_of(user->groups, [&](const auto& group) { return Contains(groups, group); });
}

// Whether `pattern` of a rule names the resource, or subresource, of the request.
bool NamesResource(std::string_view pattern, const auth::Attributes& request) {
  if (pattern == "*") return true;
  const size_t slash = pattern.find('/');
  const std::string_view resource = pattern.substr(0, slash);
  if (slash == std::string_view::npos) return request.subresource.empty() && resource == request.resource;
  const std::string_view subresource = pattern.substr(slash + 1);
  if (subresource == "*" && resource == request.resource) return true;
  if (request.subresource.empty() || subresource != request.subresource) return false;
  return resource == "*" || resource == request.resource;
}

bool MatchesResource(const GroupResources& rule, const auth::Attributes& request) {
  if (rule.group != "*" && rule.group != request.group) return false;
  if (rule.resources.empty()) return true;
  if (!rule.names.empty() && !Contains(rule.names, request.name)) return false;
  return std::ranges::any_of(rule.resources,
                             [&](const auto& pattern) { return NamesResource(pattern, request); });
}

bool MatchesPath(std::string_view pattern, std::string_view path) {
  if (pattern == path) return true;
  if (!pattern.ends_with('*')) return false;
  return path.starts_with(pattern.substr(0, pattern.find_last_not_of('*') + 1));
}

}  // namespace

bool Rule::Matches(const auth::Attributes& request) const {
  if (!users.empty() && !(request.user && Contains(users, request.user->name))) return false;
  if (!groups.empty() && !InOneOf(groups, request.user)) return false;
  if (!verbs.empty() && !Contains(verbs, request.verb)) return false;
  if (!namespaces.empty() || !resources.empty()) {
    if (!request.resource_request) return false;
    if (!namespaces.empty() && !Contains(namespaces, request.ns)) return false;
    return resources.empty() ||
           std::ranges::any_of(resources, [&](const auto& rule) { return MatchesResource(rule, request); });
  }
  if (paths.empty()) return true;
  return !request.resource_request &&
         std::ranges::any_of(paths, [&](const auto& pattern) { return MatchesPath(pattern, request.path); });
}

Decision Policy::Evaluate(const auth::Attributes& request) const {
  for (const Rule& rule : rules_)
    if (rule.Matches(request)) return rule.decision;
  return {};
}

}  // namespace keelson::audit
