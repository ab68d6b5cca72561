#include "controllers/resource_quota.h"

#include "api/meta/object_meta.h"
#include "api/validation/core/checks.h"
#include "base/log.h"

namespace keelson::controllers {
namespace {

using api::Quantity;
using api::core_v1::ResourceQuotaEditor;
using api::core_v1::ResourceQuotaView;

// The status as it should be; false: it is so.
bool SetStatus(api::Doc& doc, const Usage& used) {
  ResourceQuotaEditor quota(doc);
  auto status = quota.mutable_status();
  bool changed = !api::core::SameMap(status.hard(), quota.spec().hard());
  if (changed) {
    status.clear_hard();
    for (const auto& [name, amount] : quota.spec().hard()) status.put_hard(name, amount.string());
  }
  std::map<std::string, std::string> wanted;
  for (const auto& [name, amount] : quota.spec().hard())
    if (const auto it = used.find(name); it != used.end()) wanted[std::string(name)] = it->second.ToString();
  bool same = wanted.size() == status.used().size();
  for (const auto& [name, amount] : wanted) {
    const api::Value* const now = status.used().Find(name);
    same = same && now && now->string() == amount;
  }
  if (same) return changed;
  status.clear_used();
  for (const auto& [name, amount] : wanted) status.put_used(name, amount);
  return true;
}

}  // namespace

ResourceQuotas::ResourceQuotas(client::Collection& quotas, Collections counted, base::Executor& loop,
                               const base::Clock& clock)
    : quotas_(quotas),
      counted_(std::move(counted)),
      loop_(loop),
      clock_(clock),
      queue_(loop, [this](std::string ns) { return CountNamespace(std::move(ns)); }) {}

void ResourceQuotas::Start() {
  queue_.Start();
  quotas_.Watch([this](const client::Collection::Change& change) {
    if (change.gone) return;
    limited_.emplace(change.ns);
    queue_.Add(std::string(change.ns));
    WatchContents();
  });
}

void ResourceQuotas::Stop() {
  quotas_.StopWatching();
  if (std::exchange(watches_contents_, false))
    for (const auto& [resource, collection] : counted_) collection->StopWatching();
  limited_.clear();
  gathering_.clear();
  queue_.Stop();
}

// A cluster without quotas pays nothing for them.
void ResourceQuotas::WatchContents() {
  if (std::exchange(watches_contents_, true)) return;
  for (const auto& [resource, collection] : counted_)
    collection->Watch([this](const client::Collection::Change& change) {
      if (limited_.contains(change.ns)) CountLater(std::string(change.ns));
    });
}

void ResourceQuotas::CountLater(std::string ns) {
  if (!gathering_.insert(ns).second) return;
  loop_.PostAfter(kGather, [this, ns] {
    if (gathering_.erase(ns) > 0) queue_.Add(ns);
  });
}

base::Task<bool> ResourceQuotas::CountNamespace(std::string ns) {
  auto listing = quotas_.List(ns);
  const auto quotas = co_await std::move(listing);
  if (!quotas) co_return false;
  if (quotas->empty()) limited_.erase(ns);
  bool done = true;
  for (const api::Doc& quota : *quotas) {
    auto counting = CountQuota(ns, quota);
    const auto counted = co_await std::move(counting);
    if (counted || counted.error().code == 404) continue;
    base::Log(
        base::LogLevel::kWarning, "cannot count what a quota limits",
        {{"namespace", ns}, {"quota", api::MetadataOf(quota).name()}, {"why", counted.error().message}});
    done = false;
  }
  co_return done;
}

base::Task<client::Collection::Result<void>> ResourceQuotas::CountQuota(const std::string& ns,
                                                                        const api::Doc& quota) {
  const ResourceQuotaView view(quota);
  Usage used;
  std::map<std::string, Usage> sums;  // of the resources that must be looked into
  for (const auto& [name, limit] : view.spec().hard()) {
    const Counted counted = CountedBy(name);
    const auto collection = counted_.find({std::string(counted.group), std::string(counted.resource)});
    if (counted.resource.empty() || collection == counted_.end()) continue;
    Quantity& amount = used[std::string(name)];
    if (CountsObjects(name)) {
      if (HasScopes(view.spec())) continue;
      auto counting = collection->second->Count(ns);
      const auto count = co_await std::move(counting);
      if (!count) co_return base::Err(count.error());
      amount = Quantity(*count);
      continue;
    }
    const std::string resource(counted.resource);
    if (!sums.contains(resource)) {
      auto summing = Sum(ns, quota, resource);
      auto sum = co_await std::move(summing);
      if (!sum) co_return base::Err(std::move(sum.error()));
      sums.emplace(resource, *std::move(sum));
    }
    const Usage& sum = sums.at(resource);
    if (const auto it = sum.find(name); it != sum.end()) amount = it->second;
  }
  auto update = quotas_.UpdateStatus(ns, std::string(view.metadata().name()),
                                     [&used](api::Doc& doc) { return SetStatus(doc, used); });
  co_return co_await std::move(update);
}

base::Task<client::Collection::Result<Usage>> ResourceQuotas::Sum(const std::string& ns,
                                                                  const api::Doc& quota,
                                                                  std::string resource) {
  const auto spec = ResourceQuotaView(quota).spec();
  Usage sum;
  if (resource != "pods" && HasScopes(spec)) co_return sum;
  auto listing = counted_.at({"", resource})->List(ns);
  const auto objects = co_await std::move(listing);
  if (!objects) co_return base::Err(objects.error());
  for (const api::Doc& doc : *objects) {
    Usage one;
    if (resource == "pods") {
      const api::core_v1::PodView pod(doc);
      if (!ScopesMatch(spec, pod)) continue;
      one = UsageOfPod(pod, api::NowSeconds(clock_));
    } else if (resource == "services") {
      one = UsageOfService(api::core_v1::ServiceView(doc));
    } else {
      one = UsageOfClaim(api::core_v1::PersistentVolumeClaimView(doc));
    }
    for (const auto& [name, amount] : one) sum[name].Add(amount);
  }
  co_return sum;
}

}  // namespace keelson::controllers
