// LeaderElection: of several servers on one store, one runs the controllers. Who does is
// written in a Lease, as clients of other components know it.
//
// The holder renews the lease; when it has not for the lease's duration, by the clock of the
// one who looks, another takes it. A holder that cannot renew in time gives up before that, also while an
// attempt to renew has no answer.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "base/one_at_a_time.h"
#include "client/client.h"

namespace keelson::controllers {

struct LeaderElectionOptions {
  std::string ns = "kube-system";
  std::string name;
  std::string identity;  // no two servers have the same
  std::chrono::seconds lease_duration{15}, renew_deadline{10}, retry_period{2};
};

// Threads: everything on `loop`. Borrows all but the options; outlives the loop's running.
class LeaderElection {
 public:
  struct Observer {
    std::function<void()> gained, lost;
  };
  LeaderElection(const client::Client& client, base::Executor& loop, LeaderElectionOptions options,
                 Observer observer, const base::Clock& clock = base::Clock::Real());

  // Requires: called once.
  void Start();
  // Gives the lease back, so that another need not wait for its end, and takes it no more.
  // The controllers must be stopped already.
  base::Task<void> Release();

  bool leads() const { return leads_; }

 private:
  base::Task<void> Round();
  // Looks, for as long as it leads, whether the lease was renewed in time.
  void Guard();
  void Lose();
  // Takes the lease or renews it; false: another has it, or that cannot be told.
  base::Task<bool> TryHold();
  // Changes `doc` so that this server holds it; false: another does.
  bool Hold(api::Doc& doc);
  int64_t NowMicroseconds() const;

  const client::Client& client_;
  base::Executor& loop_;
  const LeaderElectionOptions options_;
  const Observer observer_;
  const base::Clock& clock_;
  base::OneAtATime turns_;
  bool leads_ = false, released_ = false;
  bool holds_ = false;                 // the last attempt left the lease with us
  base::Clock::SteadyTime renewed_{};  // when the lease was last ours for certain
  // The lease of another, and since when it has not changed.
  std::string observed_;
  base::Clock::SteadyTime observed_since_{};
};

}  // namespace keelson::controllers
