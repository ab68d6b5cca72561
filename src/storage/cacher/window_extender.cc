#include "storage/cacher/window_extender.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "storage/cacher/history.h"

namespace keelson::storage {
namespace {

// How many revisions the store is asked to remember for a client from before the window, at most and at
// least.
constexpr Revision kFurthestBack = 100'000;
constexpr Revision kLeastBack = 1'000;

Error Stopping() { return {.code = Code::kUnreachable, .detail = "the server stops"}; }

}  // namespace

base::Task<Result<bool>> WindowExtender::ReachBack(Revision revision) {
  const Revision floor = cache_->Read().state->log.floor();
  if (revision >= floor) co_return true;
  if (revision < backend_.CompactedRevision() || floor - revision > kFurthestBack) co_return false;
  base::Completion<Result<bool>> done;
  {
    base::MutexLock lock(mu_);
    if (revision < no_history_before_ && failed_in_load_ == cache_->loads()) co_return false;
    waiting_.push_back({revision, done});
    // Those who come before the job begins are answered by it too.
    if (waiting_.size() == 1 && !worker_.Run([this] { AnswerAll(); })) {
      waiting_.clear();
      co_return base::Err(Stopping());
    }
  }
  co_return co_await done;
}

void WindowExtender::AnswerAll() {
  std::vector<Waiting> waiting;
  {
    base::MutexLock lock(mu_);
    waiting = std::exchange(waiting_, {});
  }
  const Result<void> asked = worker_.stopping()
                                 ? Result<void>(base::Err(Stopping()))
                                 : Extend(std::ranges::min(waiting, {}, &Waiting::revision).revision);
  const Revision floor = cache_->Read().state->log.floor();
  for (const Waiting& one : waiting) {
    if (asked || one.revision >= floor)
      one.done.Set(one.revision >= floor);
    else
      one.done.Set(base::Err(asked.error()));
  }
}

Result<void> WindowExtender::Extend(Revision wanted) {
  const uint64_t load = cache_->loads();
  const Revision floor = cache_->Read().state->log.floor();
  if (wanted >= floor) return {};
  // A little further than asked: others will come that are a little further behind.
  const Revision target =
      std::max({backend_.CompactedRevision(), std::min(wanted, floor - kLeastBack), Revision{0}});
  auto events = ReadHistory(backend_, cache_->factory(), target, floor, cache_->window_limit());
  if (events && cache_->Prepend(*events, target, floor)) return {};
  // That is no answer: a store that is not there now remembers what it did.
  if (!events && events.error().code == Code::kUnreachable) return base::Err(std::move(events.error()));
  base::Log(base::LogLevel::kInfo, "watches cannot go back further",
            {{"prefix", cache_->factory().prefix()},
             {"revision", floor},
             {"why", events ? "no room" : events.error().detail}});
  base::MutexLock lock(mu_);
  if (failed_in_load_ != load) no_history_before_ = 0;
  failed_in_load_ = load;
  no_history_before_ = std::max(no_history_before_, wanted + 1);
  return {};
}

}  // namespace keelson::storage
