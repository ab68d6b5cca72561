#include "auth/pki/pem_blocks.h"

#include <openssl/pem.h>

#include "base/openssl.h"

namespace keelson::auth {

std::optional<PemBlock> NextBlock(BIO* bio) {
  char *name = nullptr, *header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  const bool found = PEM_read_bio(bio, &name, &header, &data, &size) == 1;
  ERR_clear_error();
  if (!found) return std::nullopt;
  PemBlock block{name, header, std::string(reinterpret_cast<const char*>(data), static_cast<size_t>(size))};
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_free(data);
  return block;
}

}  // namespace keelson::auth
