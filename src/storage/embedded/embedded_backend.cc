#include "storage/embedded/embedded_backend.h"

#include <algorithm>
#include <future>
#include <utility>

namespace keelson::storage {
namespace {

// History is read on the subscriber's thread until it is this close to the present; the
// rest is the commit thread's, where nothing new can come in between.
constexpr Revision kCloseToPresent = 64;
constexpr int kMaxCatchUps = 8;

}  // namespace

class EmbeddedBackend::Feed final : public Subscription {
 public:
  Feed(ObserverTable& table, std::string prefix, Observer& observer)
      : table_(table), prefix_(std::move(prefix)), observer_(observer) {}
  ~Feed() override { table_.Remove(prefix_, observer_); }

 private:
  ObserverTable& table_;
  const std::string prefix_;
  Observer& observer_;
};

EmbeddedBackend::EmbeddedBackend(std::unique_ptr<Engine> engine, const Engine::State& state,
                                 const EmbeddedOptions& options)
    : engine_(std::move(engine)), committer_(*engine_, state, observers_, options) {}

Result<std::unique_ptr<Backend>> EmbeddedBackend::Open(std::unique_ptr<Engine> engine,
                                                       const EmbeddedOptions& options) {
  const auto state = TRY(engine->Load());
  return std::unique_ptr<Backend>(new EmbeddedBackend(std::move(engine), state, options));
}

base::Task<Result<TxnResult>> EmbeddedBackend::Commit(Txn txn) {
  base::Completion<Result<TxnResult>> done;
  committer_.Submit(Committer::CommitJob{std::move(txn), done});
  co_return co_await done;
}

base::Task<Result<LeaseId>> EmbeddedBackend::GrantLease(std::chrono::seconds ttl) {
  base::Completion<Result<LeaseId>> done;
  committer_.Submit(Committer::GrantJob{ttl, done});
  co_return co_await done;
}

base::Task<Result<void>> EmbeddedBackend::Compact(Revision revision) {
  base::Completion<Result<void>> done;
  committer_.Submit(Committer::CompactJob{revision, done});
  co_return co_await done;
}

base::Task<Result<void>> EmbeddedBackend::Jump(Revision revision) {
  base::Completion<Result<void>> done;
  Txn mark;
  mark.writes.push_back({.key = std::string(kJumpKey)});
  committer_.Submit(Committer::JumpJob{revision, std::move(mark), done});
  co_return co_await done;
}

// A revision is told to the observers that it concerns before it is the current one. Who heard of it that way
// may ask for it at once.
base::Task<Result<void>> EmbeddedBackend::CatchUp(Revision revision) {
  if (revision <= committer_.current()) co_return Result<void>();
  if (co_await committer_.waiters().WaitUntil(revision)) co_return Result<void>();
  co_return base::Err(FutureError(revision));
}

Result<EmbeddedBackend::ReadPoint> EmbeddedBackend::OpenAt(Revision revision) {
  for (;;) {
    if (revision > committer_.written()) return base::Err(FutureError(revision));
    const Revision current = std::max(revision, committer_.current());
    auto view = TRY(engine_->OpenView());
    ReadPoint point{std::move(view), revision == 0 ? current : revision, current};
    // Asked after the view is open: what it lacks was compacted before.
    if (point.revision >= committer_.compacted()) return point;
    if (revision != 0) return base::Err(ExpiredError(revision));
  }
}

Result<RangeResult> EmbeddedBackend::Range(std::string_view start, std::string_view end,
                                           const RangeOptions& options) {
  auto point = TRY(OpenAt(options.revision));
  auto result = point.view->Range(start, end, point.revision, options);
  if (result) result->revision = point.current;
  return result;
}

// One view for all of it: nothing can be compacted before it is read.
Result<Revision> EmbeddedBackend::ReadAll(std::string_view prefix, Receiver& receiver, size_t /*page*/) {
  auto point = TRY(OpenAt(0));
  receiver.StartOver();
  TRY(point.view->ReadAll(prefix, point.revision, receiver));
  return point.revision;
}

Result<std::optional<KeyValue>> EmbeddedBackend::Get(std::string_view key, Revision revision) {
  auto point = TRY(OpenAt(revision));
  return point.view->Get(key, point.revision);
}

Result<std::unique_ptr<Backend::Subscription>> EmbeddedBackend::Subscribe(std::string prefix, Revision after,
                                                                          Observer& observer) {
  const Engine::View::Sink deliver = [&](std::span<const Change> changes) {
    observer.OnChanges(changes, changes.back().revision);
  };
  for (int i = 0; i < kMaxCatchUps && committer_.current() - after > kCloseToPresent; ++i) {
    auto point = TRY(OpenAt(0));
    if (after + 1 < committer_.compacted()) return base::Err(ExpiredError(after));
    TRY(point.view->ReadLog(prefix, after, point.revision, deliver));
    after = point.revision;
  }
  if (!committer_.AttachNow(prefix, after, observer)) {
    std::promise<Result<void>> done;
    committer_.Submit(Committer::AttachJob{prefix, after, &observer, &done});
    TRY(done.get_future().get());
  }
  return std::make_unique<Feed>(observers_, std::move(prefix), observer);
}

}  // namespace keelson::storage
