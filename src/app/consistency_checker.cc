#include "app/consistency_checker.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/memory.h"

namespace keelson::app {
namespace {

constexpr std::chrono::seconds kRestInterval{15};

}  // namespace

ConsistencyChecker::ConsistencyChecker(std::vector<Resources::Cached> caches, base::Metrics& metrics,
                                       std::chrono::nanoseconds interval)
    : caches_(std::move(caches)), metrics_(metrics), interval_(interval), thread_([this] { Run(); }) {}

ConsistencyChecker::~ConsistencyChecker() {
  {
    base::MutexLock lock(mu_);
    stopping_ = true;
  }
  stop_.NotifyAll();
  thread_.join();
}

bool ConsistencyChecker::Stopping(std::chrono::nanoseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  base::MutexLock lock(mu_);
  while (!stopping_ && std::chrono::steady_clock::now() < deadline) stop_.WaitUntil(mu_, deadline);
  return stopping_;
}

// A thread that begins takes over memory of those that have ended, which loaded the objects at the start:
// like all others it gives back what is freed of it.
bool ConsistencyChecker::Rest() {
  for (std::chrono::nanoseconds left = interval_; left.count() > 0; left -= kRestInterval) {
    if (Stopping(std::min<std::chrono::nanoseconds>(left, kRestInterval))) return false;
    base::GiveBackMemory();
  }
  return true;
}

void ConsistencyChecker::Run() {
  while (Rest()) {
    for (const Resources::Cached& cached : caches_) {
      if (Stopping()) return;
      Check(cached);
    }
  }
}

void ConsistencyChecker::Check(const Resources::Cached& cached) {
  const auto same = cached.cache->CompareWithStore();
  const char* status = "success";
  if (!same) {
    const bool differs = same.error().code == storage::Code::kCorrupt;
    status = differs ? "failure" : "error";
    base::Log(
        differs ? base::LogLevel::kError : base::LogLevel::kWarning,
        differs ? "a cache is not what is stored" : "a cache cannot be compared with what is stored",
        {{"resource", cached.resource.ToString()}, {"why", same.error().detail}, {"key", same.error().key}});
  }
  const auto count = [&](const char* name, const char* help, base::Labels labels) {
    labels.insert(labels.end(), {{"group", std::string(cached.resource.group)},
                                 {"resource", std::string(cached.resource.resource)}});
    metrics_.GetCounter(name, help, std::move(labels)).Add();
  };
  if (!same && same.error().code == storage::Code::kCorrupt) {
    cached.cache->Reload();
    count("keelson_cache_repairs_total",
          "Caches that were loaded again because they were not what is stored.", {});
  }
  count("apiserver_storage_consistency_checks_total", "Comparisons of caches with the store, by outcome.",
        {{"status", status}});
}

}  // namespace keelson::app
