// App: the composition root. Builds each part and joins them; owns all of them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "app/config.h"
#include "base/result.h"

namespace keelson::app {

// Threads: Start and Stop from one thread outside of the event loops.
class App {
 public:
  explicit App(Config config);
  ~App();

  // Serves, and returns when the server is ready. An error is ready to be shown; nothing
  // is left running then.
  base::Result<void, std::string> Start();

  std::string url() const;                        // for clients on this machine
  std::optional<std::string> kubeconfig() const;  // when one was written

  // Stops being ready, waits for load balancers to notice (--shutdown-delay-duration),
  // lets requests finish, ends watches, closes the store.
  void Stop();

 private:
  struct Parts;
  // The steps of Start.
  base::Result<void, std::string> OpenDataDir();
  base::Result<void, std::string> Listen();
  base::Result<void, std::string> LoadStore();
  // Lets those that decide by objects follow them.
  void FeedAuthorizers();
  // The aggregator, what is built in and custom resources become the chain that requests pass.
  base::Result<void, std::string> JoinServers();
  base::Result<void, std::string> StartControllers();
  void StartPeriodicWork();
  // Makes what looks whether files have changed.
  void FollowFiles();
  // A step of Stop: requests from now on are told to go elsewhere, if that is wanted.
  void TurnAway();
  // Every cache drops the events past its window; the memory goes back to the system.
  void ForgetOldEvents();

  const Config config_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace keelson::app
