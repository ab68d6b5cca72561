// Runs a task to its end and blocks this thread meanwhile: for main, tools and tests,
// never on an event loop.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/task.h"

namespace keelson::base {

template <class T>
T SyncWait(Task<T> task) {
  std::mutex mu;
  std::condition_variable cv;
  std::optional<T> result;
  auto run = [](Task<T> t, std::mutex& m, std::condition_variable& c, std::optional<T>& out) -> Task<void> {
    T value = co_await std::move(t);
    std::lock_guard lock(m);
    out.emplace(std::move(value));
    c.notify_one();
  };
  Spawn(run(std::move(task), mu, cv, result));
  std::unique_lock lock(mu);
  cv.wait(lock, [&] { return result.has_value(); });
  return std::move(*result);
}

}  // namespace keelson::base
