// What all of Kubernetes' environments have in common: functions, macros and types, by the
// version of the language that expressions may use.
#pragma once

#include "cel/environment.h"

namespace keelson::cel {

// The options of an environment without variables. Expressions that are stored may use the
// same as new ones: all of it is known to the release before this one.
Environment::Options KubernetesOptions();
// With what expressions need that write patches.
Environment::Options KubernetesPatchOptions();

}  // namespace keelson::cel
