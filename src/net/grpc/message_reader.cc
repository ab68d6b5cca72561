#include "net/grpc/message_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace keelson::net::grpc {

bool MessageReader::Feed(std::string_view bytes, const std::function<void(base::Slice)>& deliver) {
  while (!bytes.empty()) {
    if (!message_) {
      const size_t n = std::min(kHeadBytes - head_size_, bytes.size());
      std::memcpy(head_ + head_size_, bytes.data(), n);
      head_size_ += n;
      bytes.remove_prefix(n);
      if (head_size_ < kHeadBytes) return true;
      const size_t size = size_t{head_[1]} << 24 | size_t{head_[2]} << 16 | size_t{head_[3]} << 8 | head_[4];
      if (head_[0] != 0 || size > kMaxMessageBytes) return false;
      message_ = base::Buffer::Create(size);
      filled_ = 0;
    }
    const size_t n = std::min(message_->capacity() - filled_, bytes.size());
    std::memcpy(message_->data() + filled_, bytes.data(), n);
    filled_ += n;
    bytes.remove_prefix(n);
    if (filled_ < message_->capacity()) return true;
    head_size_ = 0;
    const std::string_view whole(message_->data(), filled_);
    deliver(base::Slice::Share(whole, std::exchange(message_, nullptr)));
  }
  return true;
}

MessageHead::MessageHead(size_t size)
    : bytes{0, static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
            static_cast<char>(size)} {}

}  // namespace keelson::net::grpc
