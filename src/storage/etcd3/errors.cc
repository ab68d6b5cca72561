#include "storage/etcd3/errors.h"

#include <string_view>

namespace keelson::storage::etcd3 {
namespace {

using Rpc = net::grpc::Code;

constexpr std::string_view kCompacted = "etcdserver: mvcc: required revision has been compacted";
constexpr std::string_view kTooLarge = "etcdserver: request is too large";
// What gRPC itself says of a message above the server's limit, which is half a MiB above etcd's for requests.
constexpr std::string_view kMessageTooLarge = "larger than max";
constexpr std::string_view kFuture = "etcdserver: mvcc: required revision is a future revision";

}  // namespace

Error ToError(const net::grpc::Status& status) {
  const auto error = [&](Code code) { return Error{.code = code, .detail = status.message}; };
  if (status.message == kCompacted) return error(Code::kExpired);
  if (status.message == kFuture) return error(Code::kTooLarge);
  if (status.message == kTooLarge) return error(Code::kTooBig);
  // In upstream's words for it.
  if (status.code == Rpc::kResourceExhausted && status.message.find(kMessageTooLarge) != std::string::npos)
    return Error{.code = Code::kTooBig,
                 .detail = "rpc error: code = ResourceExhausted desc = " + status.message};
  switch (status.code) {
    case Rpc::kNotFound: return error(Code::kNotFound);
    case Rpc::kInvalidArgument: return error(Code::kInvalidOption);
    default: break;
  }
  return error(Code::kUnreachable);
}

bool NotWritten(const net::grpc::Status& status) {
  if (status.unprocessed) return true;
  if (!status.from_server) return false;
  switch (status.code) {
    case Rpc::kInvalidArgument:
    case Rpc::kNotFound:
    case Rpc::kPermissionDenied:
    case Rpc::kResourceExhausted:
    case Rpc::kFailedPrecondition:
    case Rpc::kOutOfRange:
    case Rpc::kUnimplemented:
    case Rpc::kUnauthenticated: return true;
    default: return false;
  }
}

}  // namespace keelson::storage::etcd3
