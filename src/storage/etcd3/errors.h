// What etcd's refusals mean to storage.
#pragma once

#include "net/grpc/status.h"
#include "storage/errors.h"

namespace keelson::storage::etcd3 {

// Requires: !status.ok().
Error ToError(const net::grpc::Status& status);

// Whether a write that ended so has certainly not happened and will not.
bool NotWritten(const net::grpc::Status& status);

}  // namespace keelson::storage::etcd3
