// NamespaceController: empties the namespaces that are to go, tells in their status what
// remains, and lets them go then.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "client/namespaces.h"
#include "controllers/controller.h"

namespace keelson::controllers {

// Borrows all.
class NamespaceController final : public Controller {
 public:
  NamespaceController(client::Namespaces& namespaces, base::Executor& loop,
                      const base::Clock& clock = base::Clock::Real())
      : namespaces_(namespaces), loop_(loop), clock_(clock) {}

  void Start() override;
  void Stop() override;

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
  base::Task<void> TellWhatRemains(const std::string& name, const client::NamespaceContent& content);

  client::Namespaces& namespaces_;
  base::Executor& loop_;
  const base::Clock& clock_;
  bool active_ = false;
  std::map<std::string, Work, std::less<>> work_;
};

}  // namespace keelson::controllers
