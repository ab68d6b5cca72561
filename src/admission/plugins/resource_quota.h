// ResourceQuota: no namespace uses more than its quotas allow.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "admission/plugin.h"
#include "admission/plugins/limited_resources.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/task.h"
#include "client/client.h"
#include "quota/evaluator.h"

namespace keelson::admission {

// Writes of one namespace that come at the same time are charged together: one of them
// checks all that wait, writes each quota once and passes the turn on.
class ResourceQuota final : public Plugin {
 public:
  explicit ResourceQuota(const client::Client& objects, LimitedResources limited = {},
                         const base::Clock& clock = base::Clock::Real())
      : objects_(objects), limited_(std::move(limited)), clock_(clock) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  // A write that waits to be charged. Lives in its own coroutine until it has an answer.
  struct Waiter {
    const Attributes& request;
    const quota::Evaluator& evaluator;
    bool decided = false;
    Verdict verdict = {};
    base::Completion<bool> turn = {};  // true: it is to charge those that wait, itself included
  };
  using Waiters = std::vector<Waiter*>;
  struct Lane {
    bool busy = false;          // somebody has the turn
    Waiters waiting;            // for those that are being charged
    std::string version = "0";  // of the newest quota that was written here
  };
  // What is left of a batch after a try to charge it.
  struct Unwritten {
    std::vector<std::string> quotas;  // names; others have changed them meanwhile
    api::Status why;
  };

  // The quotas of `ns`, as of `version` at least; empty: the newest there are.
  base::Task<client::Result<std::vector<api::Doc>>> Read(std::string ns, std::string version) const;
  // Requires: it is the turn of `self`. Decides all that wait with it.
  base::Task<void> ChargeAll(std::string ns, Waiter& self) const;
  // Decides those that need no quota written, and writes for the others. `quotas`: what to
  // charge; `limited`: what they must cover; `version`: the newest that was written.
  base::Task<Unwritten> TryCharge(const Waiters& waiters, std::vector<api::Doc> quotas,
                                  LimitedResources limited, std::string& version) const;
  // Ends a turn and gives it to the next one that waits.
  void PassOn(const std::string& ns, std::string version) const;

  const client::Client& objects_;
  const LimitedResources limited_;
  const base::Clock& clock_;
  mutable base::Mutex mu_;
  mutable std::map<std::string, Lane, std::less<>> lanes_ GUARDED_BY(mu_);
};

}  // namespace keelson::admission
