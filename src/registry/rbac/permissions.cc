#include "registry/rbac/permissions.h"

namespace keelson::registry::rbac {
namespace {

using namespace api::rbac_v1;
using api::ScalarList;

bool Has(ScalarList list, std::string_view item) {
  return AnyOf(list, [&](const api::Value& v) { return v.string() == item; });
}

bool HasOrAll(ScalarList list, std::string_view item) { return Has(list, "*") || Has(list, item); }

bool CoversResource(ScalarList resources, std::string_view resource) {
  if (HasOrAll(resources, resource)) return true;
  const size_t slash = resource.find('/');
  return slash != std::string_view::npos && Has(resources, "*" + std::string(resource.substr(slash)));
}

bool CoversUrl(ScalarList urls, std::string_view url) {
  return AnyOf(urls, [&](const api::Value& v) {
    std::string_view owner = v.string();
    if (owner == url) return true;
    if (!owner.ends_with('*')) return false;
    while (owner.ends_with('*')) owner.remove_suffix(1);
    return url.starts_with(owner);
  });
}

}  // namespace

bool Covers(PolicyRuleView rule, const Permission& wanted) {
  if (!HasOrAll(rule.verbs(), wanted.verb)) return false;
  if (!wanted.url.empty()) return CoversUrl(rule.non_resource_urls(), wanted.url);
  const bool any_name = rule.resource_names().empty();
  return HasOrAll(rule.api_groups(), wanted.group) && CoversResource(rule.resources(), wanted.resource) &&
         (any_name || (!wanted.name.empty() && Has(rule.resource_names(), wanted.name)));
}

void AddRule(PolicyRuleEditor rule, const Permission& permission) {
  rule.add_verbs(permission.verb);
  if (!permission.url.empty()) return rule.add_non_resource_urls(permission.url);
  rule.add_api_groups(permission.group);
  rule.add_resources(permission.resource);
  if (!permission.name.empty()) rule.add_resource_names(permission.name);
}

}  // namespace keelson::registry::rbac
