#include "storage/embedded/committer.h"

#include <pthread.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/memory.h"

namespace keelson::storage {
namespace {

using std::chrono::steady_clock;

// A batch ends here so that the writers at its head do not wait for a flood behind them.
constexpr size_t kMaxBatchJobs = 1024;
constexpr size_t kMaxBatchBytes = 4 << 20;
constexpr size_t kKeysPerExpiration = 128;
// By so much a value may grow where room is short: what is to be deleted gets a time, a finalizer, the last
// states of its containers; those who delete renew their leases.
constexpr size_t kGrowth = 4096;
// After a failure to reclaim, so many more attempts are left out.
constexpr int kAttemptsLeftOut = 4;
// Jobs wait for no more of reclaiming at once.
constexpr std::chrono::milliseconds kLongestSweep{100};
// Expiry is told by the wall clock, which can jump; so a long wait is cut.
constexpr std::chrono::seconds kLongestIdle{10};
constexpr std::chrono::seconds kRestInterval{15};

bool OnlyDeletes(const Txn& txn) {
  return std::ranges::all_of(txn.writes, [](const Write& w) { return w.type == Write::Type::kDelete; });
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

}  // namespace

Error ExpiredError(Revision revision) {
  return {Code::kExpired, "required revision has been compacted", "", revision};
}

Error FutureError(Revision revision) {
  return {Code::kTooLarge, "required revision is a future revision", "", revision};
}

Committer::Committer(Engine& engine, const Engine::State& state, ObserverTable& observers,
                     const Options& options)
    : engine_(engine),
      observers_(observers),
      clock_(*options.clock),
      recovery_interval_(options.recovery_interval),
      patience_(options.patience),
      current_(state.current),
      written_(state.current),
      compacted_(state.compacted),
      next_rest_(steady_clock::now() + kRestInterval) {
  for (const Lease& lease : state.leases) leases_.Add(lease);
  writable_ = !engine_.SpaceIsShort();  // else the first thing is to recover
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "commit");
}

Committer::~Committer() {
  {
    base::MutexLock lock(mu_);
    stopping_ = true;
  }
  work_.NotifyOne();
  thread_.join();
  waiters_->Close();
}

void Committer::Submit(Job job) {
  bool wake;
  {
    base::MutexLock lock(mu_);
    queue_.push_back(std::move(job));
    wake = std::exchange(waiting_, false);
  }
  if (wake) work_.NotifyOne();
}

// A batch counts as written before it is published, and publishing excludes adding: what is not written yet
// when the observer is added reaches it.
bool Committer::AttachNow(std::string_view prefix, Revision after, Observer& observer) {
  return Health() && observers_.AddIf(prefix, observer, after, [&] { return written() == after; });
}

Result<void> Committer::Health() const {
  {
    base::MutexLock lock(health_mu_);
    if (broken_) return base::Err(*broken_);
  }
  return engine_.Health();
}

void Committer::Run() {
  for (;;) {
    std::vector<Job> jobs = WaitForJobs();
    {
      base::MutexLock lock(mu_);
      if (stopping_ && jobs.empty() && held_.empty()) return;
    }
    if (!held_.empty()) {
      std::ranges::move(jobs, std::back_inserter(held_));
      jobs = std::exchange(held_, {});
    }
    if (writable_) {
      if (auto health = engine_.Health(); !health) MarkBroken(std::move(health.error()));
    }
    if (steady_clock::now() >= next_rest_) Rest();
    if (!writable_ && steady_clock::now() >= next_recovery_) TryRecover();
    if (writable_ && short_of_room_ && steady_clock::now() >= next_reclaim_) Reclaim();
    if (writable_) {
      if (short_of_room_) jobs = TakeWhatFrees(std::move(jobs));
      CommitRound(std::move(jobs));
      if (writable_ && sweeping_) SweepSlice();
    } else {
      RefuseAll(std::move(jobs));
    }
  }
}

// Objects are made here and let go by whoever forgets them: only this thread can give their memory back.
void Committer::Rest() {
  next_rest_ = steady_clock::now() + kRestInterval;
  if (writable_) engine_.Rest();
  base::GiveBackMemory();
}

std::vector<Committer::Job> Committer::WaitForJobs() {
  const auto latest = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(LongestWait());
  base::MutexLock lock(mu_);
  waiting_ = true;
  while (queue_.empty() && !stopping_ && steady_clock::now() < latest) work_.WaitUntil(mu_, latest);
  waiting_ = false;
  if (queue_.size() <= kMaxBatchJobs) return std::exchange(queue_, {});
  std::vector<Job> first(std::make_move_iterator(queue_.begin()),
                         std::make_move_iterator(queue_.begin() + kMaxBatchJobs));
  queue_.erase(queue_.begin(), queue_.begin() + kMaxBatchJobs);
  return first;
}

std::chrono::nanoseconds Committer::LongestWait() const {
  std::chrono::nanoseconds wait = kLongestIdle;
  if (!writable_) return std::min(wait, std::chrono::nanoseconds(next_recovery_ - steady_clock::now()));
  if (sweeping_) return std::chrono::nanoseconds(0);
  if (short_of_room_) wait = std::min(wait, std::chrono::nanoseconds(next_reclaim_ - steady_clock::now()));
  if (auto expiry = leases_.NextExpiry())
    wait = std::min(wait, std::chrono::nanoseconds(*expiry - clock_.Now()));
  return wait;
}

void Committer::CommitRound(std::vector<Job> jobs) {
  for (auto next = jobs.begin();;) {
    const auto first = next;
    BatchBuilder builder(engine_, leases_, current(), clock_.Now());
    Round round;
    ExpireLeases(builder, round);
    for (; next != jobs.end() && builder.bytes() < kMaxBatchBytes; ++next)
      std::visit([&](auto& job) { Judge(job, builder, round); }, *next);

    if (!builder.batch().empty() && !WriteAndPublish(builder)) {
      // Also those who were refused: they were judged by what the batch would have written.
      jobs.erase(jobs.begin(), first);
      return RefuseAll(std::move(jobs));
    }
    for (AnyAnswer& any : round.answers)
      std::visit([](auto& answer) { answer.done.Set(std::move(answer.result)); }, any);
    for (AttachJob* job : round.attaching) Attach(*job);
    if (next == jobs.end()) return;
    if (!writable_) {
      jobs.erase(jobs.begin(), next);
      return RefuseAll(std::move(jobs));
    }
  }
}

// The keys of one lease a round, before the round's writers: none of them can then attach
// a key to a lease that is going.
void Committer::ExpireLeases(BatchBuilder& builder, Round& round) {
  auto over = leases_.FirstOver(clock_.Now());
  if (!over) return;
  const LeaseId id = *over;
  auto keys = engine_.KeysOf(id, kKeysPerExpiration);
  if (!keys) return MarkBroken(std::move(keys.error()));
  if (!keys->empty()) {
    auto& writes = round.expiration.writes;
    for (std::string& key : *keys) writes.push_back({.type = Write::Type::kDelete, .key = std::move(key)});
    auto added = builder.Add(round.expiration);
    if (!added) return MarkBroken(std::move(added.error()));
  }
  if (keys->size() == kKeysPerExpiration) return;  // perhaps more: the next round
  builder.batch().ended.push_back(id);
}

void Committer::Judge(CommitJob& job, BatchBuilder& builder, Round& round) {
  round.answers.emplace_back(Answer<TxnResult>{job.done, builder.Add(job.txn)});
}

void Committer::Judge(GrantJob& job, BatchBuilder& builder, Round& round) {
  const Lease lease{leases_.NewId(), clock_.Now() + job.ttl};
  builder.batch().granted.push_back(lease);
  round.answers.emplace_back(Answer<LeaseId>{job.done, lease.id});
}

void Committer::Judge(CompactJob& job, BatchBuilder& builder, Round& round) {
  Result<void> result;
  Batch& batch = builder.batch();
  if (job.revision > builder.revision()) {
    result = base::Err(FutureError(job.revision));
  } else if (job.revision <= std::max(compacted(), batch.compacted)) {
    result = base::Err(ExpiredError(job.revision));
  } else {
    batch.compacted = job.revision;
  }
  round.answers.emplace_back(Answer<void>{job.done, std::move(result)});
}

void Committer::Judge(JumpJob& job, BatchBuilder& builder, Round& round) {
  Result<void> result;
  if (job.revision > builder.revision()) {
    auto added = builder.AddAt(job.revision, job.mark);
    if (!added) result = base::Err(std::move(added.error()));
  }
  round.answers.emplace_back(Answer<void>{job.done, std::move(result)});
}

void Committer::Judge(AttachJob& job, BatchBuilder&, Round& round) { round.attaching.push_back(&job); }

Result<void> Committer::WriteAndPublish(BatchBuilder& builder) {
  const Batch& batch = builder.batch();
  if (auto written = engine_.Write(batch); !written) {
    Error error{Code::kUnreachable, written.error().detail};
    MarkBroken(error);
    return base::Err(std::move(error));
  }
  for (const Lease& lease : batch.granted) leases_.Add(lease);
  for (LeaseId id : batch.ended) leases_.Remove(id);
  if (batch.compacted != 0) {
    compacted_.store(batch.compacted, std::memory_order_release);
    sweeping_ = true;
  }
  if (!batch.mutations.empty()) {
    std::vector<Change> changes;
    changes.reserve(batch.mutations.size());
    for (const Mutation& mutation : batch.mutations) changes.push_back(mutation.change);
    written_.store(builder.revision(), std::memory_order_release);
    observers_.Publish(changes, builder.revision());
    current_.store(builder.revision(), std::memory_order_release);
    waiters_->Wake(builder.revision());
  }
  return {};
}

void Committer::Attach(AttachJob& job) {
  if (job.after > current()) return job.done->set_value(base::Err(FutureError(job.after)));
  if (job.after + 1 < compacted()) return job.done->set_value(base::Err(ExpiredError(job.after)));
  auto view = engine_.OpenView();
  if (!view) return job.done->set_value(base::Err(std::move(view.error())));
  const Revision last = current();
  auto read = (*view)->ReadLog(job.prefix, job.after, last, [&](std::span<const Change> changes) {
    job.observer->OnChanges(changes, changes.back().revision);
  });
  if (!read) return job.done->set_value(base::Err(std::move(read.error())));
  job.observer->OnChanges({}, last);
  observers_.Add(job.prefix, *job.observer);
  job.done->set_value({});
}

Error Committer::WhyRefused() const {
  base::MutexLock lock(health_mu_);
  return broken_ ? *broken_ : Error{Code::kUnreachable, "the store is not writable"};
}

void Committer::RefuseAll(std::vector<Job> jobs) {
  const Error reason = WhyRefused();
  for (Job& job : jobs) {
    if (Hold(job)) continue;
    std::visit(Overloaded{[&](AttachJob& attach) { Attach(attach); },
                          [&](auto& other) { other.done.Set(base::Err(reason)); }},
               job);
  }
}

bool Committer::Hold(Job& job) {
  auto* commit = std::get_if<CommitJob>(&job);
  if (!commit || !OnlyDeletes(commit->txn) || !engine_.SpaceIsShort()) return false;
  const auto now = steady_clock::now();
  if (commit->held_until == steady_clock::time_point()) commit->held_until = now + patience_;
  if (now >= commit->held_until) return false;
  {
    base::MutexLock lock(mu_);
    if (stopping_) return false;
  }
  held_.push_back(std::move(job));
  return true;
}

void Committer::SweepSlice() {
  auto more = engine_.Sweep();
  if (!more) return MarkBroken(std::move(more.error()));
  sweeping_ = *more;
}

void Committer::MarkBroken(Error error) {
  error.code = Code::kUnreachable;
  writable_ = false;
  next_recovery_ = steady_clock::now() + recovery_interval_;
  base::MutexLock lock(health_mu_);
  broken_ = std::move(error);
}

void Committer::TryRecover() {
  auto recovered = engine_.Recover(current());
  // A lease may have been ended by the batch that failed; say again which there are.
  if (recovered) recovered = engine_.Write({.granted = leases_.All()});
  if (!recovered) return MarkBroken(std::move(recovered.error()));
  writable_ = true;
  sweeping_ = true;
  short_of_room_ = engine_.SpaceIsShort();
  next_reclaim_ = steady_clock::now();
  // What failed for lack of room goes on failing until something is deleted.
  if (short_of_room_ && std::exchange(reclaiming_failed_, false))
    next_reclaim_ += kAttemptsLeftOut * recovery_interval_;
  if (short_of_room_) return;
  base::MutexLock lock(health_mu_);
  broken_.reset();
}

void Committer::Reclaim() {
  const auto start = steady_clock::now();
  auto more = ForgetHistory();
  const auto end = steady_clock::now();
  reclaiming_ += end - start;
  next_reclaim_ = end;
  if (more && *more) return;
  next_reclaim_ += std::max<steady_clock::duration>(recovery_interval_, reclaiming_);
  reclaiming_ = {};
  if (!more && more.error().code != Code::kFull) {
    reclaiming_failed_ = true;
    return MarkBroken(std::move(more.error()));
  }
  short_of_room_ = !more;
  sweeping_ = true;
  base::MutexLock lock(health_mu_);
  if (more) return broken_.reset();
  broken_ = Error{Code::kUnreachable, more.error().detail};
}

std::vector<Committer::Job> Committer::TakeWhatFrees(std::vector<Job> jobs) {
  const Engine::Room room = engine_.room();
  const auto taken = [&](const Job& job) {
    const auto* commit = std::get_if<CommitJob>(&job);
    if (!commit) return std::holds_alternative<CompactJob>(job) || std::holds_alternative<AttachJob>(job);
    if (room == Engine::Room::kNone) return false;
    if (OnlyDeletes(commit->txn)) return true;
    if (room == Engine::Room::kDeletions) return false;
    auto grows = Grows(commit->txn);
    return grows && !*grows;
  };
  auto refused = std::stable_partition(jobs.begin(), jobs.end(), taken);
  RefuseAll({std::make_move_iterator(refused), std::make_move_iterator(jobs.end())});
  jobs.erase(refused, jobs.end());
  return jobs;
}

// By what is stored before this round: a guess that is good enough.
Result<bool> Committer::Grows(const Txn& txn) {
  for (const Compare& compare : txn.compares) {
    auto head = TRY(engine_.FindHead(compare.key));
    const Revision newest = head && !head->deleted ? head->mod_revision : 0;
    if (newest != compare.mod_revision) return false;  // nothing is written, and its writer is told why
  }
  auto view = TRY(engine_.OpenView());
  for (const Write& write : txn.writes) {
    if (write.type == Write::Type::kDelete) continue;
    auto stored = TRY(view->Get(write.key, current()));
    if (!stored || write.value.size() > stored->value.size() + kGrowth) return true;
  }
  return false;
}

// Watches that would have gone on from the past list again; the alternative is a store that cannot write.
Result<bool> Committer::ForgetHistory() {
  if (compacted() < current()) {
    TRY(engine_.Write({.compacted = current()}));
    compacted_.store(current(), std::memory_order_release);
  }
  const auto end = steady_clock::now() + kLongestSweep;
  for (bool more = true; more;) {
    if (steady_clock::now() >= end) return true;
    more = TRY(engine_.Sweep());
  }
  return engine_.RegainSpace();
}

}  // namespace keelson::storage
