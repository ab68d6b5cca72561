// CurrentObjects: where a write takes the object from that it changes. The Cacher answers from memory, and so
// a write over a cache reads nothing from the backend; without a cache the backend is asked.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/task.h"
#include "storage/object.h"

namespace keelson::storage {

// Threads: any.
class CurrentObjects {
 public:
  virtual ~CurrentObjects() = default;

  // The object at `key` ("ns/name" or "name") as far as is known; null: none. It may be older than what is
  // stored: the commit finds that out.
  virtual ObjectPtr Find(std::string_view key) const = 0;
  // Whether Find gives the newest object that anybody was told of.
  virtual bool Fresh() const = 0;
  // Afterwards Find gives what was acknowledged to anybody before this call, or something newer.
  // kUnreachable: that cannot be had now.
  virtual base::Task<Result<void>> Refresh() = 0;
  // Afterwards Find gives what was there at `revision`, or something newer. kTooLarge: it did not come in
  // time.
  virtual base::Task<Result<void>> WaitUntil(Revision revision) = 0;
  // The bytes of all objects of the resource. Asked for where there is a quota, when an object grows.
  virtual base::Task<Result<int64_t>> StoredBytes() = 0;
};

}  // namespace keelson::storage
