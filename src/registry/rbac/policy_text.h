// The bootstrap policy as text, one role or binding after the other:
//
//   cluster-role NAME [part-of ROLE] [made-of ROLE]   made-of: aggregates what is part-of ROLE
//   role NAME in NAMESPACE
//     allow VERBS on RESOURCES of GROUPS [named NAMES]
//     allow VERBS url PATHS
//   cluster-binding NAME [to ROLE]                    without `to`: the role of the same name
//   binding NAME in NAMESPACE [to ROLE]
//     user NAME | group NAME | account NAMESPACE/NAME
//
// Lists have commas and no blanks; the group without a name is `core`. What is indented by
// six continues the line before; after a comma, without a blank.
#pragma once

#include <span>
#include <string_view>

namespace keelson::registry::rbac {

extern const std::string_view kCorePolicy;
extern const std::string_view kControllerPolicy;

// What is allowed besides while a feature gate is on. Rules of a role that there is anyway are added to it.
struct GatedPolicy {
  std::string_view gate, text;
};
std::span<const GatedPolicy> GatedPolicies();

}  // namespace keelson::registry::rbac
