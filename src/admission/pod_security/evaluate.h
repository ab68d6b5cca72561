// A pod measured against a level of pod security.
#pragma once

#include <string>
#include <vector>

#include "admission/pod_security/checks.h"
#include "admission/pod_security/policy.h"

namespace keelson::admission::pod_security {

using Violations = std::vector<Violation>;

// In the order of upstream's messages; empty: the pod may be. A release that is newer than the
// newest change of the rules has the newest rules.
Violations Evaluate(const LevelVersion& level, const Subject& subject);

// "hostPort, privileged", and the same with what is wrong in brackets.
std::string Reasons(const Violations& violations);
std::string Details(const Violations& violations);

}  // namespace keelson::admission::pod_security
