// MessageReader: finds gRPC messages in the bytes of a stream's body: a flag, a length of four
// bytes, the message; again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/slice.h"

namespace keelson::net::grpc {

class MessageReader {
 public:
  // Takes the next bytes and calls `deliver` for every message that is then complete. False:
  // the bytes are no uncompressed messages of acceptable size; the stream is of no more use.
  [[nodiscard]] bool Feed(std::string_view bytes, const std::function<void(base::Slice)>& deliver);

  // Whether the stream may end here.
  bool between_messages() const { return head_size_ == 0 && !message_; }

 private:
  static constexpr size_t kHeadBytes = 5;
  static constexpr size_t kMaxMessageBytes = size_t{1} << 30;

  unsigned char head_[kHeadBytes] = {};
  size_t head_size_ = 0;
  base::IntrusivePtr<base::Buffer> message_;  // while one is being read
  size_t filled_ = 0;
};

// The five bytes before a message of `size` bytes.
struct MessageHead {
  explicit MessageHead(size_t size);
  std::string_view view() const { return {bytes, sizeof(bytes)}; }
  char bytes[5];
};

}  // namespace keelson::net::grpc
