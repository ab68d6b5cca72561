#include "storage/cacher/cacher.h"

#include <utility>

#include "base/request_notes.h"
#include "base/trace.h"
#include "storage/cacher/cache_watch_stream.h"
#include "storage/cacher/consistency_check.h"
#include "storage/failed_watch.h"
#include "storage/messages.h"
#include "storage/resource_version.h"

namespace keelson::storage {

using base::Err;

Cacher::Cacher(const api::ResourceDesc& resource, Backend& backend, const CacherOptions& options)
    : backend_(backend),
      options_(options),
      metrics_(options_.metrics ? std::make_unique<ResourceMetrics>(resource, *options_.metrics) : nullptr),
      factory_(std::make_shared<const ObjectFactory>(
          resource, options_.registry_prefix + std::string(resource.storage_prefix))),
      feed_(resource, factory_, backend, worker_,
            {.log = options_.log,
             .load_page = options_.load_page,
             .pause = options_.reload_pause,
             .clock = options_.clock,
             .metrics = metrics_.get(),
             .store_may_be_away = options_.store_may_be_away}),
      past_(feed_.cache(), backend, worker_),
      store_(factory_, backend,
             {.max_object_bytes = options_.max_object_bytes,
              .quota_bytes = options_.quota_bytes,
              .lease_reuse = options_.lease_reuse,
              .clock = options_.clock,
              .metrics = metrics_.get()},
             &feed_) {}

Result<std::unique_ptr<Cacher>> Cacher::Start(const api::ResourceDesc& resource, Backend& backend,
                                              CacherOptions options) {
  std::unique_ptr<Cacher> cacher(new Cacher(resource, backend, options));
  TRY(cacher->feed_.Start());
  return cacher;
}

// Before anything that its jobs use.
Cacher::~Cacher() { worker_.Stop(); }

int64_t Cacher::Count() const { return static_cast<int64_t>(cache().Read().state->objects.size()); }

Cacher::Stats Cacher::ReadStats() const {
  const CacheReading now = cache().Read();
  const EventLogView& log = now.state->log;
  WatchCache::WatcherCounts& counts = cache().watcher_counts();
  const bool empty = log.begin() == log.end();
  return {.objects = static_cast<int64_t>(now.state->objects.size()),
          .object_bytes = cache().object_bytes(),
          .window_bytes = log.bytes(),
          .window_age = empty ? std::chrono::nanoseconds(0) : options_.clock->SteadyNow() - log.oldest(),
          .watchers = counts.watchers.load(std::memory_order_relaxed),
          .expired_watchers = counts.expired.load(std::memory_order_relaxed)};
}

Result<void> Cacher::CompareWithStore() const {
  return ConsistencyCheck(cache(), backend_, options_.load_page).Run();
}

base::Task<Result<void>> Cacher::WaitUntilFresh(bool newest, base::RequestNotes* notes) {
  const auto start = options_.clock->SteadyNow();
  auto fresh = co_await feed_.Refresh();
  const auto took = options_.clock->SteadyNow() - start;
  if (notes && backend_.shared()) notes->storage += took;
  if (metrics_ && newest) metrics_->ReadFresh(took, fresh.has_value());
  co_return fresh;
}

base::Task<Result<ObjectPtr>> Cacher::Get(std::string key, GetOptions options) {
  base::ScopedSpan span(options.trace, "cacher.Get");
  if (span) {
    span->Set("audit-id", options.trace->facts.audit_id);
    span->Set("key", std::string(factory_->own_prefix()).append("/").append(key));
    span->Set("resource-version", options.resource_version);
  }
  const std::string& version = options.resource_version;
  if (version.empty() || version == "0") {
    if (!feed_.Serves(version.empty())) CO_TRY(co_await WaitUntilFresh(version.empty(), options.notes));
  } else {
    auto revision = ParseResourceVersion(version);
    if (!revision) co_return Err(InvalidOption(std::move(revision.error())));
    CO_TRY(co_await feed_.WaitUntil(*revision));
  }
  ObjectPtr object = cache().Find(key);
  if (!object) co_return Err(Error{.code = Code::kNotFound, .key = factory_->prefix() + "/" + key});
  co_return object;
}

base::Task<Result<std::unique_ptr<WatchStream>>> Cacher::Watch(WatchOptions options) {
  base::ScopedSpan span(options.trace, "cacher.Watch");
  if (span) {
    span->Set("audit-id", options.trace->facts.audit_id);
    span->Set("type", GroupResource());
  }
  const auto plan = CO_TRY(PlanWatch(options));
  if (plan.initial_at_least) {
    auto fresh = co_await feed_.WaitUntil(plan.after);
    if (!fresh) co_return FailedWatch(std::move(fresh.error()));
  } else if (!feed_.Serves(plan.newest)) {
    auto fresh = co_await feed_.Refresh();
    if (!fresh) co_return FailedWatch(std::move(fresh.error()));
  }
  CacheWatchStream::Start start{
      .from = cache().Read(), .initial = plan.initial, .initial_bookmark = plan.initial_bookmark};
  if (!plan.initial && plan.after > start.from.revision) {
    // Another server may have told the client of a version that is on its way to this cache. One that does
    // not come is of another store, or of a future that was lost: the client must list again, and 410 is what
    // every client does that on.
    auto reached = co_await feed_.WaitUntil(plan.after);
    if (!reached)
      co_return FailedWatch({.code = Code::kExpired, .detail = std::move(reached.error().detail)});
    start.from = cache().Read();
  }
  if (!plan.initial && plan.after > 0 && plan.after < start.from.state->log.floor()) {
    auto reached = co_await past_.ReachBack(plan.after);
    if (!reached) co_return FailedWatch(std::move(reached.error()));
    start.from = cache().Read();
  }
  if (!plan.initial) {
    start.after = plan.after == 0 ? start.from.revision : plan.after;
    const Revision floor = start.from.state->log.floor();
    if (start.after < floor)
      co_return FailedWatch({.code = Code::kExpired, .detail = TooOldForWatch(start.after, floor)});
  }
  std::unique_ptr<WatchStream> watch = std::make_unique<CacheWatchStream>(
      feed_.cache(), std::move(options.ns), std::move(options.selection), start);
  co_return std::move(watch);
}

}  // namespace keelson::storage
