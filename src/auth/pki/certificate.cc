#include "auth/pki/certificate.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <memory>

#include "base/openssl.h"

namespace keelson::auth::pki {
namespace {

using base::openssl::BioPtr;
using base::openssl::KeyPtr;
using base::openssl::MemoryBio;
using base::openssl::NumberPtr;
using base::openssl::X509Ptr;
using ExtensionPtr = base::openssl::Owned<X509_EXTENSION, X509_EXTENSION_free>;

std::string Failed(std::string_view doing) { return std::string(doing) + ": " + base::openssl::LastError(); }

std::string Contents(const BioPtr& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

Result<KeyPtr> ParseKey(std::string_view pem) {
  const BioPtr in = MemoryBio(pem);
  KeyPtr key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  if (!key) return base::Err(Failed("cannot read private key"));
  return key;
}

std::vector<X509Ptr> ReadBundle(std::string_view pem) {
  std::vector<X509Ptr> certificates;
  const BioPtr bio = MemoryBio(pem);
  while (X509Ptr next{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)})
    certificates.push_back(std::move(next));
  ERR_clear_error();
  return certificates;
}

Result<X509Ptr> ParseCertificate(std::string_view pem) {
  const BioPtr in = MemoryBio(pem);
  X509Ptr certificate(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  if (!certificate) return base::Err(Failed("cannot read certificate"));
  return certificate;
}

bool AddName(X509_NAME* name, const char* field, std::string_view value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool AddExtension(X509* certificate, X509V3_CTX& context, int nid, const std::string& value) {
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetRandomSerial(X509* certificate) {
  const NumberPtr serial(BN_new());
  return serial && BN_rand(serial.get(), 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

std::string AlternativeNameText(const AlternativeNames& names) {
  std::string text;
  const auto add = [&](std::string_view kind, const std::string& value) {
    if (!text.empty()) text += ',';
    (text += kind) += value;
  };
  for (const auto& dns : names.dns) add("DNS:", dns);
  for (const auto& ip : names.ips) add("IP:", ip);
  return text;
}

bool AddExtensions(X509* certificate, X509* issuer, const CertificateSpec& spec) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const auto add = [&](int nid, const std::string& value) {
    return AddExtension(certificate, context, nid, value);
  };

  const bool authority = spec.usage == Usage::kAuthority;
  bool ok = add(NID_basic_constraints, authority ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
            add(NID_key_usage, authority ? "critical,digitalSignature,keyEncipherment,keyCertSign,cRLSign"
                                         : "critical,digitalSignature,keyEncipherment") &&
            add(NID_subject_key_identifier, "hash");
  if (ok && !authority) {
    ok = add(NID_authority_key_identifier, "keyid:always") &&
         add(NID_ext_key_usage, spec.usage == Usage::kServer ? "serverAuth" : "clientAuth");
  }
  const std::string names = AlternativeNameText(spec.names);
  return ok && (names.empty() || add(NID_subject_alt_name, names));
}

bool CoversIp(X509* certificate, const std::string& ip) {
  return X509_check_ip_asc(certificate, ip.c_str(), 0) == 1;
}
bool CoversDns(X509* certificate, const std::string& dns) {
  return X509_check_host(certificate, dns.data(), dns.size(), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr) ==
         1;
}

Result<std::string> PrivateKeyPem(const KeyPtr& key) {
  if (!key) return base::Err(Failed("cannot generate key"));
  const BioPtr out(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return base::Err(Failed("cannot write key"));
  return Contents(out);
}

Result<std::string> TraditionalPem(const KeyPtr& key) {
  if (!key) return base::Err(Failed("cannot generate key"));
  const BioPtr out(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PrivateKey_traditional(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return base::Err(Failed("cannot write key"));
  return Contents(out);
}

}  // namespace

Result<std::string> GenerateKey() { return TraditionalPem(KeyPtr(EVP_EC_gen("P-256"))); }

Result<std::string> TraditionalKeyPem(std::string_view key_pem) {
  auto key = TRY(ParseKey(key_pem));
  if (!EVP_PKEY_is_a(key.get(), "EC") && !EVP_PKEY_is_a(key.get(), "RSA")) return std::string(key_pem);
  return TraditionalPem(key);
}

Result<std::string> GenerateRsaKey() {
  constexpr unsigned kBits = 2048;
  return PrivateKeyPem(KeyPtr(EVP_RSA_gen(kBits)));
}

Result<std::string> PublicKeyPem(std::string_view key_pem) {
  auto key = TRY(ParseKey(key_pem));
  const BioPtr out(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PUBKEY(out.get(), key.get()) != 1) return base::Err(Failed("cannot write public key"));
  return Contents(out);
}

Result<KeyPair> Issue(const CertificateSpec& spec, const KeyPair* issuer, std::string_view key_pem) {
  auto own_key_pem = TRY(key_pem.empty() ? GenerateKey() : Result<std::string>(std::string(key_pem)));
  auto key = TRY(ParseKey(own_key_pem));

  Result<X509Ptr> issuer_certificate;
  Result<KeyPtr> issuer_key;
  if (issuer) {
    issuer_certificate = ParseCertificate(issuer->certificate_pem);
    if (!issuer_certificate) return base::Err(std::move(issuer_certificate.error()));
    issuer_key = ParseKey(issuer->key_pem);
    if (!issuer_key) return base::Err(std::move(issuer_key.error()));
  }

  const X509Ptr certificate(X509_new());
  X509* const x = certificate.get();
  X509* const signer = issuer ? issuer_certificate->get() : x;
  EVP_PKEY* const signing_key = issuer ? issuer_key->get() : key.get();
  X509_NAME* const subject = X509_get_subject_name(x);
  bool ok = X509_set_version(x, X509_VERSION_3) == 1 && SetRandomSerial(x);
  for (const auto& organization : spec.organizations) ok = ok && AddName(subject, "O", organization);
  ok = ok && AddName(subject, "CN", spec.common_name) &&
       X509_set_issuer_name(x, X509_get_subject_name(signer)) == 1 &&
       ASN1_TIME_set(X509_getm_notBefore(x), std::chrono::system_clock::to_time_t(spec.not_before)) &&
       ASN1_TIME_set(X509_getm_notAfter(x), std::chrono::system_clock::to_time_t(spec.not_after)) &&
       X509_set_pubkey(x, key.get()) == 1 && AddExtensions(x, signer, spec) &&
       X509_sign(x, signing_key, EVP_sha256()) > 0;
  if (!ok) return base::Err(Failed("cannot issue certificate for " + spec.common_name));

  const BioPtr out(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(out.get(), x) != 1) return base::Err(Failed("cannot write certificate"));
  return KeyPair{Contents(out), std::move(own_key_pem)};
}

Result<std::chrono::system_clock::time_point> ExpiryOf(std::string_view certificate_pem) {
  auto certificate = TRY(ParseCertificate(certificate_pem));
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1)
    return base::Err(Failed("cannot read when the certificate expires"));
  return std::chrono::system_clock::from_time_t(::timegm(&end));
}

bool HasCertificate(std::string_view pem) { return !ReadBundle(pem).empty(); }

bool ShareCertificate(std::string_view pem, std::string_view other_pem) {
  const auto some = ReadBundle(pem), others = ReadBundle(other_pem);
  for (const X509Ptr& one : some)
    for (const X509Ptr& other : others)
      if (X509_cmp(one.get(), other.get()) == 0) return true;
  return false;
}

std::string CombineCertificates(std::string_view pem, std::string_view other_pem,
                                std::chrono::system_clock::time_point now) {
  auto seconds = std::chrono::system_clock::to_time_t(now);
  std::vector<X509Ptr> kept;
  const BioPtr out(BIO_new(BIO_s_mem()));
  for (const std::string_view bundle : {pem, other_pem})
    for (X509Ptr& certificate : ReadBundle(bundle)) {
      const auto same = [&](const X509Ptr& other) { return X509_cmp(certificate.get(), other.get()) == 0; };
      if (X509_cmp_time(X509_get0_notAfter(certificate.get()), &seconds) < 0 ||
          std::ranges::any_of(kept, same))
        continue;
      PEM_write_bio_X509(out.get(), certificate.get());
      kept.push_back(std::move(certificate));
    }
  return Contents(out);
}

Result<void> CheckPair(const KeyPair& pair) {
  auto certificate = TRY(ParseCertificate(pair.certificate_pem));
  auto key = TRY(ParseKey(pair.key_pem));
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return base::Err(std::string("the private key does not belong to the certificate"));
  }
  return {};
}

Result<void> CheckIssued(const KeyPair& pair, std::string_view ca_pem) {
  TRY(CheckPair(pair));
  auto certificate = ParseCertificate(pair.certificate_pem);
  auto authority = ParseCertificate(ca_pem);
  if (!certificate || !authority) return base::Err(std::string("it cannot be read"));
  if (X509_verify(certificate->get(), X509_get0_pubkey(authority->get())) == 1) return {};
  ERR_clear_error();
  return base::Err(std::string("it is not signed by the certificate authority"));
}

std::string WhyUnusable(const KeyPair& pair, std::string_view ca_pem, const AlternativeNames& names,
                        std::chrono::system_clock::time_point needed_until) {
  if (auto ok = CheckIssued(pair, ca_pem); !ok) return ok.error();
  auto certificate = ParseCertificate(pair.certificate_pem);
  if (!certificate) return "it cannot be read";
  X509* const x = certificate->get();
  std::time_t until = std::chrono::system_clock::to_time_t(needed_until);
  if (X509_cmp_time(X509_get0_notAfter(x), &until) <= 0) return "it expires soon";
  for (const auto& ip : names.ips)
    if (!CoversIp(x, ip)) return "it does not cover " + ip;
  for (const auto& dns : names.dns)
    if (!CoversDns(x, dns)) return "it does not cover " + dns;
  return {};
}

}  // namespace keelson::auth::pki
