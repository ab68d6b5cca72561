// Worker: a thread for what blocks, one thing after the other. It is there while there is something to do.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <thread>

#include "base/memory.h"
#include "base/mutex.h"

namespace keelson::extensions {

// Threads: any. Destroying it waits for what is under way and does the rest.
class Worker {
 public:
  Worker() : thread_([this] { Run(); }) {}
  ~Worker() {
    {
      base::MutexLock lock(mu_);
      stopping_ = true;
    }
    wanted_.NotifyAll();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Post(std::function<void()> job) {
    {
      base::MutexLock lock(mu_);
      jobs_.push_back(std::move(job));
    }
    wanted_.NotifyOne();
  }

 private:
  void Run() {
    base::MutexLock lock(mu_);
    for (;;) {
      while (!stopping_ && jobs_.empty()) {
        if (!WaitForJobs()) continue;
        lock.Unlock();
        base::GiveBackMemory();
        lock.Lock();
      }
      if (jobs_.empty()) return;
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      worked_ = true;
      lock.Unlock();
      job();
      job = nullptr;
      lock.Lock();
    }
  }

  // True: there was nothing to do for a while. Storages that were opened here are let go by others, later,
  // and leave memory that only this thread can give back.
  bool WaitForJobs() REQUIRES_LOCK(mu_) {
    if (!worked_) {
      wanted_.Wait(mu_);
      return false;
    }
    const auto quiet = std::chrono::steady_clock::now() + kQuiet;
    wanted_.WaitUntil(mu_, quiet);
    return jobs_.empty() && !stopping_ && std::chrono::steady_clock::now() >= quiet;
  }

  static constexpr std::chrono::seconds kQuiet{15};
  base::Mutex mu_;
  base::CondVar wanted_;
  bool worked_ GUARDED_BY(mu_) = false;
  std::deque<std::function<void()>> jobs_ GUARDED_BY(mu_);
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace keelson::extensions
