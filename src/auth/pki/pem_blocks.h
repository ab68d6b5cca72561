// The blocks of a PEM text, one after the other. Only for .cc files that talk to OpenSSL.
#pragma once

#include <openssl/bio.h>

#include <optional>
#include <string>

namespace keelson::auth {

struct PemBlock {
  std::string type, headers, bytes;
};

// The next block of `bio`; text between blocks is passed over.
std::optional<PemBlock> NextBlock(BIO* bio);

}  // namespace keelson::auth
