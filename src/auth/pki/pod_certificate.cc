#include "auth/pod_certificate.h"

#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <span>

#include "auth/pki/pem_blocks.h"
#include "base/openssl.h"

namespace keelson::auth {
namespace {

using api::certificates::IssuedChain;
using api::certificates::KeyFault;
using api::certificates_v1beta1::PodCertificateRequestSpecView;
using base::openssl::KeyPtr;
using base::openssl::MemoryBio;
using base::openssl::X509Ptr;
using StubRequestPtr = base::openssl::Owned<X509_REQ, X509_REQ_free>;
using DigestContextPtr = base::openssl::Owned<EVP_MD_CTX, EVP_MD_CTX_free>;

constexpr std::string_view kCertificateBlock = "CERTIFICATE";

const unsigned char* Unsigned(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// All of `der`, or null.
template <class Ptr, class Read>
Ptr ReadDer(std::string_view der, Read read) {
  const unsigned char* at = Unsigned(der);
  const unsigned char* const end = at + der.size();
  Ptr object(read(nullptr, &at, static_cast<long>(der.size())));
  ERR_clear_error();
  return at == end ? std::move(object) : nullptr;
}

// Whether clients of Go can read such a key, and whether it is strong enough.
KeyFault FaultOfKind(const EVP_PKEY* key) {
  using enum KeyFault::Kind;
  if (EVP_PKEY_is_a(key, "ED25519")) return {};
  if (EVP_PKEY_is_a(key, "EC")) {
    char name[64] = {};
    EVP_PKEY_get_group_name(key, name, sizeof name, nullptr);
    const std::string_view curve = name;
    if (curve == "secp224r1") return {kCurve, "curve P-224"};
    if (curve == "prime256v1" || curve == "secp384r1" || curve == "secp521r1") return {};
    return {kUnreadable};
  }
  if (EVP_PKEY_is_a(key, "RSA")) {
    const int bits = EVP_PKEY_get_size(key) * 8;
    if (bits != 3072 && bits != 4096) return {kModulus, std::to_string(bits) + "-bit modulus"};
    return {};
  }
  return {kType};
}

// A signature of `text` by the owner of `key`: as it is with Ed25519, else of its SHA-256, with RSA by PSS.
bool IsSignedWith(EVP_PKEY* key, std::string_view text, std::string_view signature) {
  const DigestContextPtr context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;
  const EVP_MD* const digest = EVP_PKEY_is_a(key, "ED25519") ? nullptr : EVP_sha256();
  bool good = EVP_DigestVerifyInit(context.get(), &options, digest, nullptr, key) == 1;
  if (good && EVP_PKEY_is_a(key, "RSA"))
    good = EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_AUTO) == 1;
  good = good && EVP_DigestVerify(context.get(), Unsigned(signature), signature.size(), Unsigned(text),
                                  text.size()) == 1;
  ERR_clear_error();
  return good;
}

KeyFault FaultOfRequest(std::string_view der) {
  const auto request = ReadDer<StubRequestPtr>(der, d2i_X509_REQ);
  if (!request) return {KeyFault::Kind::kUnreadable};
  EVP_PKEY* const key = X509_REQ_get0_pubkey(request.get());
  ERR_clear_error();
  if (!key) return {KeyFault::Kind::kType};
  if (KeyFault fault = FaultOfKind(key); fault.kind != KeyFault::Kind::kNone) return fault;
  const bool good = X509_REQ_verify(request.get(), key) == 1;
  ERR_clear_error();
  return good ? KeyFault() : KeyFault{KeyFault::Kind::kSignature};
}

// Null: there is none that can be read.
KeyPtr RequestedKey(PodCertificateRequestSpecView spec) {
  if (spec.stub_pkcs10_request().empty()) return ReadDer<KeyPtr>(spec.pkix_public_key(), d2i_PUBKEY);
  const auto request = ReadDer<StubRequestPtr>(spec.stub_pkcs10_request(), d2i_X509_REQ);
  return KeyPtr(request ? X509_REQ_get_pubkey(request.get()) : nullptr);
}

int64_t SecondsOf(const ASN1_TIME* time) {
  std::tm tm{};
  return ASN1_TIME_to_tm(time, &tm) == 1 ? timegm(&tm) : 0;
}

// An address as certificates have it: "local@domain", each of atoms with dots between them.
bool IsMailAddress(std::string_view address) {
  const auto is_dot_atom = [](std::string_view part) {
    constexpr std::string_view kPunctuation = "!#$%&'*+-/=?^_`{|}~.";
    if (part.empty() || part.starts_with('.') || part.ends_with('.') || part.find("..") != part.npos)
      return false;
    return std::ranges::all_of(part, [&](char c) {
      const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      return alphanumeric || kPunctuation.find(c) != kPunctuation.npos;
    });
  };
  const size_t sign = address.rfind('@');
  return sign != address.npos && is_dot_atom(address.substr(0, sign)) &&
         is_dot_atom(address.substr(sign + 1));
}

void ReadNames(const X509* leaf, IssuedChain& chain) {
  using NamesPtr = base::openssl::Owned<GENERAL_NAMES, GENERAL_NAMES_free>;
  const NamesPtr names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(leaf, NID_subject_alt_name, nullptr, nullptr)));
  ERR_clear_error();
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    int type = 0;
    void* const value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &type);
    if (type != GEN_DNS && type != GEN_EMAIL) continue;
    const auto* const text = static_cast<const ASN1_STRING*>(value);
    std::string name(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<size_t>(ASN1_STRING_length(text)));
    if (type == GEN_DNS)
      chain.dns_names.push_back(std::move(name));
    else if (!IsMailAddress(name))
      chain.bad_emails.push_back(std::move(name));
  }
}

}  // namespace

KeyFault FaultOfRequestedKey(PodCertificateRequestSpecView spec) {
  if (!spec.stub_pkcs10_request().empty()) return FaultOfRequest(spec.stub_pkcs10_request());
  const auto key = ReadDer<KeyPtr>(spec.pkix_public_key(), d2i_PUBKEY);
  if (!key) return {KeyFault::Kind::kUnreadable};
  if (KeyFault fault = FaultOfKind(key.get()); fault.kind != KeyFault::Kind::kNone) return fault;
  return IsSignedWith(key.get(), spec.pod_uid(), spec.proof_of_possession())
             ? KeyFault()
             : KeyFault{KeyFault::Kind::kSignature};
}

IssuedChain ReadIssuedChain(std::string_view pem, PodCertificateRequestSpecView spec) {
  using enum IssuedChain::Fault;
  IssuedChain chain;
  const auto bio = MemoryBio(pem);
  const auto first = NextBlock(bio.get());
  if (!first) return chain.leaf = kNoCertificate, chain;
  if (first->type != kCertificateBlock) return chain.leaf = kOtherBlock, chain;
  const auto leaf = ReadDer<X509Ptr>(first->bytes, d2i_X509);
  if (!leaf) return chain.leaf = kUnreadable, chain;
  ReadNames(leaf.get(), chain);
  const KeyPtr wanted = RequestedKey(spec);
  const EVP_PKEY* const has = X509_get0_pubkey(leaf.get());
  chain.is_for_key = wanted && has && EVP_PKEY_eq(wanted.get(), has) == 1;
  ERR_clear_error();
  chain.not_before = SecondsOf(X509_get0_notBefore(leaf.get()));
  chain.not_after = SecondsOf(X509_get0_notAfter(leaf.get()));
  while (const auto block = NextBlock(bio.get())) {
    if (block->type != kCertificateBlock) return chain.others = kOtherBlock, chain;
    if (!ReadDer<X509Ptr>(block->bytes, d2i_X509)) return chain.others = kUnreadable, chain;
  }
  return chain;
}

}  // namespace keelson::auth
