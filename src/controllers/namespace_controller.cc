#include "controllers/namespace_controller.h"

#include <algorithm>

#include "base/log.h"

namespace keelson::controllers {

void NamespaceController::Start() {
  namespaces_.WatchTerminating([this](std::string name) { Enqueue(std::move(name)); });
}

void NamespaceController::Enqueue(std::string name) {
  Work& work = work_[name];
  if (work.running) {
    work.again = true;
    return;
  }
  work.running = true;
  base::Spawn(Process(std::move(name)));
}

base::Task<void> NamespaceController::Process(std::string name) {
  const bool done = co_await TryOnce(name);
  const auto it = work_.find(name);
  if (done) {
    const bool again = it->second.again;
    work_.erase(it);
    // Seen once more: gone by now, or made and deleted anew under the same name.
    if (again) loop_.Post([this, name] { Enqueue(name); });
    co_return;
  }
  it->second.running = it->second.again = false;
  const auto delay = it->second.retry;
  it->second.retry = std::min(2 * delay, kMaxRetry);
  loop_.PostAfter(delay, [this, name] {
    if (work_.contains(name)) Enqueue(name);
  });
}

base::Task<bool> NamespaceController::TryOnce(const std::string& name) {
  auto deletion = namespaces_.DeleteContent(name);
  const auto remaining = co_await std::move(deletion);
  if (!remaining) {
    base::Log(base::LogLevel::kWarning, "cannot empty namespace",
              {{"namespace", name}, {"why", remaining.error().message}});
    co_return false;
  }
  if (*remaining > 0) {
    base::Log(base::LogLevel::kDebug, "namespace is not empty yet",
              {{"namespace", name}, {"objects", *remaining}});
    co_return false;
  }
  auto finalization = namespaces_.Finalize(name);
  const auto finalized = co_await std::move(finalization);
  if (finalized || finalized.error().code == 404) co_return true;
  base::Log(base::LogLevel::kWarning, "cannot finalize namespace",
            {{"namespace", name}, {"why", finalized.error().message}});
  co_return false;
}

}  // namespace keelson::controllers
