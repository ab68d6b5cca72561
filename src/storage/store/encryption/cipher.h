// Ciphers of values at rest, with upstream's formats byte for byte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/slice.h"

namespace keelson::storage::encryption {

// Threads: any. Errors are ready to be shown and hold no secret.
class Cipher {
 public:
  virtual ~Cipher() = default;

  // Appends what `plain` becomes. `context` is authenticated with it where the format can do that:
  // the key under which the value is stored.
  virtual base::Result<void, std::string> Seal(std::string_view plain, std::string_view context,
                                               base::BufferBuilder& out) const = 0;
  virtual base::Result<base::Slice, std::string> Open(std::string_view sealed,
                                                      std::string_view context) const = 0;
};

// `key`: 16, 24 or 32 bytes.
std::unique_ptr<Cipher> MakeAesGcm(std::string_view key);
std::unique_ptr<Cipher> MakeAesCbc(std::string_view key);
// XSalsa20 and Poly1305; `key`: 32 bytes. The context is not authenticated.
std::unique_ptr<Cipher> MakeSecretbox(std::string_view key);

// `n` bytes that nobody can guess.
base::Result<std::string, std::string> RandomBytes(size_t n);

}  // namespace keelson::storage::encryption
