#include "api/types/arena.h"

#include <algorithm>
#include <cstdint>

namespace keelson::api {
namespace {

// Most documents fit the first block; later ones double up to the largest.
constexpr size_t kFirstBlock = 2048;
constexpr size_t kLargestBlock = 256 * 1024;

}  // namespace

void* Arena::Allocate(size_t bytes, size_t align) {
  const size_t skip = -reinterpret_cast<uintptr_t>(next_) & (align - 1);
  if (next_ != nullptr && skip + bytes <= left_) {
    char* p = next_ + skip;
    next_ = p + bytes;
    left_ -= skip + bytes;
    return p;
  }
  const size_t usual = std::min(kFirstBlock << std::min<size_t>(blocks_.size(), 16), kLargestBlock);
  // A large value gets a block of its own, so that the rest of the current one stays in use.
  const bool own_block = bytes > usual / 2;
  const size_t size = own_block ? bytes + align : usual;
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
  allocated_ += size;
  char* begin = blocks_.back().get();
  char* p = begin + (-reinterpret_cast<uintptr_t>(begin) & (align - 1));
  if (!own_block) {
    next_ = p + bytes;
    left_ = static_cast<size_t>(begin + size - next_);
  }
  return p;
}

std::string_view Arena::CopyString(std::string_view s) {
  if (s.empty()) return {};
  char* p = static_cast<char*>(Allocate(s.size(), 1));
  std::memcpy(p, s.data(), s.size());
  return {p, s.size()};
}

std::string_view Arena::Hold(base::Slice slice) {
  held_.push_back(std::move(slice));
  return held_.back().view();
}

}  // namespace keelson::api
