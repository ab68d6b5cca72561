// The keys and certificates of a server that was given none: made on the first start,
// found again on the next.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "auth/pki/certificate.h"
#include "base/clock.h"

namespace keelson::auth::pki {

// The files of a pki directory, loaded.
//   ca.crt ca.key                 certificate authority of everything below
//   apiserver.crt apiserver.key   serving certificate
//   admin.crt admin.key           client certificate: kubernetes-admin in system:masters
//   sa.pub sa.key                 signs service account tokens
struct Pki {
  KeyPair ca, server, admin;
  std::string service_account_key_pem;
};

// The serving names every server has: localhost, the host and the names that pods use.
AlternativeNames ServingNames(std::string_view host_name, const std::vector<std::string>& addresses);

// Loads `dir`, making what is not there. A leaf certificate that is about to expire, does
// not cover `names` or is from another authority is made anew; an authority is never
// replaced while its certificate is there. Keys are readable by their owner alone.
// Requires: one process at a time.
Result<Pki> LoadOrCreate(const std::filesystem::path& dir, const AlternativeNames& names,
                         const base::Clock& clock = base::Clock::Real());

}  // namespace keelson::auth::pki
