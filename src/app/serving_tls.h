// ServingTls: what the server proves itself with to its clients, and whose certificates it believes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/config.h"
#include "auth/pki/bootstrap.h"
#include "base/result.h"
#include "net/server.h"

namespace keelson::app {

struct ServingTls {
  net::TlsConfig config;
  std::string root_ca_pem;  // what clients check the serving certificate with
};

// Reads the files that `config` names; `own` has what it does not. The pair of --cert-dir is made when it is
// not there.
base::Result<ServingTls, std::string> LoadServingTls(const Config& config, const auth::pki::Pki& own);

// The files that it is read from.
std::vector<std::filesystem::path> ServingTlsFiles(const Config& config);

}  // namespace keelson::app
