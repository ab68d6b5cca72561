#include "etcd/errors.h"

namespace keelson::etcd {

// The one place where an error of the storage becomes etcd's.
Status ToStatus(const storage::Error& error) {
  switch (error.code) {
    case storage::Code::kExpired: return Compacted();
    case storage::Code::kTooLarge: return FutureRevision();
    case storage::Code::kTooBig: return TooLarge();
    case storage::Code::kFull: return Refusal(Code::kResourceExhausted, "mvcc: database space exceeded");
    case storage::Code::kUnreachable: return Refusal(Code::kUnavailable, error.detail.c_str());
    case storage::Code::kNotFound:
    case storage::Code::kExists:
    case storage::Code::kConflict:
    case storage::Code::kInvalidOption:
    case storage::Code::kCorrupt:
    case storage::Code::kAborted: break;
  }
  return Refusal(Code::kInternal, error.detail.c_str());
}

}  // namespace keelson::etcd
