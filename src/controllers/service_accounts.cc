#include "controllers/service_accounts.h"

#include "api/generated/core_v1.h"
#include "base/log.h"
#include "controllers/active_namespace.h"

namespace keelson::controllers {
namespace {

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

ServiceAccounts::ServiceAccounts(client::Collection& namespaces, client::Collection& accounts,
                                 base::Executor& loop)
    : namespaces_(namespaces),
      accounts_(accounts),
      queue_(loop, [this](std::string ns) { return Ensure(std::move(ns)); }) {}

void ServiceAccounts::Start() {
  queue_.Start();
  namespaces_.Watch([this](const client::Collection::Change& change) {
    if (!change.gone) queue_.Add(std::string(change.name));
  });
  accounts_.Watch([this](const client::Collection::Change& change) {
    if (change.gone && change.name == kDefaultAccount) queue_.Add(std::string(change.ns));
  });
}

void ServiceAccounts::Stop() {
  namespaces_.StopWatching();
  accounts_.StopWatching();
  queue_.Stop();
}

base::Task<bool> ServiceAccounts::Ensure(std::string ns) {
  const auto active = co_await IsActive(namespaces_, ns);
  if (!active) co_return false;
  if (!*active) co_return true;
  const auto read = co_await accounts_.Get(ns, std::string(kDefaultAccount));
  if (!read) co_return false;
  if (*read) co_return true;
  api::Doc account = MakeAccount(ns);
  const auto created = co_await accounts_.Create(ns, std::move(account));
  if (created || IsBenign(created.error())) co_return true;
  base::Log(base::LogLevel::kWarning, "cannot create the default service account",
            {{"namespace", ns}, {"why", created.error().message}});
  co_return false;
}

}  // namespace keelson::controllers
