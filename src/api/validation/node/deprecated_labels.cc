#include "api/validation/node/deprecated_labels.h"

#include <algorithm>
#include <iterator>

namespace keelson::api::node {
namespace {

struct Deprecated {
  std::string_view key, message;
};

constexpr Deprecated kLabels[] = {
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
};

}  // namespace

std::string_view DeprecatedNodeLabel(std::string_view key) {
  const auto* found = std::ranges::find(kLabels, key, &Deprecated::key);
  return found == std::end(kLabels) ? std::string_view() : found->message;
}

}  // namespace keelson::api::node
