// Published: a pointer that one thread replaces and any thread reads, without a lock and
// without waiting. What it points to lives until its last reader lets go.
//
// A reader must take the pointer and count itself in one step, or the object could go in
// between. So the word holds both: the address, and in its upper 16 bits the number of
// readers that took it since it was published. A reader that lets go subtracts from the
// count inside the object, which starts with a bias so large that it cannot reach zero while
// the object is published. Replacing it settles the two counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace keelson::base {

template <class T>
class Published;

// Base of a type that Published can hold.
template <class Derived>
class Publishable {
 public:
  Publishable(const Publishable&) = delete;
  Publishable& operator=(const Publishable&) = delete;

 protected:
  Publishable() = default;
  ~Publishable() = default;

 private:
  template <class T>
  friend class Published;
  template <class T>
  friend class Reading;
  static constexpr int64_t kBias = int64_t{1} << 40;

  void Add(int64_t n) const {
    if (count_.fetch_add(n, std::memory_order_acq_rel) + n == 0) delete static_cast<const Derived*>(this);
  }
  mutable std::atomic<int64_t> count_{kBias};
};

// A share in a published object. Copying it does not touch the published word.
template <class T>
class Reading {
 public:
  Reading() = default;
  Reading(const Reading& o) : p_(o.p_) {
    if (p_) p_->Add(1);
  }
  Reading(Reading&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Reading& operator=(Reading o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Reading() {
    if (p_) p_->Add(-1);
  }
  const T* get() const { return p_; }
  const T* operator->() const { return p_; }
  const T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  friend class Published<T>;
  explicit Reading(const T* counted) : p_(counted) {}
  const T* p_ = nullptr;
};

template <class T>
class Published {
 public:
  // Takes ownership of `first`, which must not be null.
  explicit Published(const T* first) : word_(Pack(first)) {}
  ~Published() { Retire(word_.load(std::memory_order_acquire)); }
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  // Any thread. Wait-free but for the rare moment when the readers' count is moved.
  Reading<T> Read() const {
    const uint64_t word = word_.fetch_add(kOneReader, std::memory_order_acq_rel) + kOneReader;
    if ((word >> kShift) >= kManyReaders) MoveCount(word);
    return Reading<T>(Address(word));
  }

  // Takes ownership of `next`, which must not be null. One thread at a time.
  void Replace(const T* next) { Retire(word_.exchange(Pack(next), std::memory_order_acq_rel)); }

 private:
  static constexpr int kShift = 48;
  static constexpr uint64_t kOneReader = uint64_t{1} << kShift;
  // Far enough below 2^16 that the readers in between cannot overrun the count.
  static constexpr uint64_t kManyReaders = uint64_t{1} << 14;

  // User space addresses of 64-bit Linux fit in 47 or 48 bits unless a program asks for more.
  static uint64_t Pack(const T* p) { return reinterpret_cast<uint64_t>(p); }
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  static const T* Address(uint64_t word) { return reinterpret_cast<const T*>(word & (kOneReader - 1)); }

  void Retire(uint64_t word) {
    Address(word)->Add(static_cast<int64_t>(word >> kShift) - Publishable<T>::kBias);
  }
  // Into the object's own count, unless another reader or the writer was faster.
  // Requires: the caller's own reading is counted in `word`, so the object lives.
  void MoveCount(uint64_t word) const {
    const T* p = Address(word);
    while (Address(word) == p && (word >> kShift) >= kManyReaders) {
      const auto readers = static_cast<int64_t>(word >> kShift);
      p->Add(readers);  // before they leave the word, so that the sum is never too small
      if (word_.compare_exchange_strong(word, Pack(p), std::memory_order_acq_rel)) return;
      p->Add(-readers);
    }
  }

  mutable std::atomic<uint64_t> word_;
};

}  // namespace keelson::base
