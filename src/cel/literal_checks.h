// Mistakes in literals that are found before anything runs: durations, times, patterns,
// formats, and lists and maps of mixed types.
#pragma once

#include "cel/environment.h"

namespace keelson::cel {

// Requires: the expression is checked.
void CheckLiterals(const Checked& expression, Issues& issues);

}  // namespace keelson::cel
