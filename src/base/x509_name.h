// The parts of an X.509 name, such as the subject of a certificate. Only for .cc files that talk to OpenSSL.
#pragma once

#include <openssl/x509.h>

#include <string>
#include <string_view>
#include <vector>

namespace keelson::base::openssl {

inline constexpr std::string_view kCommonNameOid = "2.5.4.3", kOrganizationOid = "2.5.4.10";

struct NameAttribute {
  std::string oid;    // "2.5.4.3"
  std::string value;  // UTF-8; empty where the bytes are no text
};

// In the order of the name; several may have one OID.
std::vector<NameAttribute> AttributesOf(const X509_NAME* name);

}  // namespace keelson::base::openssl
