// Task<T>: a coroutine that starts when it is awaited and resumes its awaiter when done.
// Completion<T>: the one-shot meeting point between such a coroutine and another thread.
//
// Threads: a task runs on the executor of whoever awaits it, and after a suspension on a
// Completion it goes on there. Exceptions are programmer errors and end the process.
//
// A coroutine takes its parameters by value: it may start after the expression that called it has ended.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/executor.h"

namespace keelson::base {

template <class T = void>
class Task;

namespace internal {

struct TaskPromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> h) noexcept {
      return h.promise().continuation;
    }
    void await_resume() noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& u) {
    value.emplace(std::forward<U>(u));
  }
  T Take() { return std::move(*value); }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void Take() {}
};

}  // namespace internal

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle h) : h_(h) {}
  Task(Task&& o) noexcept : h_(std::exchange(o.h_, nullptr)) {}
  Task& operator=(Task&& o) noexcept {
    std::swap(h_, o.h_);
    return *this;
  }
  ~Task() {
    if (h_) h_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    h_.promise().continuation = awaiter;
    return h_;
  }
  T await_resume() { return h_.promise().Take(); }

 private:
  Handle h_ = nullptr;
};

namespace internal {
template <class T>
Task<T> TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }
  };
};
}  // namespace internal

// Starts `task` now, on this thread, and lets it run to its end on its own.
inline internal::Detached Spawn(Task<void> task) { co_await std::move(task); }

// One value handed from one thread to one waiting coroutine. Copies share the state.
//
// The coroutine resumes on the executor it awaited on; without one (plain threads, tests)
// it resumes on the thread that calls Set. Set may come before or after the await.
template <class T>
class Completion {
 public:
  Completion() : state_(std::make_shared<State>()) {}

  // Requires: called once.
  void Set(T value) const {
    auto state = state_;
    state->value.emplace(std::move(value));
    if (state->phase.exchange(kSet, std::memory_order_acq_rel) != kWaiting) return;
    if (!state->executor) return state->waiter.resume();
    state->executor->Post([state] { state->waiter.resume(); });
  }

  bool await_ready() const noexcept { return state_->phase.load(std::memory_order_acquire) == kSet; }
  bool await_suspend(std::coroutine_handle<> h) const noexcept {
    state_->waiter = h;
    state_->executor = Executor::Current();
    return state_->phase.exchange(kWaiting, std::memory_order_acq_rel) != kSet;
  }
  T await_resume() const { return std::move(*state_->value); }

 private:
  enum Phase : int { kIdle, kWaiting, kSet };
  struct State {
    std::atomic<int> phase{kIdle};
    std::optional<T> value;
    std::coroutine_handle<> waiter;
    Executor* executor = nullptr;
  };
  std::shared_ptr<State> state_;
};

}  // namespace keelson::base
