#include "controllers/service_accounts.h"

#include "api/generated/core_v1.h"
#include "base/log.h"
#include "controllers/active_namespace.h"

namespace keelson::controllers {
namespace {

constexpr client::Resource kAccounts{"", "serviceaccounts"};
constexpr std::string_view kDefaultAccount = "default";

api::Doc MakeAccount(std::string_view ns) {
  api::Doc doc(api::core_v1::ServiceAccountView::Type());
  api::core_v1::ServiceAccountEditor account(doc);
  account.set_kind_static("ServiceAccount");
  account.set_api_version_static("v1");
  account.mutable_metadata().set_name_static(kDefaultAccount);
  account.mutable_metadata().set_namespace(ns);
  return doc;
}

}  // namespace

ServiceAccounts::ServiceAccounts(const client::Client& client, base::Executor& loop)
    : client_(client),
      namespaces_(client, {"", "namespaces"}, loop),
      accounts_(client, kAccounts, loop),
      queue_(loop, [this](std::string ns) { return Ensure(std::move(ns)); }) {}

void ServiceAccounts::Start() {
  queue_.Start();
  namespaces_.Start([this](const client::Change& change) {
    if (!change.gone) queue_.Add(std::string(change.object.name()));
  });
  accounts_.Start([this](const client::Change& change) {
    if (change.gone && change.object.name() == kDefaultAccount) queue_.Add(std::string(change.object.ns()));
  });
}

void ServiceAccounts::Stop() {
  namespaces_.Stop();
  accounts_.Stop();
  queue_.Stop();
}

base::Task<bool> ServiceAccounts::Ensure(std::string ns) {
  const auto active = co_await IsActive(client_, ns);
  if (!active) co_return false;
  if (!*active) co_return true;
  const auto read = co_await client_.Get(kAccounts, ns, std::string(kDefaultAccount), client::Fresh::kNewest);
  if (!read) co_return false;
  if (*read) co_return true;
  api::Doc account = MakeAccount(ns);
  const auto created = co_await client_.Create(kAccounts, ns, std::move(account));
  if (created || IsBenign(created.error())) co_return true;
  base::Log(base::LogLevel::kWarning, "cannot create the default service account",
            {{"namespace", ns}, {"why", created.error().message}});
  co_return false;
}

}  // namespace keelson::controllers
