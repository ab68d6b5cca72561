#include "net/tls/verify_error.h"

#include <arpa/inet.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <chrono>
#include <ctime>
#include <string_view>

#include "base/openssl.h"

namespace keelson::net::tls {
namespace {

using NamesPtr = base::openssl::Owned<GENERAL_NAMES, GENERAL_NAMES_free>;

std::string TimeText(const std::tm& time) {
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &time)};
}

std::string Now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  return TimeText(parts);
}

std::string TimeText(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? TimeText(parts) : std::string();
}

std::string AddressText(const ASN1_OCTET_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(address) != 16) return {};
  return inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size()) ? text.data() : "";
}

// The names, or the addresses, that a certificate is for, separated by commas.
std::string ValidFor(const X509* certificate, bool addresses) {
  const NamesPtr names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::string all;
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    std::string text;
    if (addresses && name->type == GEN_IPADD) text = AddressText(name->d.iPAddress);
    if (!addresses && name->type == GEN_DNS)
      text.assign(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                  static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
    if (!text.empty()) all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

// The name or the address that the certificate must have.
std::string Wanted(x509_store_ctx_st* verdict, bool address) {
  X509_VERIFY_PARAM* const parameters = X509_STORE_CTX_get0_param(verdict);
  if (!address) {
    const char* const name = X509_VERIFY_PARAM_get0_host(parameters, 0);
    return name ? name : "";
  }
  char* const text = X509_VERIFY_PARAM_get1_ip_asc(parameters);
  std::string copy = text ? text : "";
  OPENSSL_free(text);
  return copy;
}

// Whether nothing but the common name of the subject says that the certificate is the server's.
bool HasOnlyCommonName(X509* certificate, const std::string& server_name) {
  return X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1) < 0 &&
         X509_check_host(certificate, server_name.data(), server_name.size(),
                         X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, nullptr) == 1;
}

std::string NameMismatch(x509_store_ctx_st* verdict, X509* certificate, bool address) {
  const std::string server_name = Wanted(verdict, address);
  if (HasOnlyCommonName(certificate, server_name))
    return "certificate relies on legacy Common Name field, use SANs instead";
  const std::string names = ValidFor(certificate, address);
  if (!names.empty()) return "certificate is valid for " + names + ", not " + server_name;
  if (address)
    return "cannot validate certificate for " + server_name + " because it doesn't contain any IP SANs";
  return "certificate is not valid for any names, but wanted to match " + server_name;
}

// A signature whose digest can be forged, in Go's words for who has signed.
std::string WeakSignature(const X509* certificate) {
  const int algorithm = X509_get_signature_nid(certificate);
  const std::string_view name = algorithm == NID_sha1WithRSAEncryption  ? "SHA1-RSA"
                                : algorithm == NID_ecdsa_with_SHA1      ? "ECDSA-SHA1"
                                : algorithm == NID_md5WithRSAEncryption ? "MD5-RSA"
                                                                        : OBJ_nid2sn(algorithm);
  std::array<char, 256> issuer{};
  X509_NAME_get_text_by_NID(X509_get_issuer_name(certificate), NID_commonName, issuer.data(),
                            static_cast<int>(issuer.size()));
  return std::string("certificate signed by unknown authority (possibly because of \"x509: cannot verify ")
      .append("signature: insecure algorithm ")
      .append(name)
      .append("\" while trying to verify candidate authority certificate \"")
      .append(issuer.data())
      .append("\")");
}

}  // namespace

std::string VerifyError(x509_store_ctx_st* verdict) {
  const int error = X509_STORE_CTX_get_error(verdict);
  X509* certificate = X509_STORE_CTX_get_current_cert(verdict);
  if (!certificate) certificate = X509_STORE_CTX_get0_cert(verdict);
  const std::string failed = "failed to verify certificate: x509: ";
  constexpr const char* kTime = "certificate has expired or is not yet valid: current time ";
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return failed + kTime + Now() + " is after " + TimeText(X509_get0_notAfter(certificate));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return failed + kTime + Now() + " is before " + TimeText(X509_get0_notBefore(certificate));
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: return failed + "certificate signed by unknown authority";
    case X509_V_ERR_CA_MD_TOO_WEAK: return failed + WeakSignature(certificate);
    case X509_V_ERR_HOSTNAME_MISMATCH: return failed + NameMismatch(verdict, certificate, false);
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return failed + NameMismatch(verdict, certificate, true);
    default: return failed + X509_verify_cert_error_string(error);
  }
}

}  // namespace keelson::net::tls
