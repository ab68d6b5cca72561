// Continue tokens, interchangeable with upstream's: base64url (no padding) of
// {"v":"meta.k8s.io/v1","rv":N,"start":"key\u0000"}.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/errors.h"

namespace keelson::storage {

struct ContinueToken {
  Revision revision = 0;   // -1: "now", given after an expired token
  std::string start_key;   // relative to the resource's prefix
};

base::Result<ContinueToken, std::string> DecodeContinue(std::string_view token);
std::string EncodeContinue(const ContinueToken& token);

}  // namespace keelson::storage
