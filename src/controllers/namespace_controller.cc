#include "controllers/namespace_controller.h"

#include <algorithm>
#include <utility>

#include "api/meta/object_meta.h"
#include "base/log.h"
#include "controllers/namespace_conditions.h"

namespace keelson::controllers {

void NamespaceController::Start() {
  active_ = true;
  namespaces_.WatchTerminating([this](std::string name) { Enqueue(std::move(name)); });
}

void NamespaceController::Stop() {
  active_ = false;
  namespaces_.StopWatching();
  std::erase_if(work_, [](const auto& entry) { return !entry.second.running; });
}

void NamespaceController::Enqueue(std::string name) {
  if (!active_) return;
  Work& work = work_[name];
  if (work.running) {
    work.again = true;
    return;
  }
  work.running = true;
  base::Spawn(Process(std::move(name)));
}

base::Task<bool> NamespaceController::GraceIsOver(const std::string& name) {
  if (grace_.count() == 0 || work_[name].grace_over) co_return true;
  const auto stir = co_await namespaces_.LookForChanges(name);
  const auto now = clock_.SteadyNow();
  Work& work = work_[name];
  if (!work.began || stir == client::Namespaces::Stir::kBusy) work.stirred = now;
  if (!work.began) work.began = now;
  work.grace_over =
      stir == client::Namespaces::Stir::kEmpty || now - work.stirred >= kQuiet || now - *work.began >= grace_;
  co_return work.grace_over;
}

void NamespaceController::LookLater(const std::string& name) {
  if (std::exchange(work_[name].looking, true)) return;
  loop_.PostAfter(kLook, [this, name] {
    const auto found = work_.find(name);
    if (found == work_.end()) return;
    found->second.looking = false;
    Enqueue(name);
  });
}

base::Task<void> NamespaceController::Process(std::string name) {
  if (!co_await GraceIsOver(name)) {
    Work& work = work_[name];
    work.running = work.again = false;
    if (active_)
      LookLater(name);
    else
      work_.erase(name);
    co_return;
  }
  const bool done = co_await TryOnce(name);
  const auto it = work_.find(name);
  const bool again = it->second.again;
  if (done || !active_) {
    work_.erase(it);
    // Seen once more: gone by now, or made and deleted anew under the same name.
    if (again) loop_.Post([this, name] { Enqueue(name); });
    co_return;
  }
  it->second.running = it->second.again = false;
  if (again) {
    loop_.Post([this, name] { Enqueue(name); });
    co_return;
  }
  const auto delay = it->second.retry;
  it->second.retry = std::min(2 * delay, kMaxRetry);
  loop_.PostAfter(delay, [this, name] {
    if (work_.contains(name)) Enqueue(name);
  });
}

base::Task<bool> NamespaceController::TryOnce(const std::string& name) {
  const auto terminating = co_await namespaces_.IsTerminating(name);
  if (!terminating) co_return false;
  if (!*terminating) co_return true;
  const client::NamespaceContent content = co_await namespaces_.DeleteContent(name);
  for (const std::string& failure : content.failures)
    base::Log(base::LogLevel::kWarning, "cannot empty namespace", {{"namespace", name}, {"why", failure}});
  co_await TellWhatRemains(name, content);
  if (!content.empty()) co_return false;

  const auto finalized = co_await namespaces_.Finalize(name);
  if (finalized || finalized.error().code == 404) co_return true;
  base::Log(base::LogLevel::kWarning, "cannot finalize namespace",
            {{"namespace", name}, {"why", finalized.error().message}});
  co_return false;
}

// Also when nothing does: somebody else's finalizer may hold the namespace itself.
base::Task<void> NamespaceController::TellWhatRemains(const std::string& name,
                                                      const client::NamespaceContent& content) {
  const int64_t now = api::NowSeconds(clock_);
  const auto edited =
      co_await namespaces_.EditStatus(name, [&content, now](api::core_v1::NamespaceStatusEditor status) {
        return SetContentConditions(status, content, now);
      });
  if (!edited && edited.error().code != 404)
    base::Log(base::LogLevel::kWarning, "cannot tell what remains in namespace",
              {{"namespace", name}, {"why", edited.error().message}});
}

}  // namespace keelson::controllers
