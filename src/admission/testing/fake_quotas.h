// FakeQuotas: client::Quotas in memory, with a way to get between a read and a write.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"
#include "api/meta/status.h"
#include "base/mutex.h"
#include "client/quotas.h"

namespace keelson::admission {

// Quotas in memory, whatever their namespace.
class FakeQuotas final : public client::Quotas {
 public:
  void Put(std::string_view json) {
    api::Doc doc = api::testing::DocFromJson(json, *Resource("", "resourcequotas").type);
    std::string name(api::MetadataOf(doc).name());
    base::MutexLock lock(mu_);
    Store(name, std::move(doc));
  }

  base::Task<Result<bool>> Any(std::string) const override {
    base::MutexLock lock(mu_);
    co_return !quotas_.empty();
  }
  base::Task<Result<std::vector<api::Doc>>> List(std::string, std::string) const override {
    base::MutexLock lock(mu_);
    std::vector<api::Doc> all;
    for (const auto& [name, quota] : quotas_) all.push_back(quota.Clone());
    co_return all;
  }
  base::Task<Result<std::string>> UpdateStatus(api::Doc quota) const override {
    const std::string name(api::MetadataOf(quota).name());
    if (before_write) before_write();
    base::MutexLock lock(mu_);
    const auto it = quotas_.find(name);
    if (it == quotas_.end()) co_return base::Err(api::NotFound({"", "resourcequotas"}, name));
    if (api::MetadataOf(it->second).resource_version() != api::MetadataOf(quota).resource_version())
      co_return base::Err(api::Conflict({"", "resourcequotas"}, name, "changed"));
    ++writes;
    Store(name, std::move(quota));
    co_return std::to_string(revision_);
  }

  std::string Used(const std::string& quota, std::string_view name) const {
    base::MutexLock lock(mu_);
    const api::Value* const amount =
        api::core_v1::ResourceQuotaView(quotas_.at(quota)).status().used().Find(name);
    return amount ? std::string(amount->string()) : "";
  }
  // Another server charges something at the same time.
  void ChargeElsewhere(const std::string& quota, std::string_view name, std::string_view amount) {
    base::MutexLock lock(mu_);
    api::Doc doc = quotas_.at(quota).Clone();
    api::core_v1::ResourceQuotaEditor(doc).mutable_status().put_used(name, amount);
    Store(quota, std::move(doc));
  }

  std::function<void()> before_write;
  mutable std::atomic<int> writes = 0;

 private:
  void Store(const std::string& name, api::Doc doc) const REQUIRES_LOCK(mu_) {
    api::MutableMetadataOf(doc).set_resource_version(std::to_string(++revision_));
    quotas_.insert_or_assign(name, std::move(doc));
  }

  mutable base::Mutex mu_;
  mutable std::map<std::string, api::Doc> quotas_ GUARDED_BY(mu_);
  mutable int64_t revision_ GUARDED_BY(mu_) = 0;
};

}  // namespace keelson::admission
