#include "admission/plugins/resource_quota.h"

#include <algorithm>

#include "admission/plugins/quota_check.h"
#include "admission/plugins/resources.h"
#include "api/meta/object_meta.h"
#include "client/object.h"

namespace keelson::admission {
namespace {

using api::core_v1::PersistentVolumeClaimView;
using api::core_v1::PodView;

constexpr client::Resource kQuotas{"", "resourcequotas"};
// How often quotas that others change at the same time are tried.
constexpr int kTries = 10;
// Of namespaces where nobody waits; what is forgotten of more costs a second try.
constexpr size_t kMaxIdleLanes = 4096;

// Whether the write can change what is used.
bool Handles(const Attributes& request, const quota::Evaluator& evaluator) {
  if (!request.object || request.ns.empty()) return false;
  if (request.operation == Operation::kCreate) return request.subresource.empty();
  if (request.operation != Operation::kUpdate || evaluator.counts_objects()) return false;
  if (Is(*request.resource, "", kPods))
    return request.subresource == "resize" || quota::IsTerminating(PodView(*request.object)) !=
                                                  quota::IsTerminating(PodView(*request.old_object));
  if (request.subresource == "status")
    return quota::StatusChangesUsage(PersistentVolumeClaimView(*request.object),
                                     PersistentVolumeClaimView(*request.old_object));
  return true;
}

void Decide(const auto& waiters, const api::Status& why) {
  for (auto* const waiter : waiters) {
    if (waiter->decided) continue;
    waiter->decided = true;
    waiter->verdict = base::Err(why);
  }
}

}  // namespace

Concern ResourceQuota::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  if (!resource.namespaced || quota::IsIgnored({resource.group, resource.plural})) return {};
  const bool part = (subresource == "resize" && Is(resource, "", kPods)) ||
                    (subresource == "status" && Is(resource, "", kClaims));
  return {.validates = subresource.empty() || part};
}

base::Task<Verdict> ResourceQuota::Validate(Attributes request) const {
  const quota::Evaluator evaluator(request.group_resource());
  if (!Handles(request, evaluator)) co_return Verdict();
  const std::string ns(request.ns);
  const auto quotas = CO_TRY(co_await objects_.Count(kQuotas, ns));
  if (quotas == 0 && limited_.empty()) co_return Verdict();

  Waiter self{request, evaluator};
  bool my_turn = false;
  {
    base::MutexLock lock(mu_);
    Lane& lane = lanes_[ns];
    lane.waiting.push_back(&self);
    my_turn = !std::exchange(lane.busy, true);
  }
  if (!my_turn) my_turn = co_await self.turn;
  if (my_turn) co_await ChargeAll(ns, self);
  co_return std::move(self.verdict);
}

base::Task<client::Result<std::vector<api::Doc>>> ResourceQuota::Read(std::string ns,
                                                                      std::string version) const {
  client::ListOptions options{.ns = std::move(ns), .resource_version = std::move(version)};
  if (!options.resource_version.empty()) options.match = client::VersionMatch::kNotOlderThan;
  const auto list = CO_TRY(co_await objects_.ListObjects(kQuotas, std::move(options)));
  std::vector<api::Doc> quotas;
  quotas.reserve(list.items.size());
  for (const client::Object* const object : list.items)
    quotas.push_back(CO_TRY(client::Decode(*object, api::core_v1::ResourceQuotaView::Type())));
  co_return quotas;
}

base::Task<void> ResourceQuota::ChargeAll(std::string ns, Waiter& self) const {
  Waiters waiters;
  std::string version;
  {
    base::MutexLock lock(mu_);
    Lane& lane = lanes_[ns];
    waiters.swap(lane.waiting);
    version = lane.version;
  }
  Unwritten left;
  for (int tries = 0; tries < kTries && (tries == 0 || !left.quotas.empty()); ++tries) {
    // After a conflict only what is newest helps.
    std::string wanted = tries == 0 ? version : std::string();
    auto quotas = co_await Read(ns, std::move(wanted));
    if (!quotas) {
      left.why = std::move(quotas.error());
      break;
    }
    // The others have been charged already.
    if (tries > 0)
      std::erase_if(*quotas, [&](const api::Doc& quota) {
        return std::ranges::find(left.quotas, api::MetadataOf(quota).name()) == left.quotas.end();
      });
    // The first try has seen whether all of them together cover what is limited.
    left =
        co_await TryCharge(waiters, *std::move(quotas), tries == 0 ? limited_ : LimitedResources(), version);
  }
  Decide(waiters, left.why);
  PassOn(ns, std::move(version));
  for (Waiter* const waiter : waiters)
    if (waiter != &self) waiter->turn.Set(false);
}

base::Task<ResourceQuota::Unwritten> ResourceQuota::TryCharge(const Waiters& waiters,
                                                              std::vector<api::Doc> quotas,
                                                              LimitedResources limited,
                                                              std::string& version) const {
  QuotaCheck check(std::move(quotas), api::NowSeconds(clock_), std::move(limited));
  for (Waiter* const waiter : waiters) {
    if (waiter->decided) continue;
    waiter->verdict = check.Check(waiter->request, waiter->evaluator);
    waiter->decided = !waiter->verdict || !check.charged();
  }
  Unwritten left;
  for (api::Doc& quota : check.Changed()) {
    const std::string name(api::MetadataOf(quota).name());
    auto written = co_await objects_.Replace(kQuotas.Sub("status"), std::move(quota));
    if (written) {
      version = std::move(written->resource_version);
    } else {
      left.quotas.push_back(name);
      left.why = std::move(written.error());
    }
  }
  if (left.quotas.empty())
    for (Waiter* const waiter : waiters) waiter->decided = true;
  co_return left;
}

void ResourceQuota::PassOn(const std::string& ns, std::string version) const {
  Waiter* next = nullptr;
  {
    base::MutexLock lock(mu_);
    Lane& lane = lanes_[ns];
    lane.version = std::move(version);
    lane.busy = !lane.waiting.empty();
    if (lane.busy) {
      next = lane.waiting.front();
    } else if (lanes_.size() > kMaxIdleLanes) {
      lanes_.erase(ns);
    }
  }
  if (next) next->turn.Set(true);
}

}  // namespace keelson::admission
