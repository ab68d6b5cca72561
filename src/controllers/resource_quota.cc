#include "controllers/resource_quota.h"

#include "api/meta/object_meta.h"
#include "api/validation/core/checks.h"
#include "base/log.h"

namespace keelson::controllers {
namespace {

using api::Quantity;
using api::core_v1::ResourceQuotaEditor;
using api::core_v1::ResourceQuotaView;

// The status as it should be; false: it is so. `keep_charges`: what says more stays.
bool SetStatus(api::Doc& doc, const quota::Usage& used, bool keep_charges) {
  ResourceQuotaEditor quota(doc);
  auto status = quota.mutable_status();
  bool changed = !api::core::SameMap(status.hard(), quota.spec().hard());
  if (changed) {
    status.clear_hard();
    for (const auto& [name, amount] : quota.spec().hard()) status.put_hard(name, amount.string());
  }
  std::map<std::string, std::string> wanted;
  for (const auto& [name, limit] : quota.spec().hard()) {
    const auto it = used.find(name);
    if (it == used.end()) continue;
    const api::Value* const now = keep_charges ? status.used().Find(name) : nullptr;
    const Quantity charged = now ? Quantity::Parse(now->string()).value_or(Quantity()) : Quantity();
    wanted[std::string(name)] =
        now && it->second < charged ? std::string(now->string()) : it->second.ToString();
  }
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

std::string KeyOf(const client::Collection::Change& change) {
  return std::string(change.ns).append("/").append(change.name);
}
std::pair<std::string, std::string> NamesIn(const std::string& key) {
  const size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace

ResourceQuotas::ResourceQuotas(client::Collection& quotas, Collections counted, base::Executor& loop,
                               const base::Clock& clock)
    : quotas_(quotas),
      counted_(std::move(counted)),
      loop_(loop),
      clock_(clock),
      queue_(loop, [this](std::string ns) { return CountNamespace(std::move(ns), Look::kCount); }),
      second_looks_(loop, [this](std::string ns) { return CountNamespace(std::move(ns), Look::kSecond); }),
      changed_quotas_(loop, [this](std::string key) { return LookAtQuota(std::move(key)); }),
      changed_pods_(loop, [this](std::string key) { return LookAtPod(std::move(key)); }) {}

void ResourceQuotas::Start() {
  ++run_;
  for (KeyedQueue* const queue : {&queue_, &second_looks_, &changed_quotas_, &changed_pods_}) queue->Start();
  quotas_.Watch([this](const client::Collection::Change& change) {
    if (change.gone) return;
    limited_.emplace(change.ns);
    if (change.added) {
      CountNew(std::string(change.ns));
    } else {
      changed_quotas_.Add(KeyOf(change));
    }
    WatchContents();
  });
  ResyncLater();
}

void ResourceQuotas::Stop() {
  ++run_;
  quotas_.StopWatching();
  if (std::exchange(watches_contents_, false))
    for (const auto& [resource, collection] : counted_) collection->StopWatching();
  limited_.clear();
  gathering_.clear();
  for (KeyedQueue* const queue : {&queue_, &second_looks_, &changed_quotas_, &changed_pods_}) queue->Stop();
}

void ResourceQuotas::ResyncLater() {
  loop_.PostAfter(kResync, [this, run = run_] {
    if (run != run_) return;
    for (const std::string& ns : limited_) queue_.Add(ns);
    ResyncLater();
  });
}

// A cluster without quotas pays nothing for them.
void ResourceQuotas::WatchContents() {
  if (std::exchange(watches_contents_, true)) return;
  for (const auto& [resource, collection] : counted_) {
    const bool pods = resource == std::pair<std::string, std::string>("", "pods");
    const bool varies = !quota::Evaluator({resource.first, resource.second}).counts_objects();
    collection->Watch([this, pods, varies](const client::Collection::Change& change) {
      if (change.added || !limited_.contains(change.ns)) return;
      if (change.gone || (varies && !pods)) {
        CountLater(std::string(change.ns));
      } else if (pods) {
        changed_pods_.Add(KeyOf(change));
      }
    });
  }
}

void ResourceQuotas::CountLater(std::string ns) {
  if (!gathering_.insert(ns).second) return;
  loop_.PostAfter(kGather, [this, ns] {
    if (gathering_.erase(ns) > 0) queue_.Add(ns);
  });
}

void ResourceQuotas::CountNew(std::string ns) {
  queue_.Add(ns);
  loop_.PostAfter(kSecondLook, [this, ns = std::move(ns)] { second_looks_.Add(ns); });
}

// Most changes of a quota are charges, which must stand.
base::Task<bool> ResourceQuotas::LookAtQuota(std::string key) {
  auto [ns, name] = NamesIn(key);
  const auto quota = co_await quotas_.Get(ns, std::move(name));
  if (!quota) co_return false;
  if (!*quota) co_return true;
  const ResourceQuotaView view(**quota);
  if (!api::core::SameMap(view.spec().hard(), view.status().hard())) CountNew(std::move(ns));
  co_return true;
}

base::Task<bool> ResourceQuotas::LookAtPod(std::string key) {
  auto [ns, name] = NamesIn(key);
  const auto pod = co_await counted_.at({"", "pods"})->Get(ns, std::move(name));
  if (!pod) co_return false;
  if (*pod && quota::HasEnded(api::core_v1::PodView(**pod), api::NowSeconds(clock_)))
    CountLater(std::move(ns));
  co_return true;
}

base::Task<bool> ResourceQuotas::CountNamespace(std::string ns, Look look) {
  const auto quotas = co_await quotas_.List(ns);
  if (!quotas) co_return false;
  if (quotas->empty()) limited_.erase(ns);
  bool done = true;
  for (const api::Doc& quota : *quotas) {
    const auto counted = co_await CountQuota(ns, quota, look);
    if (counted || counted.error().code == 404) continue;
    base::Log(
        base::LogLevel::kWarning, "cannot count what a quota limits",
        {{"namespace", ns}, {"quota", api::MetadataOf(quota).name()}, {"why", counted.error().message}});
    done = false;
  }
  co_return done;
}

base::Task<client::Collection::Result<void>> ResourceQuotas::CountQuota(const std::string& ns,
                                                                        const api::Doc& quota, Look look) {
  const ResourceQuotaView view(quota);
  quota::Usage used;
  std::map<std::pair<std::string, std::string>, quota::Usage> sums;
  for (const auto& [name, limit] : view.spec().hard()) {
    const api::GroupResource counted = quota::CountedBy(name);
    const auto collection = counted_.find({std::string(counted.group), std::string(counted.resource)});
    if (counted.resource.empty() || collection == counted_.end()) continue;
    if (!sums.contains(collection->first)) {
      sums.emplace(collection->first, CO_TRY(co_await Sum(ns, quota, counted, *collection->second)));
    }
    const quota::Usage& sum = sums.at(collection->first);
    Quantity& amount = used[std::string(name)];
    if (const auto it = sum.find(name); it != sum.end()) amount = it->second;
  }
  co_return co_await quotas_.UpdateStatus(ns, std::string(view.metadata().name()), [&](api::Doc& doc) {
    return SetStatus(doc, used, look == Look::kSecond);
  });
}

base::Task<client::Collection::Result<quota::Usage>> ResourceQuotas::Sum(const std::string& ns,
                                                                         const api::Doc& quota,
                                                                         api::GroupResource resource,
                                                                         client::Collection& objects) {
  const auto spec = ResourceQuotaView(quota).spec();
  const quota::Evaluator evaluator(resource);
  quota::Usage sum;
  if (evaluator.counts_objects()) {
    const api::Doc none;
    if (!evaluator.InScope(spec, none)) co_return sum;
    const auto count = CO_TRY(co_await objects.Count(ns));
    for (const auto& [name, one] : evaluator.UsageOf(none, 0)) sum[name] = Quantity(count);
    co_return sum;
  }
  const auto all = CO_TRY(co_await objects.List(ns));
  const int64_t now = api::NowSeconds(clock_);
  for (const api::Doc& object : all)
    if (evaluator.InScope(spec, object))
      for (const auto& [name, amount] : evaluator.UsageOf(object, now)) sum[name].Add(amount);
  co_return sum;
}

}  // namespace keelson::controllers
