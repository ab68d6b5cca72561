// Ciphers of values at rest, with upstream's formats byte for byte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/slice.h"
#include "storage/backend.h"

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

  // The seal of what Seal makes now, and of `sealed`, which Open has read. `configured` is that of the
  // cipher as it was configured: the answer of all whose key does not change by itself.
  virtual SealId CurrentSeal(SealId configured) const { return configured; }
  virtual SealId SealOf(std::string_view /*sealed*/, SealId configured) const { return configured; }
  // Whether Open can tell now what `sealed` is. If not it asks somebody, which may take long and may fail
  // this time.
  virtual bool Ready(std::string_view /*sealed*/) const { return true; }
};

// `key`: 16, 24 or 32 bytes.
std::unique_ptr<Cipher> MakeAesGcm(std::string_view key);
std::unique_ptr<Cipher> MakeAesCbc(std::string_view key);
// XSalsa20 and Poly1305; `key`: 32 bytes. The context is not authenticated.
std::unique_ptr<Cipher> MakeSecretbox(std::string_view key);

// AES-256-GCM with a key of its own for every value, which HKDF-SHA256 derives from `seed` and 32 random
// bytes before the text. `seed`: at least 32 bytes.
std::unique_ptr<Cipher> MakeSeededAesGcm(std::string_view seed);
constexpr size_t kSeedSize = 32;
// By how much MakeSeededAesGcm's text is longer than what it hides.
constexpr size_t kSeededOverhead = 32 + 12 + 16;

// "sha256:" and the digest in hexadecimal, of a name that should not be shown; empty for an empty one.
std::string DigestOf(std::string_view name);

// `n` bytes that nobody can guess.
base::Result<std::string, std::string> RandomBytes(size_t n);

}  // namespace keelson::storage::encryption
