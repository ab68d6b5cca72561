// Auditor: the policy and the sinks, and what is counted of events.
//
// Threads: any. Outlives every request.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "audit/event.h"
#include "audit/policy.h"
#include "audit/sink.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/task.h"

namespace keelson::audit {

class Auditor {
 public:
  Auditor(Policy policy, std::vector<std::unique_ptr<Sink>> sinks, base::Metrics& metrics,
          const base::Clock& clock = base::Clock::Real());

  // What the policy says of a request, which is counted.
  Decision Decide(const auth::Attributes& request);

  // Gives the event as it is now to the sinks, unless the policy leaves the stage out. Never blocks: what
  // sinks owe then is in the event.
  void Tell(Event& event, Stage stage);
  // Waits for what sinks owe. False: one that is strict has lost it.
  static base::Task<bool> Settled(Event& event);

  // Whether requests are refused when their first event is lost.
  bool strict() const { return strict_; }
  // Counts a request that was refused since its event could not be kept.
  void Rejected() { rejected_.Add(); }
  // Waits until the sinks have kept what they were given. They take nothing more.
  void End();

 private:
  const Policy policy_;
  const std::vector<std::unique_ptr<Sink>> sinks_;
  const base::Clock& clock_;
  bool strict_ = false;
  base::Counter& events_;
  base::Counter& rejected_;
  std::array<base::Counter*, std::size(kLevelNames)> levels_;
};

}  // namespace keelson::audit
