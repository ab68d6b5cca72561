// Certificates that name users to a server: made by its own authority, for a person or a program.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "auth/pki/certificate.h"
#include "base/clock.h"

namespace keelson::auth::pki {

// Its members may do everything, whatever the authorization modes say.
inline constexpr std::string_view kMastersGroup = "system:masters";

struct ClientIdentity {
  std::string user;
  std::vector<std::string> groups;  // one that is named twice counts once
  std::chrono::seconds lifetime{0};
};

struct ClientCertificate {
  KeyPair pair;
  std::chrono::system_clock::time_point expires;
};

// A certificate for a new key, signed by `authority`. Errors tell people what is wrong with the identity: a
// name that a certificate cannot hold, the name of a service account (whose tokens end with it; a certificate
// would not), a lifetime that is none or ends after the authority's own.
Result<ClientCertificate> IssueClientCertificate(const KeyPair& authority, const ClientIdentity& identity,
                                                 const base::Clock& clock = base::Clock::Real());

}  // namespace keelson::auth::pki
