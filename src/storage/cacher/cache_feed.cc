#include "storage/cacher/cache_feed.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "storage/messages.h"

namespace keelson::storage {

using base::Err;

CacheFeed::CacheFeed(const api::ResourceDesc& resource, std::shared_ptr<const ObjectFactory> factory,
                     Backend& backend, Worker& worker, CacheFeedOptions options)
    : backend_(backend),
      worker_(worker),
      options_(options),
      prefix_(factory->prefix()),
      cache_(std::make_shared<WatchCache>(
          resource, std::move(factory),
          WatchCacheOptions{.log = options_.log,
                            .delivered =
                                [&backend, attached = attached_] {
                                  return attached->load(std::memory_order_acquire) ? backend.CurrentRevision()
                                                                                   : Revision{0};
                                },
                            .clock = options_.clock,
                            .metrics = options_.metrics})) {}

CacheFeed::~CacheFeed() {
  attached_->store(false, std::memory_order_release);
  subscription_.reset();
}

// A feed that breaks at once is taken up by the worker, but not before this thread has done with it.
Result<void> CacheFeed::Start() {
  const bool away = options_.store_may_be_away && !backend_.Health();
  const auto attached = away ? Result<void>(Err(Error{.code = Code::kUnreachable})) : Attach();
  const bool later = !attached && options_.store_may_be_away && attached.error().code == Code::kUnreachable;
  if (!attached && !later) return attached;
  base::MutexLock lock(mu_);
  if (later) {
    lost_.store(true, std::memory_order_release);
    repair_ = Repair::kLoad;
  }
  repairing_ = false;
  if (repair_ != Repair::kNone) ScheduleRepair();
  return {};
}

// Loads, and follows from the revision of the load on: nothing is missed in between.
Result<void> CacheFeed::Attach() {
  history_ = backend_.History();
  auto revision = TRY(Load());
  return Follow(revision);
}

Result<void> CacheFeed::Follow(Revision after) {
  subscription_ = TRY(backend_.Subscribe(prefix_ + "/", after, *this));
  if (backend_.History() != history_)
    return Err(Error{.code = Code::kExpired, .detail = "the store has lost what was loaded"});
  {
    base::MutexLock lock(mu_);
    // It may have broken already.
    if (repair_ != Repair::kNone) return {};
    lost_.store(false, std::memory_order_release);
    attached_->store(true, std::memory_order_release);
  }
  cache_->WakeAll();
  return {};
}

Result<Revision> CacheFeed::Load() {
  const auto start = options_.clock->SteadyNow();
  auto read = backend_.ReadAll(prefix_ + "/", *cache_, options_.load_page);
  if (options_.metrics)
    options_.metrics->Asked(ResourceMetrics::Operation::kList, options_.clock->SteadyNow() - start, !read);
  const Revision revision = TRY(std::move(read));
  cache_->FinishLoad(revision);
  if (options_.metrics) options_.metrics->Loaded(cache_->Read().state->objects.size(), revision);
  base::MutexLock lock(mu_);
  known_ = 0;  // that was of the past, or of another store
  return revision;
}

void CacheFeed::OnBroken(const Error& error) {
  const bool resume = error.code == Code::kUnreachable;
  base::Log(
      base::LogLevel::kWarning,
      resume ? "the feed of changes broke; taking it up again" : "the feed of changes broke; loading again",
      {{"prefix", prefix_}, {"error", error.detail}});
  Break(resume ? Repair::kResume : Repair::kLoad);
}

void CacheFeed::OnHistoryLost(const Error& error) {
  base::Log(base::LogLevel::kError, "what is cached is not what is stored any more; loading again",
            {{"prefix", prefix_}, {"error", error.detail}});
  {
    base::MutexLock lock(mu_);
    lost_.store(true, std::memory_order_release);
  }
  Break(Repair::kLoad);
}

void CacheFeed::Break(Repair repair) {
  base::MutexLock lock(mu_);
  // While the feed was up, everything was delivered that the backend called current.
  if (attached_->load(std::memory_order_acquire)) known_ = cache_->complete();
  attached_->store(false, std::memory_order_release);
  if (repair == Repair::kLoad) cache_->Detach();
  repair_ = std::max(repair_, repair);
  ScheduleRepair();
}

void CacheFeed::ScheduleRepair() {
  if (repairing_) return;
  repairing_ = worker_.Run([this] { RepairAll(); });
}

void CacheFeed::RepairAll() {
  for (bool done = false; !done && !worker_.stopping();) {
    done = RepairOnce();
    if (!done) worker_.Pause(options_.pause);
  }
}

// True: the feed is up, and the job is done.
bool CacheFeed::RepairOnce() {
  Repair repair = Repair::kNone;
  Revision after = 0;
  {
    base::MutexLock lock(mu_);
    repair = std::exchange(repair_, Repair::kNone);
    after = std::max(known_, cache_->complete());
  }
  subscription_.reset();
  auto attached = repair == Repair::kResume ? Follow(after) : Attach();
  base::MutexLock lock(mu_);
  if (!attached) {
    repair_ = attached.error().code == Code::kUnreachable ? std::max(repair_, repair) : Repair::kLoad;
    base::Log(base::LogLevel::kWarning, "the feed of changes cannot be taken up",
              {{"prefix", prefix_}, {"error", attached.error().detail}});
  }
  repairing_ = repair_ != Repair::kNone;
  return !repairing_;
}

base::Task<Result<void>> CacheFeed::WaitUntil(Revision revision) {
  if (cache_->complete() >= revision) co_return Result<void>();
  // What happens elsewhere in the store does not wake the cache.
  bool reached = (co_await backend_.CatchUp(revision)).has_value();
  if (reached) reached = co_await cache_->WaitUntil(revision);
  if (!reached)
    co_return Err(Error{.code = Code::kTooLarge,
                        .detail = TooLarge(revision, cache_->Read().revision),
                        .revision = revision});
  co_return Result<void>();
}

base::Task<Result<void>> CacheFeed::Refresh() {
  if (backend_.shared()) CO_TRY(co_await backend_.CatchUp(0));
  if (attached_->load(std::memory_order_acquire)) co_return Result<void>();
  // The feed broke: what is loaded again is newer than what the backend has come to by now.
  const Revision newest = backend_.CurrentRevision();
  if (co_await cache_->WaitUntil(newest)) co_return Result<void>();
  co_return Err(Error{.code = Code::kUnreachable, .detail = "the cache of " + prefix_ + " is being loaded"});
}

}  // namespace keelson::storage
