// Arena: the memory of one request's documents. Nothing in it is freed before all of it is.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/slice.h"

namespace keelson::api {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  void* Allocate(size_t bytes, size_t align = alignof(std::max_align_t));
  // Objects are never destroyed, so they must not need to be.
  template <class T>
  T* NewArray(size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(n * sizeof(T), alignof(T))) T[n]();
  }
  std::string_view CopyString(std::string_view s);
  // Keeps `slice` alive as long as the arena, so that values may point into it.
  std::string_view Hold(base::Slice slice);

  size_t allocated_bytes() const { return allocated_; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<base::Slice> held_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t allocated_ = 0;
};

}  // namespace keelson::api
