// Shared ownership with the count inside the object: one word per pointer and one
// allocation per object. Unlike std::shared_ptr it can be made from a plain pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace keelson::base {

// Base of a type that IntrusivePtr can share. The last Release calls Derived::Destroy
// when the type has one (an object with its bytes behind it), else deletes.
template <class Derived>
class RefCounted {
 public:
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void AddRef() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Release() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    auto* self = const_cast<Derived*>(static_cast<const Derived*>(this));
    if constexpr (requires { Derived::Destroy(self); }) {
      Derived::Destroy(self);
    } else {
      delete self;
    }
  }
  bool unique() const { return refs_.load(std::memory_order_acquire) == 1; }

 protected:
  RefCounted() = default;
  ~RefCounted() = default;

 private:
  mutable std::atomic<uint32_t> refs_{0};
};

template <class T>
class IntrusivePtr {
 public:
  constexpr IntrusivePtr() = default;
  constexpr IntrusivePtr(std::nullptr_t) {}  // NOLINT: as a plain pointer
  explicit IntrusivePtr(T* p) : p_(p) {
    if (p_) p_->AddRef();
  }
  IntrusivePtr(const IntrusivePtr& o) : IntrusivePtr(o.p_) {}
  IntrusivePtr(IntrusivePtr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  IntrusivePtr(const IntrusivePtr<U>& o) : IntrusivePtr(o.get()) {}  // NOLINT
  template <class U>
    requires std::is_convertible_v<U*, T*>
  IntrusivePtr(IntrusivePtr<U>&& o) noexcept : p_(o.Detach()) {}  // NOLINT
  ~IntrusivePtr() {
    if (p_) p_->Release();
  }
  IntrusivePtr& operator=(IntrusivePtr o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }

  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) { return a.p_ == b.p_; }

  // Gives the reference up without releasing it.
  T* Detach() { return std::exchange(p_, nullptr); }

 private:
  T* p_ = nullptr;
};

}  // namespace keelson::base
