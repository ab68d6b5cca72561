#include "net/testing/certificates.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>

#include "base/openssl.h"

namespace keelson::net::testing {
namespace {

using base::openssl::BioPtr;
using base::openssl::KeyPtr;
using base::openssl::X509Ptr;

constexpr long kHour = 3600;

template <class T>
T Must(T result, const char* what) {
  if (!result) {
    std::fprintf(stderr, "%s: %s\n", what, base::openssl::LastError().c_str());
    std::abort();
  }
  return result;
}

std::string Contents(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string ToPem(X509* certificate) {
  BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return Contents(bio.get());
}

std::string ToPem(EVP_PKEY* key) {
  BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Contents(bio.get());
}

void AddName(X509_NAME* name, ASN1_OBJECT* kind, const std::string& value) {
  X509_NAME_add_entry_by_OBJ(name, kind, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                             static_cast<int>(value.size()), -1, 0);
}

void AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = Must(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()), value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// A certificate for `key` with everything but a subject, extensions and a signature.
X509Ptr Blank(EVP_PKEY* key, bool expired) {
  X509Ptr certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  uint64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof(serial));
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), expired ? -2 * kHour : -kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), expired ? -kHour : 24 * kHour);
  X509_set_pubkey(certificate.get(), key);
  return certificate;
}

KeyPair Sign(X509* certificate, EVP_PKEY* key, EVP_PKEY* signer) {
  Must(X509_sign(certificate, signer, EVP_sha256()), "sign");
  return {ToPem(certificate), ToPem(key)};
}

}  // namespace

KeyPair MakeCa(const std::string& common_name) {
  KeyPtr key(Must(EVP_EC_gen("P-256"), "key"));
  X509Ptr certificate = Blank(key.get(), /*expired=*/false);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  AddName(name, OBJ_nid2obj(NID_commonName), common_name);
  X509_set_issuer_name(certificate.get(), name);
  AddExtension(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate.get(), certificate.get(), NID_key_usage, "critical,keyCertSign,digitalSignature");
  AddExtension(certificate.get(), certificate.get(), NID_subject_key_identifier, "hash");
  return Sign(certificate.get(), key.get(), key.get());
}

KeyPair Issue(const KeyPair& ca, const Subject& subject) {
  BioPtr ca_pem = base::openssl::MemoryBio(ca.certificate_pem);
  X509Ptr ca_certificate(Must(PEM_read_bio_X509(ca_pem.get(), nullptr, nullptr, nullptr), "CA"));
  BioPtr ca_key_pem = base::openssl::MemoryBio(ca.key_pem);
  KeyPtr ca_key(Must(PEM_read_bio_PrivateKey(ca_key_pem.get(), nullptr, nullptr, nullptr), "CA key"));

  KeyPtr key(Must(EVP_EC_gen("P-256"), "key"));
  X509Ptr certificate = Blank(key.get(), subject.expired);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  for (const auto& o : subject.organizations) AddName(name, OBJ_nid2obj(NID_organizationName), o);
  AddName(name, OBJ_nid2obj(NID_commonName), subject.common_name);
  if (!subject.uid.empty()) {
    ASN1_OBJECT* kind = OBJ_txt2obj("1.3.6.1.4.1.57683.2", 1);
    AddName(name, kind, subject.uid);
    ASN1_OBJECT_free(kind);
  }
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(ca_certificate.get()));
  std::string names;
  auto add_name = [&](const std::string& entry) { names += (names.empty() ? "" : ",") + entry; };
  for (const auto& dns : subject.dns_names) add_name("DNS:" + dns);
  for (const auto& ip : subject.addresses) add_name("IP:" + ip);
  if (!names.empty()) AddExtension(certificate.get(), ca_certificate.get(), NID_subject_alt_name, names);
  AddExtension(certificate.get(), ca_certificate.get(), NID_ext_key_usage,
               subject.any_usage ? "anyExtendedKeyUsage"
               : subject.server  ? "serverAuth"
                                 : "clientAuth");
  AddExtension(certificate.get(), ca_certificate.get(), NID_key_usage, "critical,digitalSignature");
  return Sign(certificate.get(), key.get(), ca_key.get());
}

}  // namespace keelson::net::testing
