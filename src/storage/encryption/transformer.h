// Transformer: how the values of a resource are kept at rest. The first provider writes, all read,
// each what begins with its prefix; so keys are rotated by putting a new one in front.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/slice.h"
#include "storage/backend.h"
#include "storage/encryption/cipher.h"

namespace keelson::storage::encryption {

// Gives out the SealIds: one for each prefix and secret, for the life of a process.
// Threads: any.
class SealIds {
 public:
  SealId Number(std::string_view prefix, std::string_view secret);

 private:
  base::Mutex mu_;
  std::map<std::string, SealId, std::less<>> ids_ GUARDED_BY(mu_);
};

// Whether a stored value is encrypted, by whatever key.
bool IsEncrypted(std::string_view stored);

struct Provider {
  std::string prefix;                    // "k8s:enc:aesgcm:v1:key1:"
  std::shared_ptr<const Cipher> cipher;  // null: values are kept as they are
  SealId seal = kUnsealed;
};

// Threads: immutable; any.
class Transformer {
 public:
  // Requires: `providers` is not empty.
  explicit Transformer(std::vector<Provider> providers) : providers_(std::move(providers)) {}

  struct Opened {
    base::Slice plain;
    SealId seal = kUnsealed;
  };
  struct Unread {
    std::string why;
    bool may_pass = false;  // a key service did not help, this time
  };
  // `key`: under which the value is stored. Reading may block while a key service is asked.
  struct Sealed {
    base::Slice stored;
    SealId seal = kUnsealed;
  };
  base::Result<Sealed, std::string> ToStorage(base::Slice plain, std::string_view key) const;
  base::Result<Opened, Unread> FromStorage(base::Slice stored, std::string_view key) const;

  // Whether FromStorage asks no key service for `stored`, and so does not block.
  bool Ready(std::string_view stored) const;

  // What ToStorage makes.
  SealId seal() const {
    const Provider& first = providers_.front();
    return first.cipher ? first.cipher->CurrentSeal(first.seal) : first.seal;
  }
  // Values are kept as they are, and nothing else is read.
  bool plain() const { return providers_.size() == 1 && !providers_.front().cipher; }

 private:
  const std::vector<Provider> providers_;
};

}  // namespace keelson::storage::encryption
