// What others need to check service account tokens themselves: who issues them, and the
// public keys. As OpenID Connect discovery has it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "auth/pki/token_key.h"
#include "server/router.h"

namespace keelson::server {

struct OpenIdProvider {
  std::string issuer;
  std::vector<auth::pki::TokenKey> keys;
  std::string keys_uri;                     // where the keys are to be had; empty: at the server itself
  std::function<std::string()> server_url;  // where that is; asked at each request
};

void InstallOpenId(Router& router, OpenIdProvider provider);

}  // namespace keelson::server
