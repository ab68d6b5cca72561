// Runs a task to its end and blocks this thread meanwhile: for main, tools and tests,
// never on an event loop.
#pragma once

#include <optional>
#include <utility>

#include "base/mutex.h"
#include "base/task.h"

namespace keelson::base {

namespace internal {

template <class T>
struct Awaited {
  Mutex mu;
  CondVar done;
  std::optional<T> value GUARDED_BY(mu);
};

template <class T>
Task<void> Await(Task<T> task, Awaited<T>& awaited) {
  T value = co_await std::move(task);
  MutexLock lock(awaited.mu);
  awaited.value.emplace(std::move(value));
  awaited.done.NotifyOne();
}

}  // namespace internal

template <class T>
T SyncWait(Task<T> task) {
  internal::Awaited<T> awaited;
  Spawn(internal::Await(std::move(task), awaited));
  MutexLock lock(awaited.mu);
  while (!awaited.value) awaited.done.Wait(awaited.mu);
  return std::move(*awaited.value);
}

}  // namespace keelson::base
