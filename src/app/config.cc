#include "app/config.h"

namespace keelson::app {

bool RunsController(const Config& config, std::string_view name) {
  bool all = false;
  for (const std::string& choice : config.controllers) {
    if (choice == name) return true;
    if (choice.starts_with('-') && choice.substr(1) == name) return false;
    all = all || choice == "*";
  }
  return all;
}

bool NeedsDataDir(const Config& config) {
  return config.storage_backend == StorageBackend::kEmbedded || config.tls_cert_file.empty() ||
         config.client_ca_file.empty() || config.service_account_signing_key_file.empty();
}

}  // namespace keelson::app
