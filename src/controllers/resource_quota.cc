#include "controllers/resource_quota.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "api/meta/object_meta.h"
#include "api/validation/core/checks.h"
#include "base/log.h"

namespace keelson::controllers {
namespace {

using api::Quantity;
using api::core_v1::ResourceQuotaEditor;
using api::core_v1::ResourceQuotaView;

constexpr client::Resource kQuotas{"", "resourcequotas"};

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

std::string KeyOf(const client::Change& change) {
  return std::string(change.object.ns()).append("/").append(change.object.name());
}
std::pair<std::string, std::string> NamesIn(const std::string& key) {
  const size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace

ResourceQuotas::ResourceQuotas(const client::Client& client, base::Executor& loop, const base::Clock& clock)
    : client_(client),
      quotas_(client, kQuotas, loop),
      loop_(loop),
      clock_(clock),
      queue_(loop, [this](std::string ns) { return CountNamespace(std::move(ns), Look::kCount); }),
      second_looks_(loop, [this](std::string ns) { return CountNamespace(std::move(ns), Look::kSecond); }),
      changed_quotas_(loop, [this](std::string key) { return LookAtQuota(std::move(key)); }),
      changed_pods_(loop, [this](std::string key) { return LookAtPod(std::move(key)); }) {
  for (const client::SourcePtr& source : client.Sources()) OnSource(source, nullptr);
  client.ObserveSources([this](const auto& now, const auto& was) { OnSource(now, was); });
}

void ResourceQuotas::OnSource(const client::SourcePtr& now, const client::SourcePtr& was) {
  if (const auto old = counted_.find(was.get()); old != counted_.end()) {
    old->second->Stop();
    counted_.erase(old);
  }
  if (now && now->desc->namespaced) {
    auto& informer = counted_[now.get()];
    informer = std::make_unique<client::Informer>(now, loop_);
    if (watches_contents_) WatchContents(*informer);
  }
  // Quotas may limit what was not there before, or is not any more.
  if (!now || !was)
    for (const std::string& ns : limited_) CountLater(ns);
}

void ResourceQuotas::Start() {
  ++run_;
  for (KeyedQueue* const queue : {&queue_, &second_looks_, &changed_quotas_, &changed_pods_}) queue->Start();
  quotas_.Start([this](const client::Change& change) {
    if (change.gone) return;
    limited_.emplace(change.object.ns());
    if (change.added) {
      CountNew(std::string(change.object.ns()));
    } else {
      changed_quotas_.Add(KeyOf(change));
    }
    WatchContents();
  });
  ResyncLater();
}

void ResourceQuotas::Stop() {
  ++run_;
  quotas_.Stop();
  if (std::exchange(watches_contents_, false))
    for (const auto& [source, informer] : counted_) informer->Stop();
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
  for (const auto& [source, informer] : counted_) WatchContents(*informer);
}

void ResourceQuotas::WatchContents(client::Informer& informer) {
  const api::GroupResource resource{informer.resource().group, informer.resource().plural};
  const bool pods = resource.group.empty() && resource.resource == "pods";
  const bool varies = !quota::Evaluator(resource).counts_objects();
  informer.Start([this, pods, varies](const client::Change& change) {
    if (change.added || !limited_.contains(change.object.ns())) return;
    if (change.gone || (varies && !pods)) {
      CountLater(std::string(change.object.ns()));
    } else if (pods) {
      changed_pods_.Add(KeyOf(change));
    }
  });
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
  const auto quota = co_await client_.Get(kQuotas, ns, std::move(name), client::Fresh::kNewest);
  if (!quota) co_return false;
  if (!*quota) co_return true;
  const ResourceQuotaView view(**quota);
  if (!api::core::SameMap(view.spec().hard(), view.status().hard())) CountNew(std::move(ns));
  co_return true;
}

base::Task<bool> ResourceQuotas::LookAtPod(std::string key) {
  auto [ns, name] = NamesIn(key);
  const auto pod = co_await client_.Get({"", "pods"}, ns, std::move(name), client::Fresh::kNewest);
  if (!pod) co_return false;
  if (*pod && quota::HasEnded(api::core_v1::PodView(**pod), api::NowSeconds(clock_)))
    CountLater(std::move(ns));
  co_return true;
}

base::Task<bool> ResourceQuotas::CountNamespace(std::string ns, Look look) {
  const auto quotas = co_await client_.List(kQuotas, ns);
  if (!quotas) co_return false;
  if ((*quotas)->empty()) limited_.erase(ns);
  bool done = true;
  for (const api::Doc& quota : **quotas) {
    const auto counted = co_await CountQuota(ns, quota, look);
    if (counted || counted.error().code == 404) continue;
    base::Log(
        base::LogLevel::kWarning, "cannot count what a quota limits",
        {{"namespace", ns}, {"quota", api::MetadataOf(quota).name()}, {"why", counted.error().message}});
    done = false;
  }
  co_return done;
}

base::Task<client::Result<void>> ResourceQuotas::CountQuota(const std::string& ns, const api::Doc& quota,
                                                            Look look) {
  const ResourceQuotaView view(quota);
  quota::Usage used;
  std::map<std::string, quota::Usage> sums;
  for (const auto& [name, limit] : view.spec().hard()) {
    const api::GroupResource counted = quota::CountedBy(name);
    if (counted.resource.empty() || !Counts(counted)) continue;
    const std::string key = counted.ToString();
    if (!sums.contains(key)) {
      sums.emplace(key, CO_TRY(co_await Sum(ns, quota, counted)));
    }
    const quota::Usage& sum = sums.at(key);
    Quantity& amount = used[std::string(name)];
    if (const auto it = sum.find(name); it != sum.end()) amount = it->second;
  }
  CO_TRY(co_await client_.Update(kQuotas.Sub("status"), ns, std::string(view.metadata().name()),
                                 [&](api::Doc& doc) { return SetStatus(doc, used, look == Look::kSecond); }));
  co_return client::Result<void>();
}

bool ResourceQuotas::Counts(api::GroupResource resource) const {
  return std::ranges::any_of(counted_ | std::views::values, [&](const auto& informer) {
    return informer->resource().group == resource.group && informer->resource().plural == resource.resource;
  });
}

base::Task<client::Result<quota::Usage>> ResourceQuotas::Sum(const std::string& ns, const api::Doc& quota,
                                                             api::GroupResource resource) {
  const auto spec = ResourceQuotaView(quota).spec();
  const quota::Evaluator evaluator(resource);
  quota::Usage sum;
  if (evaluator.counts_objects()) {
    const api::Doc none;
    if (!evaluator.InScope(spec, none)) co_return sum;
    const auto count = CO_TRY(co_await client_.Count(resource, ns));
    for (const auto& [name, one] : evaluator.UsageOf(none, 0)) sum[name] = Quantity(count);
    co_return sum;
  }
  const auto all = CO_TRY(co_await client_.List(resource, ns));
  const int64_t now = api::NowSeconds(clock_);
  for (const api::Doc& object : *all)
    if (evaluator.InScope(spec, object))
      for (const auto& [name, amount] : evaluator.UsageOf(object, now)) sum[name].Add(amount);
  co_return sum;
}

}  // namespace keelson::controllers
