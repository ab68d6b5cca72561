// NamespaceController: empties the namespaces that are to go, tells in their status what
// remains, and lets them go then. Those who delete a namespace often delete what lies in it too, one by one,
// and count it as a failure if that is gone already: so it is given a grace before it is emptied.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"
#include "controllers/namespace_content.h"

namespace keelson::controllers {

// Borrows all.
class NamespaceController final : public Controller {
 public:
  // `grace`: how long a namespace keeps what lies in it at most. It is emptied sooner once nothing in it has
  // changed for kQuiet, and at once when it holds nothing, or without a grace. `remote`: what aggregated APIs
  // serve; null: nothing.
  NamespaceController(const client::Client& client, base::Executor& loop, std::chrono::nanoseconds grace,
                      const base::Clock& clock = base::Clock::Real(),
                      const RemoteResources* remote = nullptr);

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override { queue_.ReportTo(metrics, "namespace"); }

  // A namespace that cannot be emptied yet is tried again after a second, then after
  // twice as long each time, up to the maximum.
  static constexpr std::chrono::seconds kFirstRetry{1}, kMaxRetry{30};
  static constexpr std::chrono::milliseconds kQuiet{1000}, kLook{100};  // how often is looked for changes

 private:
  // When it began (unset: it has not), when the content last changed, and whether it is over.
  struct Grace {
    std::optional<base::Clock::SteadyTime> began;
    base::Clock::SteadyTime stirred;
    bool over = false;
    bool looking = false;  // the next look is scheduled
  };

  base::Task<bool> Sync(std::string name);
  // Whether nobody needs to be waited for any more.
  base::Task<bool> GraceIsOver(const std::string& name);
  void LookLater(const std::string& name);
  // Whether the namespace is done with.
  base::Task<bool> TryOnce(const std::string& name);
  // Whether there is a namespace of that name that is to go. One that was made anew since is not.
  base::Task<client::Result<bool>> IsTerminating(const std::string& name);
  base::Task<void> TellWhatRemains(const std::string& name, const NamespaceRemains& remains);
  // Takes the finalizer "kubernetes" away, so that the namespace can go.
  base::Task<client::Result<void>> Finalize(const std::string& name);

  const client::Client& client_;
  base::Executor& loop_;
  const std::chrono::nanoseconds grace_;
  const base::Clock& clock_;
  client::Informer namespaces_;
  const size_t phase_;  // index of status.phase
  bool active_ = false;
  std::map<std::string, Grace, std::less<>> graces_;
  KeyedQueue queue_;
  NamespaceContent content_;
};

}  // namespace keelson::controllers
