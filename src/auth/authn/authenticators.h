// The authenticators, one file each beside this one, and how they are joined.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "auth/authenticator.h"
#include "base/result.h"

namespace keelson::auth {

// Client certificates that the TLS layer verified: CN is the name, O the groups.
std::unique_ptr<Authenticator> ClientCertificates();

// Bearer tokens from a --token-auth-file: CSV of token,user,uid[,"group1,group2"].
// Any other bearer token is an error.
base::Result<std::unique_ptr<Authenticator>, std::string> StaticTokens(const std::filesystem::path& file);
// The same over the text itself; `source` names it in errors.
base::Result<std::unique_ptr<Authenticator>, std::string> ParseStaticTokens(std::string_view csv,
                                                                            std::string_view source);

// system:anonymous, always.
std::unique_ptr<Authenticator> Anonymous();

// The first that knows the user wins, even after another's error; an error only when none
// knows the user and some credential was wrong. So `last_resort` (may be null) answers
// only requests that carry no credentials at all.
std::unique_ptr<Authenticator> Union(std::vector<std::unique_ptr<Authenticator>> authenticators,
                                     std::unique_ptr<Authenticator> last_resort);

// Puts `user` in system:authenticated, unless it is anonymous or says itself what it is.
void AddAuthenticatedGroup(User& user);

}  // namespace keelson::auth
