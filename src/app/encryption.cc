#include "app/encryption.h"

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "storage/store/encryption/encrypted_backend.h"

namespace keelson::app {
namespace {

namespace encryption = storage::encryption;
using Made = base::Result<std::unique_ptr<const encryption::Encryption>, std::string>;

// For the life of the process: what is in caches refers to its numbers.
encryption::FormTable& Forms() {
  static encryption::FormTable forms;
  return forms;
}

Made Load(const std::filesystem::path& file, const std::string& prefix) {
  const auto text = base::ReadFile(file);
  if (!text) return base::Err(text.error());
  const auto config = encryption::ParseEncryptionConfig(*text);
  if (!config) return base::Err(file.string() + ": " + config.error());
  auto made = encryption::Encryption::Make(*config, prefix, Forms());
  if (!made) return base::Err(file.string() + ": " + made.error());
  return made;
}

Made LoadOrGenerate(const std::filesystem::path& file, const std::string& prefix) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    const auto text = encryption::GenerateEncryptionConfig();
    if (!text) return base::Err(text.error());
    if (auto written = base::WriteFileAtomically(file, *text, 0600); !written)
      return base::Err(std::move(written.error()));
  }
  return Load(file, prefix);
}

Made Choose(const Config& config, const DataDir& dir) {
  if (!config.encryption_provider_config.empty())
    return Load(config.encryption_provider_config, config.etcd_prefix);
  if (config.storage_backend == StorageBackend::kEmbedded)
    return LoadOrGenerate(dir.encryption(), config.etcd_prefix);
  return encryption::Encryption::None();
}

}  // namespace

base::Result<std::unique_ptr<storage::Backend>, std::string> Encrypted(
    std::unique_ptr<storage::Backend> backend, const Config& config, const DataDir& dir) {
  auto rules = Choose(config, dir);
  if (!rules) return base::Err("encryption at rest: " + rules.error());
  return std::make_unique<encryption::EncryptedBackend>(std::move(backend), std::move(*rules));
}

}  // namespace keelson::app
