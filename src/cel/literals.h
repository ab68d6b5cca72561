// What the text of a literal stands for.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::cel {

// Of a quoted text, with its quotes and the r before them. The error is for the user.
base::Result<std::string, std::string> Unquote(std::string_view literal, bool bytes);

}  // namespace keelson::cel
