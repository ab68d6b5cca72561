#include "storage/history_compactor.h"

namespace keelson::storage {

base::Task<Result<Revision>> HistoryCompactor::Tick() {
  const auto now = clock_.SteadyNow();
  const Revision current = backend_.CurrentRevision();
  if (marks_.empty() || marks_.back().revision < current) marks_.push_back({now, current});

  // A mark's revision stayed current until the mark after it, so nothing before it is
  // younger than the mark.
  Revision target = 0;
  for (const Mark& mark : marks_) {
    if (now - mark.time < retention_) break;
    target = mark.revision;
  }
  if (target > backend_.CompactedRevision()) {
    Result<void> compacted = co_await backend_.Compact(target);
    // Someone else may have compacted further meanwhile.
    if (!compacted && compacted.error().code != Code::kExpired)
      co_return base::Err(std::move(compacted.error()));
  }
  while (!marks_.empty() && marks_.front().revision <= target) marks_.pop_front();
  co_return backend_.CompactedRevision();
}

}  // namespace keelson::storage
