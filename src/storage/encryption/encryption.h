// Encryption: which transformer the value of a key goes through.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "storage/encryption/encryption_config.h"
#include "storage/encryption/transformer.h"

namespace keelson::storage::encryption {

// Threads: immutable; any.
class Encryption {
 public:
  // The cipher of a key service.
  using KeyServices = std::function<std::shared_ptr<const Cipher>(const KmsConfig&)>;

  // `prefix`: of all keys, "/registry". An error: one rule hides another, or a key service is named and
  // `services` is empty.
  static base::Result<std::unique_ptr<const Encryption>, std::string> Make(const EncryptionConfig& config,
                                                                           std::string prefix,
                                                                           SealIds& seal_ids,
                                                                           const KeyServices& services = {});
  // Nothing is encrypted, and nothing encrypted is read.
  static std::unique_ptr<const Encryption> None();

  const Transformer& For(std::string_view key) const;
  // Whether the values of all keys below `prefix` are known to be kept as they are.
  bool PlainBelow(std::string_view prefix) const;

 private:
  using GroupResource = std::pair<std::string, std::string>;

  explicit Encryption(std::string prefix) : prefix_(std::move(prefix)) {}
  const Transformer& ForResource(std::string_view group, std::string_view resource) const;
  // Null: the key is not one of a built-in resource.
  const Transformer* ForBuiltin(std::string_view key) const;
  void AddBuiltin();

  const std::string prefix_;
  std::map<GroupResource, Transformer> rules_;
  // By the beginning of their keys below prefix_, in order: all built-in resources.
  std::vector<std::pair<std::string, const Transformer*>> builtin_;
};

}  // namespace keelson::storage::encryption
