// Mutex, and what waits under one, whose use clang's thread-safety analysis checks (-Wthread-safety).
//
//   MutexLock lock(mu_);
//   while (queue_.empty()) changed_.Wait(mu_);  // the loop, not a lambda: the analysis sees what it reads
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define KEELSON_TSA(x) __attribute__((x))
#else
#define KEELSON_TSA(x)
#endif
#define CAPABILITY(x) KEELSON_TSA(capability(x))
#define SCOPED_CAPABILITY KEELSON_TSA(scoped_lockable)
#define GUARDED_BY(x) KEELSON_TSA(guarded_by(x))
#define PT_GUARDED_BY(x) KEELSON_TSA(pt_guarded_by(x))
#define REQUIRES_LOCK(...) KEELSON_TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) KEELSON_TSA(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) KEELSON_TSA(acquire_capability(__VA_ARGS__))
#define RELEASE(...) KEELSON_TSA(release_capability(__VA_ARGS__))
#define ASSERT_HELD(...) KEELSON_TSA(assert_capability(__VA_ARGS__))

namespace keelson::base {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mu_.lock(); }
  void unlock() RELEASE() { mu_.unlock(); }
  // Tells the analysis, which does not look from a lambda to its caller, that it is held.
  void AssertHeld() const ASSERT_HELD() {}

 private:
  friend class CondVar;
  std::mutex mu_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mu) ACQUIRE(mu) : mu_(mu) { mu_.lock(); }
  ~MutexLock() RELEASE() {
    if (held_) mu_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  // Around something that must not be done under it.
  void Unlock() RELEASE() {
    held_ = false;
    mu_.unlock();
  }
  void Lock() ACQUIRE() {
    mu_.lock();
    held_ = true;
  }

 private:
  Mutex& mu_;
  bool held_ = true;
};

class CondVar {
 public:
  void NotifyOne() { changed_.notify_one(); }
  void NotifyAll() { changed_.notify_all(); }

  // Both may also return when nobody has notified: look at the condition again.
  void Wait(Mutex& mu) REQUIRES_LOCK(mu) {
    std::unique_lock lock(mu.mu_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }
  // False: `time` has come and nobody has notified.
  bool WaitUntil(Mutex& mu, std::chrono::steady_clock::time_point time) REQUIRES_LOCK(mu) {
    std::unique_lock lock(mu.mu_, std::adopt_lock);
    const auto status = changed_.wait_until(lock, time);
    lock.release();
    return status == std::cv_status::no_timeout;
  }

 private:
  std::condition_variable changed_;
};

}  // namespace keelson::base
