// Continue tokens, interchangeable with upstream's: base64url (no padding) of
// {"v":"meta.k8s.io/v1","rv":N,"start":"key\u0000"}.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/errors.h"

namespace keelson::storage {

struct ContinueToken {
  Revision revision = 0;  // negative: "now", given after an expired token
  std::string start_key;  // relative to what is listed: "ns/name\0", within a namespace "name\0"
};

// The error is upstream's text, for a 400.
base::Result<ContinueToken, std::string> DecodeContinue(std::string_view token);
std::string EncodeContinue(const ContinueToken& token);

}  // namespace keelson::storage
