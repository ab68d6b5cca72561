#include "storage/encryption/cipher.h"

#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/openssl.h"
#include "storage/encryption/xsalsa20.h"

namespace keelson::storage::encryption {
namespace {

using base::Err;
using Opened = base::Result<base::Slice, std::string>;
using Sealed = base::Result<void, std::string>;

using CipherPtr = base::openssl::Owned<EVP_CIPHER, EVP_CIPHER_free>;
using CipherCtx = base::openssl::Owned<EVP_CIPHER_CTX, EVP_CIPHER_CTX_free>;
using MacPtr = base::openssl::Owned<EVP_MAC, EVP_MAC_free>;
using MacCtx = base::openssl::Owned<EVP_MAC_CTX, EVP_MAC_CTX_free>;

constexpr std::string_view kTooShort = "the stored data was shorter than the required size";
constexpr size_t kTagSize = 16;

const unsigned char* Bytes(std::string_view s) { return reinterpret_cast<const unsigned char*>(s.data()); }
unsigned char* Bytes(char* p) { return reinterpret_cast<unsigned char*>(p); }

// What OpenSSL left in this thread's queue of errors would be taken for one of a connection's.
auto Failed(std::string_view why) {
  ERR_clear_error();
  return Err(std::string(why));
}

bool Randomize(char* out, size_t n) { return RAND_bytes(Bytes(out), static_cast<int>(n)) == 1; }
auto NoRandomness() { return Failed("unable to read sufficient random bytes"); }

// Fetched once: asking by name costs a lookup under a lock.
CipherPtr Fetch(const char* mode, size_t key_size) {
  const std::string name = "AES-" + std::to_string(key_size * 8) + "-" + mode;
  CipherPtr cipher(EVP_CIPHER_fetch(nullptr, name.c_str(), nullptr));
  if (!cipher) throw std::logic_error("no such cipher: " + name);
  return cipher;
}

constexpr size_t kGcmNonceSize = 12;

Sealed SealGcm(const EVP_CIPHER* cipher, std::string_view key, std::string_view plain,
               std::string_view context, base::BufferBuilder& out) {
  char* const nonce = out.Reserve(kGcmNonceSize + plain.size() + kTagSize);
  if (!Randomize(nonce, kGcmNonceSize)) return NoRandomness();
  char* const text = nonce + kGcmNonceSize;
  CipherCtx ctx(EVP_CIPHER_CTX_new());
  int n = 0;
  const bool done =
      EVP_EncryptInit_ex2(ctx.get(), cipher, Bytes(key), Bytes(nonce), nullptr) &&
      EVP_EncryptUpdate(ctx.get(), nullptr, &n, Bytes(context), static_cast<int>(context.size())) &&
      EVP_EncryptUpdate(ctx.get(), Bytes(text), &n, Bytes(plain), static_cast<int>(plain.size())) &&
      EVP_EncryptFinal_ex(ctx.get(), Bytes(text) + n, &n) &&
      EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize, text + plain.size());
  if (!done) return Failed("AES-GCM cannot encrypt");
  out.Advance(kGcmNonceSize + plain.size() + kTagSize);
  return {};
}

Opened OpenGcm(const EVP_CIPHER* cipher, std::string_view key, std::string_view sealed,
               std::string_view context) {
  const auto forged = [] { return Failed("cipher: message authentication failed"); };
  if (sealed.size() < kGcmNonceSize) return Err(std::string(kTooShort));
  const std::string_view nonce = sealed.substr(0, kGcmNonceSize);
  sealed.remove_prefix(kGcmNonceSize);
  if (sealed.size() < kTagSize) return forged();
  const std::string_view text = sealed.substr(0, sealed.size() - kTagSize);
  std::string tag(sealed.substr(text.size()));
  base::BufferBuilder out(text.size() + 1);
  CipherCtx ctx(EVP_CIPHER_CTX_new());
  int n = 0;
  const bool done =
      EVP_DecryptInit_ex2(ctx.get(), cipher, Bytes(key), Bytes(nonce), nullptr) &&
      EVP_DecryptUpdate(ctx.get(), nullptr, &n, Bytes(context), static_cast<int>(context.size())) &&
      EVP_DecryptUpdate(ctx.get(), Bytes(out.Reserve(text.size())), &n, Bytes(text),
                        static_cast<int>(text.size())) &&
      EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, tag.data()) &&
      EVP_DecryptFinal_ex(ctx.get(), Bytes(out.data()) + n, &n) > 0;
  if (!done) return forged();
  out.Advance(text.size());
  return out.Take();
}

class AesGcm final : public Cipher {
 public:
  explicit AesGcm(std::string_view key) : key_(key), cipher_(Fetch("GCM", key.size())) {}

  Sealed Seal(std::string_view plain, std::string_view context, base::BufferBuilder& out) const override {
    return SealGcm(cipher_.get(), key_, plain, context, out);
  }
  Opened Open(std::string_view sealed, std::string_view context) const override {
    return OpenGcm(cipher_.get(), key_, sealed, context);
  }

 private:
  const std::string key_;
  const CipherPtr cipher_;
};

class SeededAesGcm final : public Cipher {
 public:
  explicit SeededAesGcm(std::string_view seed) : seed_(seed), cipher_(Fetch("GCM", kKeySize)) {}

  Sealed Seal(std::string_view plain, std::string_view context, base::BufferBuilder& out) const override {
    char* const info = out.Reserve(kSeededOverhead + plain.size());
    if (!Randomize(info, kInfoSize)) return NoRandomness();
    const Key key = Derive({info, kInfoSize});
    out.Advance(kInfoSize);
    return SealGcm(cipher_.get(), {key.data(), key.size()}, plain, context, out);
  }

  Opened Open(std::string_view sealed, std::string_view context) const override {
    if (sealed.size() < kInfoSize) return Err(std::string(kTooShort));
    const Key key = Derive(sealed.substr(0, kInfoSize));
    return OpenGcm(cipher_.get(), {key.data(), key.size()}, sealed.substr(kInfoSize), context);
  }

 private:
  static constexpr size_t kInfoSize = 32, kKeySize = 32;
  using Key = std::array<char, kKeySize>;
  static_assert(kSeededOverhead == kInfoSize + kGcmNonceSize + kTagSize);

  // HKDF's expansion to one block of the hash, which is one HMAC.
  Key Derive(std::string_view info) const {
    std::array<char, kInfoSize + 1> message;
    std::ranges::copy(info, message.begin());
    message.back() = 1;
    Key key;
    unsigned int n = 0;
    if (!HMAC(EVP_sha256(), seed_.data(), static_cast<int>(seed_.size()),
              Bytes({message.data(), message.size()}), message.size(), Bytes(key.data()), &n) ||
        n != kKeySize)
      throw std::runtime_error("HMAC failed");
    return key;
  }

  const std::string seed_;
  const CipherPtr cipher_;
};

class AesCbc final : public Cipher {
 public:
  explicit AesCbc(std::string_view key) : key_(key), cipher_(Fetch("CBC", key.size())) {}

  Sealed Seal(std::string_view plain, std::string_view, base::BufferBuilder& out) const override {
    char* const iv = out.Reserve(kBlock + plain.size() + kBlock);
    if (!Randomize(iv, kBlock)) return NoRandomness();
    CipherCtx ctx(EVP_CIPHER_CTX_new());
    int n = 0;
    int padding = 0;
    const bool done =
        EVP_EncryptInit_ex2(ctx.get(), cipher_.get(), Bytes(key_), Bytes(iv), nullptr) &&
        EVP_EncryptUpdate(ctx.get(), Bytes(iv) + kBlock, &n, Bytes(plain), static_cast<int>(plain.size())) &&
        EVP_EncryptFinal_ex(ctx.get(), Bytes(iv) + kBlock + n, &padding);
    if (!done) return Failed("AES-CBC cannot encrypt");
    out.Advance(kBlock + static_cast<size_t>(n + padding));
    return {};
  }

  Opened Open(std::string_view sealed, std::string_view) const override {
    if (sealed.size() < kBlock) return Err(std::string(kTooShort));
    const std::string_view iv = sealed.substr(0, kBlock);
    sealed.remove_prefix(kBlock);
    if (sealed.size() % kBlock != 0)
      return Err(std::string("the stored data is not a multiple of the block size"));
    base::BufferBuilder out(sealed.size() + kBlock);
    CipherCtx ctx(EVP_CIPHER_CTX_new());
    int n = 0;
    int rest = 0;
    const bool done =
        EVP_DecryptInit_ex2(ctx.get(), cipher_.get(), Bytes(key_), Bytes(iv), nullptr) &&
        EVP_DecryptUpdate(ctx.get(), Bytes(out.data()), &n, Bytes(sealed), static_cast<int>(sealed.size())) &&
        EVP_DecryptFinal_ex(ctx.get(), Bytes(out.data()) + n, &rest) > 0;
    if (!done) return Failed("invalid padding on input");
    out.Advance(static_cast<size_t>(n) + static_cast<size_t>(rest));
    return out.Take();
  }

 private:
  static constexpr size_t kBlock = 16;

  const std::string key_;
  const CipherPtr cipher_;
};

class Secretbox final : public Cipher {
 public:
  explicit Secretbox(std::string_view key) : key_(key), mac_(EVP_MAC_fetch(nullptr, "POLY1305", nullptr)) {
    if (!mac_) throw std::logic_error("no POLY1305");
  }

  Sealed Seal(std::string_view plain, std::string_view, base::BufferBuilder& out) const override {
    char* const nonce = out.Reserve(kOverhead + plain.size());
    if (!Randomize(nonce, XSalsa20::kNonceSize)) return NoRandomness();
    char* const tag = nonce + XSalsa20::kNonceSize;
    char* const text = tag + kTagSize;
    XSalsa20 stream(key_, {nonce, XSalsa20::kNonceSize});
    const MacKey mac_key = TakeMacKey(stream);
    stream.Apply(plain, text);
    if (!Authenticate(mac_key, {text, plain.size()}, tag)) return Failed("secretbox cannot encrypt");
    out.Advance(kOverhead + plain.size());
    return {};
  }

  Opened Open(std::string_view sealed, std::string_view) const override {
    if (sealed.size() < kOverhead) return Err(std::string(kTooShort));
    XSalsa20 stream(key_, sealed.substr(0, XSalsa20::kNonceSize));
    const MacKey mac_key = TakeMacKey(stream);
    const std::string_view tag = sealed.substr(XSalsa20::kNonceSize, kTagSize);
    const std::string_view text = sealed.substr(kOverhead);
    char wanted[kTagSize];
    if (!Authenticate(mac_key, text, wanted) || CRYPTO_memcmp(wanted, tag.data(), kTagSize) != 0)
      return Err(std::string("the stored data is not authentic"));
    base::BufferBuilder out(text.size() + 1);
    stream.Apply(text, out.data());
    out.Advance(text.size());
    return out.Take();
  }

 private:
  static constexpr size_t kOverhead = XSalsa20::kNonceSize + kTagSize;
  using MacKey = std::array<char, 32>;

  // The first bytes of the stream; the text gets those that follow.
  static MacKey TakeMacKey(XSalsa20& stream) {
    MacKey key{};
    stream.Apply({key.data(), key.size()}, key.data());
    return key;
  }

  bool Authenticate(const MacKey& key, std::string_view text, char* tag) const {
    MacCtx ctx(EVP_MAC_CTX_new(mac_.get()));
    size_t n = 0;
    return EVP_MAC_init(ctx.get(), Bytes({key.data(), key.size()}), key.size(), nullptr) &&
           EVP_MAC_update(ctx.get(), Bytes(text), text.size()) &&
           EVP_MAC_final(ctx.get(), Bytes(tag), &n, kTagSize) && n == kTagSize;
  }

  const std::string key_;
  const MacPtr mac_;
};

}  // namespace

std::unique_ptr<Cipher> MakeAesGcm(std::string_view key) { return std::make_unique<AesGcm>(key); }
std::unique_ptr<Cipher> MakeSeededAesGcm(std::string_view seed) {
  return std::make_unique<SeededAesGcm>(seed);
}
std::unique_ptr<Cipher> MakeAesCbc(std::string_view key) { return std::make_unique<AesCbc>(key); }
std::unique_ptr<Cipher> MakeSecretbox(std::string_view key) { return std::make_unique<Secretbox>(key); }

base::Result<std::string, std::string> RandomBytes(size_t n) {
  std::string bytes(n, '\0');
  if (!Randomize(bytes.data(), n)) return NoRandomness();
  return bytes;
}

std::string DigestOf(std::string_view name) {
  if (name.empty()) return "";
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(Bytes(name), name.size(), digest);
  std::string out = "sha256:";
  for (const unsigned char byte : digest) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

}  // namespace keelson::storage::encryption
