// EncryptionConfiguration of apiserver.config.k8s.io/v1, as --encryption-provider-config names it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::storage::encryption {

struct KeyConfig {
  std::string name;
  std::string secret;  // decoded
};

// A key service on this machine.
struct KmsConfig {
  std::string name;
  std::string socket;                   // its path, or "@" and the name of an abstract one
  std::chrono::nanoseconds timeout{0};  // of a call

  bool operator==(const KmsConfig&) const = default;
};

struct ProviderConfig {
  enum class Kind : uint8_t { kIdentity, kAesGcm, kAesCbc, kSecretbox, kKms } kind = Kind::kIdentity;
  std::vector<KeyConfig> keys;
  KmsConfig kms;  // kKms
};

// The first rule that names a resource decides; the lists of a resource that several name are joined.
struct ResourceRule {
  std::vector<std::string> resources;  // "secrets", "ingresses.networking.k8s.io", "*.apps", "*.", "*.*"
  std::vector<ProviderConfig> providers;
};

struct EncryptionConfig {
  std::vector<ResourceRule> rules;

  // All key services, each once.
  std::vector<KmsConfig> KeyServices() const;
};

// Parses YAML or JSON, strictly, and checks it by upstream's rules. Errors hold no secret.
base::Result<EncryptionConfig, std::string> ParseEncryptionConfig(std::string_view text);

// A configuration that encrypts secrets with a key made now and still reads plain ones.
base::Result<std::string, std::string> GenerateEncryptionConfig();

}  // namespace keelson::storage::encryption
