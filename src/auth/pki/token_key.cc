#include "auth/pki/token_key.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
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

using ContextPtr = base::openssl::Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using ParameterBuilderPtr = base::openssl::Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using ParametersPtr = base::openssl::Owned<OSSL_PARAM, OSSL_PARAM_free>;

enum class Scheme : uint8_t { kRsaPkcs1, kRsaPss, kEcdsa };

struct Algorithm {
  std::string_view name;
  Scheme scheme;
  const EVP_MD* (*digest)();
  std::string_view curve;      // OpenSSL's name; empty for RSA
  std::string_view jwk_curve;  // "P-256"
  size_t number_size = 0;      // bytes of each half of an ECDSA signature
};
constexpr Algorithm kAlgorithms[] = {
    {"RS256", Scheme::kRsaPkcs1, EVP_sha256, "", "", 0},
    {"RS384", Scheme::kRsaPkcs1, EVP_sha384, "", "", 0},
    {"RS512", Scheme::kRsaPkcs1, EVP_sha512, "", "", 0},
    {"PS256", Scheme::kRsaPss, EVP_sha256, "", "", 0},
    {"PS384", Scheme::kRsaPss, EVP_sha384, "", "", 0},
    {"PS512", Scheme::kRsaPss, EVP_sha512, "", "", 0},
    {"ES256", Scheme::kEcdsa, EVP_sha256, "prime256v1", "P-256", 32},
    {"ES384", Scheme::kEcdsa, EVP_sha384, "secp384r1", "P-384", 48},
    {"ES512", Scheme::kEcdsa, EVP_sha512, "secp521r1", "P-521", 66},
};

// RSA below is too weak to prove anything, above so slow that checking signatures would be an attack.
constexpr int kMinRsaBits = 1024, kMaxRsaBits = 16384;

const Algorithm* FindAlgorithm(std::string_view name) {
  const auto* const found = std::ranges::find(kAlgorithms, name, &Algorithm::name);
  return found == std::end(kAlgorithms) ? nullptr : found;
}

// What a key of this type signs by.
const Algorithm* AlgorithmFor(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA")) return &kAlgorithms[0];
  if (!EVP_PKEY_is_a(key, "EC")) return nullptr;
  std::array<char, 64> curve{};
  size_t size = 0;
  if (EVP_PKEY_get_group_name(key, curve.data(), curve.size(), &size) != 1) return nullptr;
  const auto found = std::ranges::find(kAlgorithms, std::string_view(curve.data(), size), &Algorithm::curve);
  return found == std::end(kAlgorithms) ? nullptr : found;
}

// Of those that a key which signs by `own` can be used with; null: `name` is none of them.
const Algorithm* AlgorithmOfType(const Algorithm& own, std::string_view name) {
  const Algorithm* const wanted = FindAlgorithm(name);
  if (!wanted) return nullptr;
  const bool same_type = own.scheme == Scheme::kEcdsa ? wanted == &own : wanted->scheme != Scheme::kEcdsa;
  return same_type ? wanted : nullptr;
}

// The salt of PSS may have any length in what is checked, and has that of the digest in what is signed.
bool SetPadding(const Algorithm& algorithm, int salt_length, EVP_PKEY_CTX* context) {
  return algorithm.scheme != Scheme::kRsaPss ||
         (EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
          EVP_PKEY_CTX_set_rsa_pss_saltlen(context, salt_length) == 1);
}

// A public key of `type` from what `add` puts into the parameters.
template <class Add>
KeyPtr FromParameters(const char* type, const Add& add) {
  const ParameterBuilderPtr builder(OSSL_PARAM_BLD_new());
  if (!builder || !add(builder.get())) return nullptr;
  const ParametersPtr parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  const ContextPtr context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* made = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
    return nullptr;
  return KeyPtr(made);
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

base::Result<TokenKey, std::string> TokenKey::Make(std::shared_ptr<Key> held, bool is_private) {
  EVP_PKEY* const pkey = held->pkey.get();
  held->algorithm = AlgorithmFor(pkey);
  if (!held->algorithm) return base::Err(std::string("only RSA and ECDSA keys can sign tokens"));
  TokenKey key;
  key.id_ = KeyId(pkey);
  key.algorithm_ = held->algorithm->name;
  key.private_ = is_private;
  key.key_ = std::move(held);
  return key;
}

base::Result<std::vector<TokenKey>, std::string> TokenKey::Parse(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  std::vector<TokenKey> keys;
  for (size_t at = pem.find(kBegin); at != std::string_view::npos; at = pem.find(kBegin, at + 1)) {
    const std::string_view rest = pem.substr(at);
    const std::string_view name =
        rest.substr(kBegin.size(), rest.find("-----", kBegin.size()) - kBegin.size());
    if (name == "EC PARAMETERS") continue;
    const BioPtr block = MemoryBio(rest);
    auto held = std::make_shared<Key>();
    held->pkey = block ? ReadKey(name, block.get()) : nullptr;
    ERR_clear_error();
    if (!held->pkey) return base::Err("no usable key in the PEM block " + std::string(name));
    keys.push_back(TRY(Make(std::move(held), name.ends_with("PRIVATE KEY"))));
  }
  if (keys.empty()) return base::Err(std::string("no key found"));
  return keys;
}

base::Result<TokenKey, std::string> TokenKey::FromRsa(std::string_view modulus, std::string_view exponent) {
  if (modulus.size() > kMaxRsaBits / 8 + 1 || exponent.size() > 8)
    return base::Err(std::string("the RSA key is too large"));
  const NumberPtr n(BN_bin2bn(Bytes(modulus), static_cast<int>(modulus.size()), nullptr));
  const NumberPtr e(BN_bin2bn(Bytes(exponent), static_cast<int>(exponent.size()), nullptr));
  if (!n || !e) return base::Err(std::string("no memory for an RSA key"));
  const int bits = BN_num_bits(n.get());
  if (bits < kMinRsaBits || bits > kMaxRsaBits || !BN_is_odd(n.get()))
    return base::Err("an RSA key of " + std::to_string(bits) + " bits cannot be used");
  if (!BN_is_odd(e.get()) || BN_is_one(e.get()))
    return base::Err(std::string("the exponent of the RSA key cannot be used"));
  auto held = std::make_shared<Key>();
  held->pkey = FromParameters("RSA", [&](OSSL_PARAM_BLD* builder) {
    return OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n.get()) == 1 &&
           OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e.get()) == 1;
  });
  ERR_clear_error();
  if (!held->pkey) return base::Err(std::string("the numbers make no RSA key"));
  return Make(std::move(held), false);
}

base::Result<TokenKey, std::string> TokenKey::FromEc(std::string_view curve, std::string_view x,
                                                     std::string_view y) {
  const auto* const algorithm = std::ranges::find(kAlgorithms, curve, &Algorithm::jwk_curve);
  if (curve.empty() || algorithm == std::end(kAlgorithms))
    return base::Err("unsupported elliptic curve '" + std::string(curve) + "'");
  if (x.size() != algorithm->number_size || y.size() != algorithm->number_size)
    return base::Err("invalid EC key, wrong length for x or y");
  const std::string point = "\x04" + std::string(x) + std::string(y);
  auto held = std::make_shared<Key>();
  held->pkey = FromParameters("EC", [&](OSSL_PARAM_BLD* builder) {
    return OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, algorithm->curve.data(),
                                           algorithm->curve.size()) == 1 &&
           OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) ==
               1;
  });
  const ContextPtr context(held->pkey ? EVP_PKEY_CTX_new_from_pkey(nullptr, held->pkey.get(), nullptr)
                                      : nullptr);
  const bool on_curve = context && EVP_PKEY_public_check(context.get()) == 1;
  ERR_clear_error();
  if (!on_curve) return base::Err(std::string("invalid EC key, the point is not on the curve"));
  return Make(std::move(held), false);
}

base::Result<std::string, std::string> TokenKey::Sign(std::string_view data,
                                                      std::string_view algorithm) const {
  const Algorithm* const by =
      algorithm.empty() ? key_->algorithm : AlgorithmOfType(*key_->algorithm, algorithm);
  if (!by) return base::Err("a key of this type cannot sign by " + std::string(algorithm));
  const DigestPtr context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* settings = nullptr;
  size_t size = 0;
  if (!context ||
      EVP_DigestSignInit(context.get(), &settings, by->digest(), nullptr, key_->pkey.get()) != 1 ||
      !SetPadding(*by, RSA_PSS_SALTLEN_DIGEST, settings) ||
      EVP_DigestSign(context.get(), nullptr, &size, Bytes(data), data.size()) != 1)
    return base::Err(std::string("cannot sign"));
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, Bytes(data),
                     data.size()) != 1)
    return base::Err(std::string("cannot sign"));
  signature.resize(size);
  if (by->number_size > 0) signature = FromDer(signature, by->number_size);
  return signature;
}

bool TokenKey::Verify(std::string_view algorithm, std::string_view data, std::string_view signature) const {
  const Algorithm* const by = AlgorithmOfType(*key_->algorithm, algorithm);
  if (!by) return false;
  std::string der;
  if (by->number_size > 0) {
    der = ToDer(signature, by->number_size);
    if (der.empty()) return false;
    signature = der;
  }
  const DigestPtr context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* settings = nullptr;
  const bool good =
      context &&
      EVP_DigestVerifyInit(context.get(), &settings, by->digest(), nullptr, key_->pkey.get()) == 1 &&
      SetPadding(*by, RSA_PSS_SALTLEN_AUTO, settings) &&
      EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(data), data.size()) == 1;
  if (!good) ERR_clear_error();
  return good;
}

bool IsTokenAlgorithm(std::string_view name) { return FindAlgorithm(name) != nullptr; }

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
