// What etcd refuses, in its own words: clients compare them.
#pragma once

#include <string>

#include "base/result.h"
#include "net/grpc/status.h"
#include "storage/errors.h"

namespace keelson::etcd {

using net::grpc::Code;
using net::grpc::Status;

template <class T>
using Result = base::Result<T, Status>;

inline Status Refusal(Code code, const char* what) {
  return {.code = code, .message = std::string("etcdserver: ") + what};
}
inline Status EmptyKey() { return Refusal(Code::kInvalidArgument, "key is not provided"); }
inline Status KeyNotFound() { return Refusal(Code::kInvalidArgument, "key not found"); }
inline Status ValueProvided() { return Refusal(Code::kInvalidArgument, "value is provided"); }
inline Status LeaseProvided() { return Refusal(Code::kInvalidArgument, "lease is provided"); }
inline Status TooManyOps() { return Refusal(Code::kInvalidArgument, "too many operations in txn request"); }
inline Status DuplicateKey() { return Refusal(Code::kInvalidArgument, "duplicate key given in txn request"); }
inline Status InvalidSort() { return Refusal(Code::kInvalidArgument, "invalid sort option"); }
inline Status TooLarge() { return Refusal(Code::kInvalidArgument, "request is too large"); }
inline Status Compacted() { return Refusal(Code::kOutOfRange, "mvcc: required revision has been compacted"); }
inline Status FutureRevision() {
  return Refusal(Code::kOutOfRange, "mvcc: required revision is a future revision");
}
inline Status LeaseNotFound() { return Refusal(Code::kNotFound, "requested lease not found"); }
inline Status LeaseExists() { return Refusal(Code::kFailedPrecondition, "lease already exists"); }
inline Status LeaseTtlTooLarge() { return Refusal(Code::kOutOfRange, "too large lease TTL"); }

Status ToStatus(const storage::Error& error);

}  // namespace keelson::etcd
