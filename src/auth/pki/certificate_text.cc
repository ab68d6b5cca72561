#include "auth/certificate_text.h"

#include <openssl/x509v3.h>

#include <map>
#include <memory>

#include "auth/pki/pem_blocks.h"
#include "base/openssl.h"
#include "base/x509_name.h"

namespace keelson::auth {
namespace {

using base::openssl::BioPtr;
using base::openssl::MemoryBio;
using base::openssl::X509Ptr;
using RequestPtr = base::openssl::Owned<X509_REQ, X509_REQ_free>;

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

namespace {

// What is wrong with one block of a bundle; empty: nothing.
std::string WhyNoTrustAnchor(const PemBlock& block) {
  if (block.type != "CERTIFICATE") return "has bad block type: " + block.type;
  if (!block.headers.empty()) return "has PEM block headers";
  const auto* at = reinterpret_cast<const unsigned char*>(block.bytes.data());
  const unsigned char* const end = at + block.bytes.size();
  const X509Ptr certificate(d2i_X509(nullptr, &at, static_cast<long>(block.bytes.size())));
  ERR_clear_error();
  if (!certificate || at != end) return "does not parse as X.509";
  using ConstraintsPtr = base::openssl::Owned<BASIC_CONSTRAINTS, BASIC_CONSTRAINTS_free>;
  const ConstraintsPtr constraints(static_cast<BASIC_CONSTRAINTS*>(
      X509_get_ext_d2i(certificate.get(), NID_basic_constraints, nullptr, nullptr)));
  return constraints && constraints->ca ? "" : "does not have the CA bit set";
}

}  // namespace

std::vector<std::string> FaultsOfTrustAnchors(std::string_view pem) {
  std::vector<std::string> faults;
  std::map<std::string, std::vector<size_t>> places;  // of each certificate
  const BioPtr bio = MemoryBio(pem);
  size_t i = 0;
  for (auto block = NextBlock(bio.get()); block; block = NextBlock(bio.get()), ++i) {
    const std::string why = WhyNoTrustAnchor(*block);
    if (why.empty())
      places[block->bytes].push_back(i);
    else
      faults.push_back("entry " + std::to_string(i) + " " + why);
  }
  if (!faults.empty()) return faults;
  if (places.empty()) return {"at least one trust anchor must be provided"};
  for (const auto& [bytes, at] : places) {
    if (at.size() == 1) continue;
    std::string indices;
    for (const size_t place : at) indices.append(indices.empty() ? "" : " ").append(std::to_string(place));
    faults.push_back("duplicate trust anchor (indices [" + indices + "])");
  }
  return faults;
}

}  // namespace keelson::auth
