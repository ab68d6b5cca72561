#include "auth/authn/token_secrets.h"

#include "api/generated/core_v1.h"
#include "base/log.h"

namespace keelson::auth {
namespace {

using api::core_v1::SecretEditor;
using api::core_v1::SecretView;

constexpr client::Resource kSecrets("", "secrets"), kServiceAccounts("", "serviceaccounts");

std::map<std::string, std::string, std::less<>> TextsOf(api::MapView map) {
  std::map<std::string, std::string, std::less<>> texts;
  for (const auto& [key, value] : map) texts.emplace(key, value.string());
  return texts;
}

class StoredTokenSecrets final : public TokenSecrets {
 public:
  explicit StoredTokenSecrets(const client::Client& client) : client_(client) {}

  base::Task<base::Result<std::optional<TokenSecret>, std::string>> Find(std::string ns,
                                                                         std::string name) override {
    const auto doc = co_await client_.Get(kSecrets, std::move(ns), std::move(name), client::Fresh::kNewest);
    if (!doc) co_return base::Err(doc.error().message);
    if (!*doc) co_return std::nullopt;
    const SecretView secret(**doc);
    co_return TokenSecret{.uid = std::string(secret.metadata().uid()),
                          .type = std::string(secret.type()),
                          .being_deleted = secret.metadata().has_deletion_timestamp(),
                          .data = TextsOf(secret.data()),
                          .labels = TextsOf(secret.metadata().labels())};
  }

  base::Task<bool> IsListed(std::string ns, std::string account, std::string secret) override {
    const auto doc =
        co_await client_.Get(kServiceAccounts, std::move(ns), std::move(account), client::Fresh::kNewest);
    if (!doc || !*doc) co_return false;
    for (const auto reference : api::core_v1::ServiceAccountView(**doc).secrets())
      if (reference.name() == secret) co_return true;
    co_return false;
  }

  base::Task<void> SetLabel(std::string ns, std::string name, std::string uid, std::string_view key,
                            std::string value) override {
    const auto label = [key = std::string(key), value = std::move(value)](api::Doc& doc) {
      SecretEditor(doc).mutable_metadata().put_labels(key, value);
      return true;
    };
    const auto written = co_await client_.Update(kSecrets, std::move(ns), name, label, std::move(uid));
    if (!written)
      base::Log(base::LogLevel::kError, "cannot label the secret of a service account token",
                {{"secret", name}, {"why", written.error().message}});
  }

 private:
  const client::Client& client_;
};

}  // namespace

std::unique_ptr<TokenSecrets> TokenSecretsOf(const client::Client& client) {
  return std::make_unique<StoredTokenSecrets>(client);
}

}  // namespace keelson::auth
