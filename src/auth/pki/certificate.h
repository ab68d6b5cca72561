// Keys and certificates as PEM text: making them and asking about them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::auth::pki {

// Names and addresses a certificate is valid for.
struct AlternativeNames {
  std::vector<std::string> dns;
  std::vector<std::string> ips;  // textual, IPv4 or IPv6
};

enum class Usage { kAuthority, kServer, kClient };

struct CertificateSpec {
  Usage usage = Usage::kServer;
  std::string common_name;
  std::vector<std::string> organizations;
  AlternativeNames names;
  std::chrono::system_clock::time_point not_before, not_after;
};

struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;  // SEC 1, or PKCS #8; not encrypted
};

template <class T>
using Result = base::Result<T, std::string>;

Result<std::string> GenerateKey();     // ECDSA P-256, as PEM in SEC 1
Result<std::string> GenerateRsaKey();  // 2048 bits, as PEM in PKCS #8
// A key in the form of its own kind, which every client reads: "EC PRIVATE KEY" (SEC 1), "RSA PRIVATE
// KEY" (PKCS #1). Not all read PKCS #8 with an EC key in it. Other kinds of keys stay as they are.
Result<std::string> TraditionalKeyPem(std::string_view key_pem);
Result<std::string> PublicKeyPem(std::string_view key_pem);

// A certificate for a key, a new one unless it is given; signed by `issuer`, or by itself when that is null.
Result<KeyPair> Issue(const CertificateSpec& spec, const KeyPair* issuer, std::string_view key_pem = {});

// An error unless the key belongs to the certificate, and that is signed by the authority.
Result<void> CheckIssued(const KeyPair& pair, std::string_view ca_pem);

// What is wrong with `pair` for serving `names` until `needed_until` under `ca_pem`; empty:
// nothing. `names` may be empty.
std::string WhyUnusable(const KeyPair& pair, std::string_view ca_pem, const AlternativeNames& names,
                        std::chrono::system_clock::time_point needed_until);

// When the (first) certificate expires.
Result<std::chrono::system_clock::time_point> ExpiryOf(std::string_view certificate_pem);

// Whether there is a certificate in the bundle, whatever else is in it.
bool HasCertificate(std::string_view pem);
// Whether a certificate is in both bundles.
bool ShareCertificate(std::string_view pem, std::string_view other_pem);

// The certificates of both bundles, each once, without those that have expired before `now`.
std::string CombineCertificates(std::string_view pem, std::string_view other_pem,
                                std::chrono::system_clock::time_point now);

// An error unless the key belongs to the (first) certificate.
Result<void> CheckPair(const KeyPair& pair);

}  // namespace keelson::auth::pki
