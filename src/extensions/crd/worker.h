// Worker: a thread for what blocks, one thing after the other. It is there while there is something to do.
#pragma once

#include <deque>
#include <functional>
#include <thread>

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
      while (!stopping_ && jobs_.empty()) wanted_.Wait(mu_);
      if (jobs_.empty()) return;
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.Unlock();
      job();
      job = nullptr;
      lock.Lock();
    }
  }

  base::Mutex mu_;
  base::CondVar wanted_;
  std::deque<std::function<void()>> jobs_ GUARDED_BY(mu_);
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace keelson::extensions
