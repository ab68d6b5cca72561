#include "app/encryption.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "storage/encryption/encrypted_backend.h"
#include "storage/encryption/kms/key_service.h"

namespace keelson::app {
namespace {

namespace encryption = storage::encryption;
namespace kms = encryption::kms;
using Made = base::Result<std::unique_ptr<const encryption::Encryption>, std::string>;
using Parsed = base::Result<encryption::EncryptionConfig, std::string>;

// A plugin may be started together with the server.
constexpr std::chrono::seconds kKeyServiceWait{60};

// For the life of the process: what is in caches refers to its numbers.
encryption::SealIds& ProcessSealIds() {
  static encryption::SealIds ids;
  return ids;
}

Parsed Parse(const std::filesystem::path& file, std::string_view text) {
  auto config = encryption::ParseEncryptionConfig(text);
  if (!config) return base::Err(file.string() + ": " + config.error());
  return config;
}

Parsed Load(const std::filesystem::path& file) {
  const auto text = TRY(base::ReadFile(file));
  return Parse(file, text);
}

// A key made anew would open nothing that is in the store.
Parsed LoadOrGenerate(const std::filesystem::path& file, storage::Backend& store, std::string_view prefix) {
  std::error_code error;
  if (std::filesystem::symlink_status(file, error).type() != std::filesystem::file_type::not_found)
    return Load(file);
  const auto encrypted = encryption::FindEncrypted(store, prefix);
  if (!encrypted) return base::Err(encrypted.error().detail);
  if (encrypted->has_value())
    return base::Err(
        file.string() + " is missing, and the store holds values that were encrypted with its key, " +
        **encrypted +
        " among them: bring it back from a backup, or name the configuration that they "
        "were written with by --encryption-provider-config; without their key they cannot be read");
  const auto text = TRY(encryption::GenerateEncryptionConfig());
  TRY(base::WriteFileAtomically(file, text, 0600));
  return Parse(file, text);
}

// The configuration in use; without rules: nothing is encrypted.
Parsed Choose(const Config& config, const DataDir& dir, storage::Backend& store) {
  if (!config.encryption_provider_config.empty()) return Load(config.encryption_provider_config);
  if (config.storage_backend == StorageBackend::kEmbedded)
    return LoadOrGenerate(dir.encryption(), store, config.etcd_prefix);
  return encryption::EncryptionConfig();
}

// Of what is configured the transformers, with key services that live as long as these.
struct Maker {
  const std::string prefix;
  const std::shared_ptr<kms::KeyServices> services;  // null: none will be named

  Made Make(const encryption::EncryptionConfig& config) const {
    if (config.rules.empty()) return encryption::Encryption::None();
    return encryption::Encryption::Make(
        config, prefix, ProcessSealIds(),
        [this](const encryption::KmsConfig& service) { return services->Get(service); });
  }

  // The services of `config` that have given no key; waits for each until `deadline`.
  std::string Unusable(const encryption::EncryptionConfig& config,
                       std::chrono::steady_clock::time_point deadline) const {
    for (const encryption::KmsConfig& service : config.KeyServices()) {
      const auto made = services->Get(service);
      const auto left = deadline - std::chrono::steady_clock::now();
      if (made->WaitUntilUsable(std::max(left, std::chrono::nanoseconds(0)))) continue;
      const auto health = made->Health();
      return "KMS provider " + service.name + " gave no key" + (health ? "" : ": " + health.error());
    }
    return "";
  }

  void Using(const encryption::EncryptionConfig& config) const {
    if (services) services->Use(config.KeyServices());
  }
};

// Follows the file. What is wrong with it is told once per change; what was good stays in use, also until the
// key services of a new configuration have given a key.
struct Reloader {
  encryption::EncryptedBackend& backend;
  const std::filesystem::path file;
  const Maker maker;
  std::string seen;
  encryption::EncryptionConfig coming;
  std::unique_ptr<const encryption::Encryption> made;  // of `coming`; null: nothing is to come

  void Run() {
    Look();
    if (!made || !maker.Unusable(coming, {}).empty()) return;
    backend.Use(std::move(made));
    maker.Using(coming);
    base::Log(base::LogLevel::kInfo, "the configuration of encryption has changed",
              {{"file", file.string()}});
  }

 private:
  void Look() {
    auto text = base::ReadFile(file);
    const std::string now = text ? *text : text.error();
    if (now == std::exchange(seen, now)) return;
    made.reset();
    Parsed config = text ? Parse(file, *text) : Parsed(base::Err(std::move(text.error())));
    Made next = config ? maker.Make(*config) : Made(base::Err(std::move(config.error())));
    if (!next) {
      base::Log(base::LogLevel::kError, "the configuration of encryption cannot be used",
                {{"why", next.error()}});
      return;
    }
    coming = std::move(*config);
    made = std::move(*next);
  }
};

base::Task<void> Reload(std::shared_ptr<Reloader> reloader) {
  reloader->Run();
  co_return;
}

}  // namespace

bool MayUseKeyServices(const Config& config) {
  if (config.encryption_provider_config.empty()) return false;
  if (config.encryption_provider_config_automatic_reload) return true;
  const auto parsed = Load(config.encryption_provider_config);
  return parsed && !parsed->KeyServices().empty();
}

base::Result<EncryptedStore, std::string> Encrypted(std::unique_ptr<storage::Backend> backend,
                                                    const Config& config, const DataDir& dir) {
  const auto failed = [](std::string why) { return base::Err("encryption at rest: " + std::move(why)); };
  const auto chosen = Choose(config, dir, *backend);
  if (!chosen) return failed(chosen.error());
  const Maker maker{
      .prefix = config.etcd_prefix,
      .services = MayUseKeyServices(config) ? kms::KeyServices::Create(ProcessSealIds()) : nullptr};
  auto rules = maker.Make(*chosen);
  if (!rules) return failed(rules.error());
  if (auto why = maker.Unusable(*chosen, std::chrono::steady_clock::now() + kKeyServiceWait); !why.empty())
    return failed(std::move(why));
  auto encrypted = std::make_unique<encryption::EncryptedBackend>(std::move(backend), std::move(*rules));
  EncryptedStore store;
  if (maker.services) store.key_services_health = [services = maker.services] { return services->Health(); };
  if (config.encryption_provider_config_automatic_reload) {
    const auto& file = config.encryption_provider_config;
    auto reloader = std::make_shared<Reloader>(Reloader{
        .backend = *encrypted, .file = file, .maker = maker, .seen = base::ReadFile(file).value_or("")});
    store.reload = [reloader = std::move(reloader)] { return Reload(reloader); };
  }
  store.backend = std::move(encrypted);
  return store;
}

}  // namespace keelson::app
