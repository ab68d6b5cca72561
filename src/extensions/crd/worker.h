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
      while (!stopping_ && jobs_.empty()) Rest();
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

  // Until there is something to do. Storages that were opened and closed here leave memory that only this
  // thread can give back.
  void Rest() REQUIRES_LOCK(mu_) {
    if (!worked_) return wanted_.Wait(mu_);
    const auto quiet = std::chrono::steady_clock::now() + kQuiet;
    wanted_.WaitUntil(mu_, quiet);
    if (!jobs_.empty() || std::chrono::steady_clock::now() < quiet) return;
    worked_ = false;
    base::GiveBackMemory();
  }

  static constexpr std::chrono::seconds kQuiet{2};
  base::Mutex mu_;
  base::CondVar wanted_;
  bool worked_ GUARDED_BY(mu_) = false;  // since it last gave memory back
  std::deque<std::function<void()>> jobs_ GUARDED_BY(mu_);
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace keelson::extensions
