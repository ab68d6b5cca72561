// The checker: finds the type of every part of an expression and the functions it calls.
#pragma once

#include "cel/environment.h"

namespace keelson::cel {

// Writes what it finds into the tree.
void Check(Checked& expression, const Environment& environment, Issues& issues);

}  // namespace keelson::cel
