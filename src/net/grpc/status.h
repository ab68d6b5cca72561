// How a gRPC call ended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace keelson::net::grpc {

// The protocol's numbers; those that nobody here asks for are left out.
enum class Code : uint8_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

struct Status {
  Code code = Code::kOk;
  std::string message;
  // The server has certainly not begun with it: it may be sent again, here or elsewhere.
  bool unprocessed = false;
  // The server said so itself, in its trailers; else the connection or we ended the call.
  bool from_server = false;

  bool ok() const { return code == Code::kOk; }
};

// The value of a grpc-message field: UTF-8 with some bytes as %XX; what is malformed stays as it is.
std::string DecodeMessage(std::string_view field);
// The other way round: whatever is not printable ASCII, and the percent sign, as %XX.
std::string EncodeMessage(std::string_view message);

}  // namespace keelson::net::grpc
