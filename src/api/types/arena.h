// Arena: the memory of one request's documents. Nothing in it is freed before all of it is.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/slice.h"

namespace keelson::api {

class Arena {
 public:
  Arena() = default;
  // The arena moved from is empty and may be used again.
  Arena(Arena&& other) noexcept { Swap(other); }
  Arena& operator=(Arena&& other) noexcept {
    Arena(std::move(other)).Swap(*this);
    return *this;
  }

  void* Allocate(size_t bytes, size_t align = alignof(std::max_align_t));
  // Objects are never destroyed, so they must not need to be.
  template <class T>
  T* NewArray(size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): arrays of pointers, too.
    return new (Allocate(n * sizeof(T), alignof(T))) T[n]();
  }
  std::string_view CopyString(std::string_view s);
  // Keeps `slice` alive as long as the arena, so that values may point into it.
  std::string_view Hold(base::Slice slice);

  size_t allocated_bytes() const { return allocated_; }

 private:
  void Swap(Arena& other) noexcept {
    std::swap(blocks_, other.blocks_);
    std::swap(held_, other.held_);
    std::swap(next_, other.next_);
    std::swap(left_, other.left_);
    std::swap(allocated_, other.allocated_);
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<base::Slice> held_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t allocated_ = 0;
};

}  // namespace keelson::api
