// Trees in messages, as Go prints the values of field errors: strings quoted, scalars plain, the rest as
// JSON.
#pragma once

#include <string>

#include "api/types/doc.h"

namespace keelson::extensions {

std::string RenderTree(const api::Value& value);
std::string TreeJson(const api::Value& value);

}  // namespace keelson::extensions
