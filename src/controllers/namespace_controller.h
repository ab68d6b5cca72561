// NamespaceController: empties the namespaces that are to go, and lets them go then.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "base/executor.h"
#include "client/namespaces.h"

namespace keelson::controllers {

// Threads: everything on one loop. Borrows both; outlives the loop's running.
class NamespaceController {
 public:
  NamespaceController(client::Namespaces& namespaces, base::Executor& loop)
      : namespaces_(namespaces), loop_(loop) {}

  // Begins to watch. Requires: called on the loop.
  void Start();

  // A namespace that cannot be emptied yet is tried again after a second, then after
  // twice as long each time, up to the maximum.
  static constexpr std::chrono::seconds kFirstRetry{1}, kMaxRetry{30};

 private:
  struct Work {
    bool running = false;
    bool again = false;  // it changed while it was worked on
    std::chrono::seconds retry = kFirstRetry;
  };

  void Enqueue(std::string name);
  base::Task<void> Process(std::string name);
  // Whether the namespace is done with.
  base::Task<bool> TryOnce(const std::string& name);

  client::Namespaces& namespaces_;
  base::Executor& loop_;
  std::map<std::string, Work, std::less<>> work_;
};

}  // namespace keelson::controllers
