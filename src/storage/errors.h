// What storage can refuse. Translated into API errors in one place: registry/errors.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace keelson::api {
struct Status;
}

namespace keelson::storage {

using Revision = int64_t;

enum class Code : uint8_t {
  kNotFound,
  kExists,         // Create: the key is there
  kConflict,       // a precondition on uid or resourceVersion does not hold
  kExpired,        // revision older than what is kept: 410
  kTooLarge,       // resourceVersion from the future: 504 "Too large resource version"
  kInvalidOption,  // e.g. a continue token that is none
  kTooBig,         // the object is larger than the store takes: 500, as upstream
  kFull,           // the resource has as many bytes as it may have: 507
  kUnreachable,    // backend gone, disk full: 5xx, nothing half-done
  kCorrupt,        // stored bytes that do not decode
  kAborted,        // the caller's update function refused; see `cause`
};

struct Error {
  Code code;
  std::string detail;
  std::string key;
  Revision revision = 0;
  std::shared_ptr<const api::Status> cause;  // kAborted only
  std::string continue_token;                // kExpired of a continued list: to go on from now
};

template <class T>
using Result = base::Result<T, Error>;

}  // namespace keelson::storage
