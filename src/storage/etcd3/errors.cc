#include "storage/etcd3/errors.h"

#include <string_view>

namespace keelson::storage::etcd3 {
namespace {

using Rpc = net::grpc::Code;

constexpr std::string_view kCompacted = "etcdserver: mvcc: required revision has been compacted";
constexpr std::string_view kTooLarge = "etcdserver: request is too large";
constexpr std::string_view kFuture = "etcdserver: mvcc: required revision is a future revision";

}  // namespace

Error ToError(const net::grpc::Status& status) {
  const auto error = [&](Code code) { return Error{.code = code, .detail = status.message}; };
  if (status.message == kCompacted) return error(Code::kExpired);
  if (status.message == kFuture) return error(Code::kTooLarge);
  if (status.message == kTooLarge) return error(Code::kTooBig);
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
