// The language's side of validation: see api/validation/expressions.h.
#pragma once

#include "api/validation/expressions.h"

namespace keelson::cel {

const api::ExpressionRules& Rules();

}  // namespace keelson::cel
