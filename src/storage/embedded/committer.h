// Committer: the one path by which an embedded store changes. Writers leave a job and
// suspend; the commit thread takes all that wait, judges them in order, writes one batch
// with one sync, tells the observers, and only then the writers. Nothing waits for a batch
// to fill: batches form by themselves while the sync before is under way.
//
// Threads: Submit, revisions and Health from any; the rest is the commit thread's.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/task.h"
#include "storage/embedded/batch_builder.h"
#include "storage/embedded/engine.h"
#include "storage/embedded/lease_table.h"
#include "storage/embedded/observer_table.h"
#include "storage/revision_waiters.h"

namespace keelson::storage {

Error ExpiredError(Revision revision);
Error FutureError(Revision revision);

class Committer {
 public:
  struct CommitJob {
    Txn txn;
    base::Completion<Result<TxnResult>> done;
    std::chrono::steady_clock::time_point held_until{};  // set by the first Hold
  };
  struct GrantJob {
    std::chrono::seconds ttl;
    base::Completion<Result<LeaseId>> done;
  };
  struct CompactJob {
    Revision revision;
    base::Completion<Result<void>> done;
  };
  struct JumpJob {
    Revision revision;
    Txn mark;  // what is written there
    base::Completion<Result<void>> done;
  };
  // Delivers (after, now] to the observer and puts it on the live feed. Its waiter is a
  // thread, which must not go on before the observer is safe to destroy.
  struct AttachJob {
    std::string prefix;
    Revision after;
    Observer* observer;
    std::promise<Result<void>>* done;
  };
  using Job = std::variant<CommitJob, GrantJob, CompactJob, JumpJob, AttachJob>;

  struct Options {
    const base::Clock* clock = &base::Clock::Real();
    // How often a store that cannot write tries again.
    std::chrono::milliseconds recovery_interval{1000};
    // A deletion that a full disk cannot take at the moment waits so long for room before it is refused.
    std::chrono::milliseconds patience{10'000};
  };
  Committer(Engine& engine, const Engine::State& state, ObserverTable& observers, const Options& options);
  ~Committer();  // finishes what was submitted
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  void Submit(Job job) EXCLUDES(mu_);
  // Does at once what an AttachJob does, for an observer that has seen everything. False: it has not, or the
  // store is in trouble; then it is for the commit thread to do.
  bool AttachNow(std::string_view prefix, Revision after, Observer& observer);

  // Everything up to it is durable and has been published.
  Revision current() const { return current_.load(std::memory_order_acquire); }
  // Everything up to it is durable: who has been told of a revision can read it, though others
  // are yet to be told.
  Revision written() const { return written_.load(std::memory_order_acquire); }
  Revision compacted() const { return compacted_.load(std::memory_order_acquire); }
  // Who waits for current() to come to a revision.
  RevisionWaiters& waiters() { return *waiters_; }
  Result<void> Health() const EXCLUDES(health_mu_);

 private:
  // What one batch owes to whom, once it is written.
  template <class T>
  struct Answer {
    base::Completion<Result<T>> done;
    Result<T> result;
  };
  using AnyAnswer = std::variant<Answer<TxnResult>, Answer<LeaseId>, Answer<void>>;
  struct Round {
    Txn expiration;  // of a lease; answers to nobody
    std::vector<AnyAnswer> answers;
    std::vector<AttachJob*> attaching;
  };

  void Run();
  void Rest();
  std::vector<Job> WaitForJobs() EXCLUDES(mu_);
  std::chrono::nanoseconds LongestWait() const;
  void CommitRound(std::vector<Job> jobs);
  void ExpireLeases(BatchBuilder& builder, Round& round);
  void Judge(CommitJob& job, BatchBuilder& builder, Round& round);
  void Judge(GrantJob& job, BatchBuilder& builder, Round& round);
  void Judge(CompactJob& job, BatchBuilder& builder, Round& round);
  void Judge(JumpJob& job, BatchBuilder& builder, Round& round);
  void Judge(AttachJob& job, BatchBuilder& builder, Round& round);
  Result<void> WriteAndPublish(BatchBuilder& builder);
  void Attach(AttachJob& job);
  // Answers the jobs with the reason why the store does not write. A deletion on a full disk is held instead
  // (Hold): it makes room, and its client would have to send it again.
  void RefuseAll(std::vector<Job> jobs);
  // Keeps a deletion for the next round. False: it is none, has waited for `patience`, or the store closes.
  bool Hold(Job& job) EXCLUDES(mu_);
  Error WhyRefused() const EXCLUDES(health_mu_);
  void SweepSlice();

  void TryRecover();
  // Of a store that is short of room: forgets what it can, and takes everything again if that was enough.
  void Reclaim();
  Result<bool> ForgetHistory();  // a slice; true: there is more
  // Refuses what such a store does not take, and returns the rest.
  std::vector<Job> TakeWhatFrees(std::vector<Job> jobs);
  Result<bool> Grows(const Txn& txn);
  void MarkBroken(Error error) EXCLUDES(health_mu_);

  Engine& engine_;
  ObserverTable& observers_;
  const base::Clock& clock_;
  const std::chrono::milliseconds recovery_interval_, patience_;
  std::atomic<Revision> current_, written_;
  std::atomic<Revision> compacted_;
  const std::shared_ptr<RevisionWaiters> waiters_ = RevisionWaiters::Create([this] { return current(); });

  mutable base::Mutex mu_;
  base::CondVar work_;
  std::vector<Job> queue_ GUARDED_BY(mu_);
  bool waiting_ GUARDED_BY(mu_) = false;
  bool stopping_ GUARDED_BY(mu_) = false;

  mutable base::Mutex health_mu_;
  std::optional<Error> broken_ GUARDED_BY(health_mu_);

  // The commit thread's own.
  LeaseTable leases_;
  std::vector<Job> held_;  // deletions to judge again, before the jobs in queue_
  bool writable_ = true;
  bool short_of_room_ = false;      // writable, for what makes room
  bool reclaiming_failed_ = false;  // at the last attempt
  std::chrono::steady_clock::time_point next_reclaim_;
  std::chrono::steady_clock::duration reclaiming_{};  // what the slices so far took
  bool sweeping_ = true;  // a sweep may have been cut short by the end of the last process
  std::chrono::steady_clock::time_point next_recovery_;
  std::chrono::steady_clock::time_point next_rest_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace keelson::storage
