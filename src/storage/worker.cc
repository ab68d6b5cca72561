#include "storage/worker.h"

namespace keelson::storage {

bool Worker::Run(Job job) {
  base::MutexLock lock(mu_);
  if (stopped_) return false;
  jobs_.push_back(std::move(job));
  if (running_) return true;
  if (thread_.joinable()) thread_.join();  // it has come to its end
  running_ = true;
  thread_ = std::thread([this] { Work(); });
  return true;
}

void Worker::Work() {
  base::MutexLock lock(mu_);
  while (!jobs_.empty()) {
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.Unlock();
    job();
    job = nullptr;  // what it holds may take a lock of its own to go
    lock.Lock();
  }
  running_ = false;
}

void Worker::Stop() {
  {
    base::MutexLock lock(mu_);
    stopped_ = true;
  }
  stopped_now_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

bool Worker::stopping() const {
  base::MutexLock lock(mu_);
  return stopped_;
}

void Worker::Pause(std::chrono::nanoseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  base::MutexLock lock(mu_);
  while (!stopped_ && std::chrono::steady_clock::now() < deadline) stopped_now_.WaitUntil(mu_, deadline);
}

}  // namespace keelson::storage
