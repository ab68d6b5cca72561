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

// Loads `dir`, making what is not there: all at once on the first start, later what was removed as a whole.
// A pair of which one half is there is an error that says what to do, and so are a leaf of another authority
// and leaves without one; nothing is written then. A leaf certificate that is about to expire or does not
// cover `names` is issued again for the same key. Nothing else that exists is ever replaced. Keys are
// readable by their owner alone.
// Requires: one process at a time.
Result<Pki> LoadOrCreate(const std::filesystem::path& dir, const AlternativeNames& names,
                         const base::Clock& clock = base::Clock::Real());

// The certificate authority of `dir`; makes nothing. An error that says what to do when it is not there.
Result<KeyPair> LoadAuthority(const std::filesystem::path& dir);

}  // namespace keelson::auth::pki
