// Mutex whose use clang's thread-safety analysis checks (-Wthread-safety).
#pragma once

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

namespace keelson::base {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mu_.lock(); }
  void unlock() RELEASE() { mu_.unlock(); }
  // For std::condition_variable only; the analysis does not follow it.
  std::mutex& native() { return mu_; }

 private:
  std::mutex mu_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mu) ACQUIRE(mu) : mu_(mu) { mu_.lock(); }
  ~MutexLock() RELEASE() { mu_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mu_;
};

}  // namespace keelson::base
