// Rules of custom resources whose compilation and evaluation are timed, under upstream's names.
#pragma once

#include "base/metrics.h"
#include "extensions/crd/version_type.h"

namespace keelson::app {

// Compiles as `make` does. Borrows `metrics`.
extensions::MakeRuleChecker MeasuredRules(extensions::MakeRuleChecker make, base::Metrics& metrics);

}  // namespace keelson::app
