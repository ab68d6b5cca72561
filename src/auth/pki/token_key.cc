#include "auth/pki/token_key.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>

#include "api/codec/base64.h"
#include "api/codec/json_writer.h"
#include "base/openssl.h"

namespace keelson::auth::pki {
namespace {

using base::openssl::BioPtr;
using base::openssl::KeyPtr;
using base::openssl::MemoryBio;
using base::openssl::NumberPtr;
using base::openssl::X509Ptr;
using DigestPtr = base::openssl::Owned<EVP_MD_CTX, EVP_MD_CTX_free>;
using SignaturePtr = base::openssl::Owned<ECDSA_SIG, ECDSA_SIG_free>;

struct Algorithm {
  std::string_view name;
  const EVP_MD* (*digest)();
  std::string_view curve;      // OpenSSL's name; empty for RSA
  std::string_view jwk_curve;  // "P-256"
  size_t number_size = 0;      // bytes of each half of an ECDSA signature
};
constexpr Algorithm kAlgorithms[] = {
    {"RS256", EVP_sha256, "", "", 0},
    {"ES256", EVP_sha256, "prime256v1", "P-256", 32},
    {"ES384", EVP_sha384, "secp384r1", "P-384", 48},
    {"ES512", EVP_sha512, "secp521r1", "P-521", 66},
};

const Algorithm* AlgorithmFor(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA")) return &kAlgorithms[0];
  if (!EVP_PKEY_is_a(key, "EC")) return nullptr;
  std::array<char, 64> curve{};
  size_t size = 0;
  if (EVP_PKEY_get_group_name(key, curve.data(), curve.size(), &size) != 1) return nullptr;
  const auto found = std::ranges::find(kAlgorithms, std::string_view(curve.data(), size), &Algorithm::curve);
  return found == std::end(kAlgorithms) ? nullptr : found;
}

std::string KeyId(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  if (size <= 0) return {};
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(der, static_cast<size_t>(size), digest.data());
  OPENSSL_free(der);
  return Base64Url({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

const unsigned char* Bytes(std::string_view s) { return reinterpret_cast<const unsigned char*>(s.data()); }

// JSON web signatures hold the two numbers side by side, OpenSSL a DER sequence of them.
std::string FromDer(std::string_view der, size_t number_size) {
  const unsigned char* p = Bytes(der);
  const SignaturePtr parsed(d2i_ECDSA_SIG(nullptr, &p, static_cast<long>(der.size())));
  if (!parsed) return {};
  std::string out(2 * number_size, '\0');
  auto* const at = reinterpret_cast<unsigned char*>(out.data());
  const int size = static_cast<int>(number_size);
  if (BN_bn2binpad(ECDSA_SIG_get0_r(parsed.get()), at, size) != size ||
      BN_bn2binpad(ECDSA_SIG_get0_s(parsed.get()), at + size, size) != size)
    return {};
  return out;
}

std::string ToDer(std::string_view raw, size_t number_size) {
  if (raw.size() != 2 * number_size) return {};
  const SignaturePtr made(ECDSA_SIG_new());
  NumberPtr r(BN_bin2bn(Bytes(raw), static_cast<int>(number_size), nullptr));
  NumberPtr s(BN_bin2bn(Bytes(raw.substr(number_size)), static_cast<int>(number_size), nullptr));
  if (!made || !r || !s || ECDSA_SIG_set0(made.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());  // NOLINT(bugprone-unused-return-value): they are the signature's now
  static_cast<void>(s.release());  // NOLINT(bugprone-unused-return-value)
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(made.get(), &der);
  if (size <= 0) return {};
  std::string out(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

// One number of the public key, at least `size` bytes long.
std::string Number(const EVP_PKEY* key, const char* parameter, size_t size = 0) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, parameter, &raw) != 1) return {};
  const NumberPtr number(raw);
  std::string bytes(std::max<size_t>(size, static_cast<size_t>(BN_num_bytes(number.get()))), '\0');
  BN_bn2binpad(number.get(), reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  return Base64Url(bytes);
}

// The next block of `bio`; null at the end or when it holds no key.
KeyPtr ReadKey(std::string_view name, BIO* block) {
  if (name == "CERTIFICATE") {
    const X509Ptr certificate(PEM_read_bio_X509(block, nullptr, nullptr, nullptr));
    return KeyPtr(certificate ? X509_get_pubkey(certificate.get()) : nullptr);
  }
  if (name.ends_with("PRIVATE KEY")) return KeyPtr(PEM_read_bio_PrivateKey(block, nullptr, nullptr, nullptr));
  if (name == "RSA PUBLIC KEY" || name == "PUBLIC KEY")
    return KeyPtr(PEM_read_bio_PUBKEY(block, nullptr, nullptr, nullptr));
  return nullptr;
}

}  // namespace

struct TokenKey::Key {
  KeyPtr pkey;
  const Algorithm* algorithm = nullptr;
};

base::Result<std::vector<TokenKey>, std::string> TokenKey::Parse(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  std::vector<TokenKey> keys;
  for (size_t at = pem.find(kBegin); at != std::string_view::npos; at = pem.find(kBegin, at + 1)) {
    const std::string_view rest = pem.substr(at);
    const std::string_view name =
        rest.substr(kBegin.size(), rest.find("-----", kBegin.size()) - kBegin.size());
    if (name == "EC PARAMETERS") continue;
    const BioPtr block = MemoryBio(rest);
    KeyPtr pkey = block ? ReadKey(name, block.get()) : nullptr;
    ERR_clear_error();
    if (!pkey) return base::Err("no usable key in the PEM block " + std::string(name));
    TokenKey key;
    auto held = std::make_shared<Key>();
    held->algorithm = AlgorithmFor(pkey.get());
    if (!held->algorithm) return base::Err(std::string("only RSA and ECDSA keys can sign tokens"));
    key.id_ = KeyId(pkey.get());
    key.algorithm_ = held->algorithm->name;
    key.private_ = name.ends_with("PRIVATE KEY");
    held->pkey = std::move(pkey);
    key.key_ = std::move(held);
    keys.push_back(std::move(key));
  }
  if (keys.empty()) return base::Err(std::string("no key found"));
  return keys;
}

base::Result<std::string, std::string> TokenKey::Sign(std::string_view data) const {
  const DigestPtr context(EVP_MD_CTX_new());
  EVP_PKEY* const pkey = key_->pkey.get();
  size_t size = 0;
  if (!context || EVP_DigestSignInit(context.get(), nullptr, key_->algorithm->digest(), nullptr, pkey) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, Bytes(data), data.size()) != 1)
    return base::Err(std::string("cannot sign"));
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, Bytes(data),
                     data.size()) != 1)
    return base::Err(std::string("cannot sign"));
  signature.resize(size);
  if (key_->algorithm->number_size > 0) signature = FromDer(signature, key_->algorithm->number_size);
  return signature;
}

bool TokenKey::Verify(std::string_view data, std::string_view signature) const {
  std::string der;
  if (key_->algorithm->number_size > 0) {
    der = ToDer(signature, key_->algorithm->number_size);
    if (der.empty()) return false;
    signature = der;
  }
  const DigestPtr context(EVP_MD_CTX_new());
  const bool good =
      context &&
      EVP_DigestVerifyInit(context.get(), nullptr, key_->algorithm->digest(), nullptr, key_->pkey.get()) ==
          1 &&
      EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(data), data.size()) == 1;
  if (!good) ERR_clear_error();
  return good;
}

std::string TokenKey::Jwk() const {
  const EVP_PKEY* const pkey = key_->pkey.get();
  const Algorithm& algorithm = *key_->algorithm;
  const bool rsa = algorithm.number_size == 0;
  base::BufferBuilder out;
  api::json::JsonWriter json(out);
  json.BeginObject()
      .Member("use", std::string_view("sig"))
      .Member("kty", std::string_view(rsa ? "RSA" : "EC"));
  json.Member("kid", id_);
  if (!rsa) json.Member("crv", algorithm.jwk_curve);
  json.Member("alg", algorithm.name);
  if (rsa) {
    json.Member("n", Number(pkey, OSSL_PKEY_PARAM_RSA_N)).Member("e", Number(pkey, OSSL_PKEY_PARAM_RSA_E));
  } else {
    json.Member("x", Number(pkey, OSSL_PKEY_PARAM_EC_PUB_X, algorithm.number_size));
    json.Member("y", Number(pkey, OSSL_PKEY_PARAM_EC_PUB_Y, algorithm.number_size));
  }
  json.EndObject();
  return std::string(out.view());
}

std::string Base64Url(std::string_view bytes) {
  std::string text(api::Base64EncodedSize(bytes.size()), '\0');
  api::Base64Encode(bytes, text.data());
  while (text.ends_with('=')) text.pop_back();
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

bool DecodeBase64Url(std::string_view text, std::string& bytes) {
  if (text.find_first_of("+/=\r\n") != std::string_view::npos) return false;
  std::string standard(text);
  std::ranges::replace(standard, '-', '+');
  std::ranges::replace(standard, '_', '/');
  standard.append((4 - standard.size() % 4) % 4, '=');
  bytes.resize(api::Base64DecodedBound(standard.size()));
  const auto size = api::Base64Decode(standard, bytes.data());
  if (!size) return false;
  bytes.resize(*size);
  return true;
}

}  // namespace keelson::auth::pki
