#include "net/tls/peer_certificate.h"

#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include "base/openssl.h"
#include "base/x509_name.h"

namespace keelson::net::tls {
namespace {

constexpr std::string_view kUidOid = "1.3.6.1.4.1.57683.2";

std::string Hex(const unsigned char* bytes, size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * size);
  for (size_t i = 0; i < size; ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

// A certificate names one uid or none. `count`: how many it named before.
void SetUid(std::string uid, int count, http::PeerCertificate& peer) {
  if (count > 0) peer.error = "expected 1 UID, but found multiple";
  if (uid.empty()) peer.error = "UID cannot be an empty string";
  peer.uid = std::move(uid);
}

}  // namespace

std::shared_ptr<const http::PeerCertificate> DescribeCertificate(X509* x509) {
  auto peer = std::make_shared<http::PeerCertificate>();
  int uids = 0;
  for (auto& [oid, value] : base::openssl::AttributesOf(X509_get_subject_name(x509))) {
    if (oid == base::openssl::kCommonNameOid)
      peer->common_name = std::move(value);
    else if (oid == base::openssl::kOrganizationOid)
      peer->organizations.push_back(std::move(value));
    else if (oid == kUidOid)
      SetUid(std::move(value), uids++, *peer);
  }
  std::tm not_after{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(x509), &not_after) == 1) peer->not_after = ::timegm(&not_after);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int digest_size = 0;
  X509_digest(x509, EVP_sha256(), digest, &digest_size);
  peer->sha256 = Hex(digest, digest_size);
  unsigned char* der = nullptr;
  if (const int size = i2d_X509(x509, &der); size > 0) {
    peer->der.assign(reinterpret_cast<char*>(der), static_cast<size_t>(size));
    OPENSSL_free(der);
  }
  return peer;
}

}  // namespace keelson::net::tls
