// Permission: what rules allow, taken apart, and which rules cover it.
#pragma once

#include <string_view>

#include "api/generated/rbac_v1.h"

namespace keelson::registry::rbac {

template <class List, class Predicate>
bool AnyOf(const List& list, const Predicate& holds) {
  for (const auto& item : list)
    if (holds(item)) return true;
  return false;
}

// One verb on one resource or path, as small as a permission gets. Borrowed from its rule.
struct Permission {
  std::string_view verb, group, resource;
  std::string_view name;  // empty: any
  std::string_view url;   // not empty: of a path, and of no resource
};

bool Covers(api::rbac_v1::PolicyRuleView rule, const Permission& wanted);

template <class Visit>
void ForEachPermission(api::rbac_v1::PolicyRuleView rule, const Visit& visit) {
  for (const api::Value& group : rule.api_groups())
    for (const api::Value& resource : rule.resources())
      for (const api::Value& verb : rule.verbs()) {
        const Permission any{.verb = verb.string(), .group = group.string(), .resource = resource.string()};
        if (rule.resource_names().empty()) visit(any);
        for (const api::Value& name : rule.resource_names()) {
          Permission one = any;
          one.name = name.string();
          visit(one);
        }
      }
  for (const api::Value& url : rule.non_resource_urls())
    for (const api::Value& verb : rule.verbs()) visit(Permission{.verb = verb.string(), .url = url.string()});
}

// Makes `rule` allow it.
void AddRule(api::rbac_v1::PolicyRuleEditor rule, const Permission& permission);

}  // namespace keelson::registry::rbac
