// PageShiftedBuffer: bytes that OpenSSL's own buffers are copied to or from.
//
// Those start at a page or a few bytes into it. When the target of a copy lies less than a
// vector's width further into its page than the source, the processor takes every load to
// depend on the store before it: 1 GB/s in place of 50. So this one starts in the middle of
// a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace keelson::net::tls {

class PageShiftedBuffer {
 public:
  PageShiftedBuffer() = default;
  explicit PageShiftedBuffer(size_t capacity) { Grow(capacity); }
  PageShiftedBuffer(PageShiftedBuffer&& o) noexcept { Swap(o); }
  PageShiftedBuffer& operator=(PageShiftedBuffer o) noexcept {
    Swap(o);
    return *this;
  }

  char* data() { return data_; }
  std::string_view view() const { return {data_, size_}; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }

  void Append(std::string_view bytes) {
    if (bytes.empty()) return;
    if (capacity_ - size_ < bytes.size()) Grow(bytes.size());
    std::memcpy(data_ + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  // Keeps the memory.
  void Clear() { size_ = 0; }

 private:
  static constexpr size_t kPage = 4096, kShift = kPage / 2;

  // Makes room for at least `n` bytes more.
  void Grow(size_t n) {
    size_t want = 2 * capacity_;
    if (want < size_ + n) want = size_ + n;
    std::unique_ptr<char[]> memory(new char[want + kPage]);
    const size_t in_page = reinterpret_cast<uintptr_t>(memory.get()) % kPage;
    char* const data = memory.get() + (kPage + kShift - in_page) % kPage;
    if (size_ > 0) std::memcpy(data, data_, size_);
    memory_ = std::move(memory);
    data_ = data;
    capacity_ = want;
  }
  void Swap(PageShiftedBuffer& o) noexcept {
    std::swap(memory_, o.memory_);
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(capacity_, o.capacity_);
  }

  std::unique_ptr<char[]> memory_;
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace keelson::net::tls
