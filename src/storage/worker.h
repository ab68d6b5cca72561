// Worker: runs jobs that may block, one after another, on a thread that lives while there are jobs.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/task.h"

namespace keelson::storage {

// Threads: any. Not destroyed by one of its own jobs.
class Worker {
 public:
  using Job = std::move_only_function<void()>;

  Worker() = default;
  ~Worker() { Stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs `job` after those before it. False: the worker was stopped, and `job` does not run.
  bool Run(Job job) EXCLUDES(mu_);

  // The result of `f`, which may block: it runs on the worker's thread, and the awaiting coroutine resumes on
  // its executor. A coroutine without an executor keeps no loop waiting: there `f` runs on its own thread.
  template <class F>
  base::Task<std::invoke_result_t<F&>> Call(F f) {
    if (!base::Executor::Current()) co_return f();
    const auto shared = std::make_shared<F>(std::move(f));
    base::Completion<std::invoke_result_t<F&>> done;
    if (!Run([done, shared] { done.Set((*shared)()); })) co_return (*shared)();
    co_return co_await done;
  }

  // Takes no more jobs, and waits until those that were taken have run. A job that takes long looks at
  // stopping() and ends early.
  void Stop() EXCLUDES(mu_);
  bool stopping() const EXCLUDES(mu_);
  // Called by a job: lets `time` pass, or less when the worker is stopped.
  void Pause(std::chrono::nanoseconds time) EXCLUDES(mu_);

 private:
  void Work() EXCLUDES(mu_);

  mutable base::Mutex mu_;
  base::CondVar stopped_now_;
  std::deque<Job> jobs_ GUARDED_BY(mu_);
  bool running_ GUARDED_BY(mu_) = false;  // there is a thread, and it will look at jobs_ again
  bool stopped_ GUARDED_BY(mu_) = false;
  std::thread thread_;  // changed under mu_ until stopped_
};

}  // namespace keelson::storage
