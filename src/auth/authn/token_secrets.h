// TokenSecrets: the secrets that hold tokens.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::auth {

struct TokenSecret {
  std::string uid, type;
  bool being_deleted = false;
  std::map<std::string, std::string, std::less<>> data, labels;

  // Empty when there is no such entry.
  std::string_view Data(std::string_view key) const { return ValueOf(data, key); }
  std::string_view Label(std::string_view key) const { return ValueOf(labels, key); }

 private:
  static std::string_view ValueOf(const std::map<std::string, std::string, std::less<>>& entries,
                                  std::string_view key) {
    const auto found = entries.find(key);
    return found == entries.end() ? std::string_view() : found->second;
  }
};

// Threads: any event loop.
class TokenSecrets {
 public:
  virtual ~TokenSecrets() = default;
  // nullopt: there is none of that name. An error when that cannot be told now.
  virtual base::Task<base::Result<std::optional<TokenSecret>, std::string>> Find(std::string ns,
                                                                                 std::string name) = 0;
  // Whether the service account has the secret in its list, as controllers once did with tokens they made.
  virtual base::Task<bool> IsListed(std::string ns, std::string account, std::string secret) = 0;
  // Sets a label of the secret with that uid. A failure is logged.
  virtual base::Task<void> SetLabel(std::string ns, std::string name, std::string uid, std::string_view key,
                                    std::string value) = 0;
};

// Those that `client`, which is borrowed, reads and writes.
std::unique_ptr<TokenSecrets> TokenSecretsOf(const client::Client& client);

}  // namespace keelson::auth
