// resourceVersion as clients send it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/errors.h"

namespace keelson::storage {

// 0 for "" and "0". The error is upstream's text.
base::Result<Revision, std::string> ParseResourceVersion(std::string_view text);

}  // namespace keelson::storage
