#include "app/encryption.h"

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/log.h"
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

Made Parse(const std::filesystem::path& file, std::string_view text, const std::string& prefix) {
  const auto config = encryption::ParseEncryptionConfig(text);
  if (!config) return base::Err(file.string() + ": " + config.error());
  auto made = encryption::Encryption::Make(*config, prefix, Forms());
  if (!made) return base::Err(file.string() + ": " + made.error());
  return made;
}

Made Load(const std::filesystem::path& file, const std::string& prefix) {
  const auto text = base::ReadFile(file);
  if (!text) return base::Err(text.error());
  return Parse(file, *text, prefix);
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

// Follows the file. What is wrong with it is told once per change; what was good stays in use.
struct Reloader {
  encryption::EncryptedBackend& backend;
  const std::filesystem::path file;
  const std::string prefix;
  std::string seen;

  void Run() {
    auto text = base::ReadFile(file);
    const std::string now = text ? *text : text.error();
    if (now == std::exchange(seen, now)) return;
    Made made = text ? Parse(file, *text, prefix) : Made(base::Err(std::move(text.error())));
    if (!made) {
      base::Log(base::LogLevel::kError, "the configuration of encryption cannot be used",
                {{"why", made.error()}});
      return;
    }
    backend.Use(std::move(*made));
    base::Log(base::LogLevel::kInfo, "the configuration of encryption has changed",
              {{"file", file.string()}});
  }
};

base::Task<void> Reload(std::shared_ptr<Reloader> reloader) {
  reloader->Run();
  co_return;
}

}  // namespace

base::Result<EncryptedStore, std::string> Encrypted(std::unique_ptr<storage::Backend> backend,
                                                    const Config& config, const DataDir& dir) {
  auto rules = Choose(config, dir);
  if (!rules) return base::Err("encryption at rest: " + rules.error());
  auto encrypted = std::make_unique<encryption::EncryptedBackend>(std::move(backend), std::move(*rules));
  EncryptedStore store;
  if (config.encryption_provider_config_automatic_reload) {
    const auto& file = config.encryption_provider_config;
    auto reloader = std::make_shared<Reloader>(
        Reloader{*encrypted, file, config.etcd_prefix, base::ReadFile(file).value_or("")});
    store.reload = [reloader = std::move(reloader)] { return Reload(reloader); };
  }
  store.backend = std::move(encrypted);
  return store;
}

}  // namespace keelson::app
