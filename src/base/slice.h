// Slice: a run of immutable bytes, and a share in whatever keeps them alive.
// Copying a Slice never copies bytes. What travels between layers (stored objects,
// response bodies, request bodies) travels as slices.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "base/intrusive_ptr.h"

namespace keelson::base {

// A block of bytes in one allocation with its reference count.
class Buffer final : public RefCounted<Buffer> {
 public:
  static IntrusivePtr<Buffer> Create(size_t capacity) {
    void* p = std::malloc(sizeof(Buffer) + capacity);
    if (!p) throw std::bad_alloc();
    return IntrusivePtr<Buffer>(new (p) Buffer(capacity));
  }
  static void Destroy(Buffer* b) {
    b->~Buffer();
    std::free(b);
  }
  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  size_t capacity() const { return capacity_; }

 private:
  explicit Buffer(size_t capacity) : capacity_(capacity) {}
  const size_t capacity_;
};

class Slice {
 public:
  Slice() = default;

  // Bytes that outlive everything: literals and constant tables.
  static Slice Static(std::string_view bytes) { return Slice(bytes, nullptr, nullptr); }
  static Slice Copy(std::string_view bytes) {
    auto b = Buffer::Create(bytes.size());
    std::char_traits<char>::copy(b->data(), bytes.data(), bytes.size());
    std::string_view view(b->data(), bytes.size());
    return Share(view, std::move(b));
  }
  // `bytes` must lie in memory that `owner` keeps alive. T is a RefCounted type.
  template <class T>
  static Slice Share(std::string_view bytes, IntrusivePtr<T> owner) {
    return Slice(bytes, owner.Detach(), &kOps<std::remove_const_t<T>>);
  }

  Slice(const Slice& o) : bytes_(o.bytes_), owner_(o.owner_), ops_(o.ops_) {
    if (owner_) ops_->add_ref(owner_);
  }
  Slice(Slice&& o) noexcept
      : bytes_(std::exchange(o.bytes_, {})), owner_(std::exchange(o.owner_, nullptr)), ops_(o.ops_) {}
  Slice& operator=(Slice o) noexcept {
    std::swap(bytes_, o.bytes_);
    std::swap(owner_, o.owner_);
    std::swap(ops_, o.ops_);
    return *this;
  }
  ~Slice() {
    if (owner_) ops_->release(owner_);
  }

  std::string_view view() const { return bytes_; }
  const char* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  // A part of these bytes, sharing the owner.
  Slice Sub(size_t pos, size_t len = std::string_view::npos) const {
    Slice s(*this);
    s.bytes_ = bytes_.substr(pos, len);
    return s;
  }
  void RemovePrefix(size_t n) { bytes_.remove_prefix(n); }

 private:
  struct Ops {
    void (*add_ref)(const void*);
    void (*release)(const void*);
  };
  template <class T>
  static constexpr Ops kOps{[](const void* p) { static_cast<const T*>(p)->AddRef(); },
                            [](const void* p) { static_cast<const T*>(p)->Release(); }};

  Slice(std::string_view bytes, const void* owner, const Ops* ops)
      : bytes_(bytes), owner_(owner), ops_(ops) {}

  std::string_view bytes_;
  const void* owner_ = nullptr;
  const Ops* ops_ = nullptr;
};

// Grows one contiguous block and hands it out as a Slice without copying it.
class BufferBuilder {
 public:
  explicit BufferBuilder(size_t capacity = 0) {
    if (capacity) Grow(capacity);
  }

  // At least `n` writable bytes at the end; Advance() takes what was written.
  char* Reserve(size_t n) {
    if (capacity_ - size_ < n) Grow(n);
    return data_ + size_;
  }
  void Advance(size_t n) { size_ += n; }
  void Append(std::string_view s) {
    std::char_traits<char>::copy(Reserve(s.size()), s.data(), s.size());
    size_ += s.size();
  }
  void Append(char c) {
    *Reserve(1) = c;
    ++size_;
  }
  // Drops everything after the first `n` bytes. Requires: n <= size().
  void Truncate(size_t n) { size_ = n; }
  // Empties it. Room for objects of common size is kept for the next use, more is let go: for scratch space
  // that belongs to a thread.
  void Clear() {
    size_ = 0;
    if (capacity_ <= kKeptRoom) return;
    buffer_ = nullptr;
    data_ = nullptr;
    capacity_ = 0;
  }
  static constexpr size_t kKeptRoom = size_t{32} << 10;

  size_t size() const { return size_; }
  char* data() { return data_; }
  std::string_view view() const { return {data_, size_}; }
  size_t capacity() const { return capacity_; }

  // Everything written so far; the builder is empty afterwards.
  Slice Take() {
    if (!buffer_) return {};
    std::string_view bytes(data_, size_);
    data_ = nullptr;
    size_ = capacity_ = 0;
    return Slice::Share(bytes, std::move(buffer_));
  }

 private:
  void Grow(size_t n) {
    size_t want = capacity_ * 2;
    if (want < size_ + n) want = size_ + n;
    if (want < 512) want = 512;
    auto bigger = Buffer::Create(want);
    if (size_) std::char_traits<char>::copy(bigger->data(), data_, size_);
    buffer_ = std::move(bigger);
    data_ = buffer_->data();
    capacity_ = want;
  }

  IntrusivePtr<Buffer> buffer_;
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace keelson::base
