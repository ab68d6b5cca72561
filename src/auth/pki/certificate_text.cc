#include "auth/certificate_text.h"

#include <openssl/pem.h>

#include <memory>
#include <optional>

#include "base/openssl.h"
#include "base/x509_name.h"

namespace keelson::auth {
namespace {

using base::openssl::BioPtr;
using base::openssl::MemoryBio;
using base::openssl::X509Ptr;
using RequestPtr = base::openssl::Owned<X509_REQ, X509_REQ_free>;

struct PemBlock {
  std::string type, headers, bytes;
};

// The next block of `bio`; text between blocks is passed over.
std::optional<PemBlock> NextBlock(BIO* bio) {
  char *name = nullptr, *header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  const bool found = PEM_read_bio(bio, &name, &header, &data, &size) == 1;
  ERR_clear_error();
  if (!found) return std::nullopt;
  PemBlock block{name, header, std::string(reinterpret_cast<const char*>(data), static_cast<size_t>(size))};
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_free(data);
  return block;
}

base::Result<RequestPtr, std::string> ParseCertificateRequest(std::string_view pem) {
  const BioPtr bio = MemoryBio(pem);
  const auto block = NextBlock(bio.get());
  if (!block || block->type != "CERTIFICATE REQUEST")
    return base::Err(std::string("PEM block type must be CERTIFICATE REQUEST"));
  const auto* at = reinterpret_cast<const unsigned char*>(block->bytes.data());
  const unsigned char* const end = at + block->bytes.size();
  RequestPtr request(d2i_X509_REQ(nullptr, &at, static_cast<long>(block->bytes.size())));
  ERR_clear_error();
  if (!request || at != end)
    return base::Err(std::string("asn1: structure error: not a certificate request"));
  return request;
}

}  // namespace

std::string WhyBadCertificateRequest(std::string_view pem) {
  const auto parsed = ParseCertificateRequest(pem);
  if (!parsed) return parsed.error();
  X509_REQ* const request = parsed->get();
  EVP_PKEY* const key = X509_REQ_get0_pubkey(request);
  const bool signed_by_key = key && X509_REQ_verify(request, key) == 1;
  ERR_clear_error();
  if (signed_by_key) return {};
  if (!key) return "x509: unsupported public key";
  return EVP_PKEY_is_a(key, "RSA") ? "crypto/rsa: verification error" : "x509: ECDSA verification failure";
}

base::Result<CertificateSubject, std::string> SubjectOfCertificateRequest(std::string_view pem) {
  const auto request = TRY(ParseCertificateRequest(pem));
  CertificateSubject subject;
  for (auto& [oid, value] : base::openssl::AttributesOf(X509_REQ_get_subject_name(request.get()))) {
    if (oid == base::openssl::kCommonNameOid)
      subject.common_name = std::move(value);
    else if (oid == base::openssl::kOrganizationOid)
      subject.organizations.push_back(std::move(value));
  }
  return subject;
}

std::string WhyBadCertificates(std::string_view pem) {
  const BioPtr bio = MemoryBio(pem);
  bool some = false;
  while (const auto block = NextBlock(bio.get())) {
    if (block->type != "CERTIFICATE")
      return "only CERTIFICATE PEM blocks are allowed, found \"" + block->type + "\"";
    if (!block->headers.empty()) return "no PEM block headers are permitted";
    const auto* at = reinterpret_cast<const unsigned char*>(block->bytes.data());
    const X509Ptr certificate(d2i_X509(nullptr, &at, static_cast<long>(block->bytes.size())));
    ERR_clear_error();
    if (!certificate) return "x509: malformed certificate";
    some = true;
  }
  return some ? "" : "must contain at least one CERTIFICATE PEM block";
}

}  // namespace keelson::auth
