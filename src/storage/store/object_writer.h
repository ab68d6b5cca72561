// ObjectWriter: changes of single objects as transactions that compare the key's revision.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/slice.h"
#include "base/task.h"
#include "storage/backend.h"
#include "storage/object.h"
#include "storage/store/lease_pool.h"

namespace keelson::storage {

// What such a transaction carries (Write::tag): where the cache leaves the object that it
// made of the bytes, before the writer hears of its success.
struct WriteTag {
  ObjectPtr object;  // of a delete: the last state, at the delete's revision
};

// Threads: any.
class ObjectWriter {
 public:
  ObjectWriter(Backend& backend, const base::Clock& clock) : backend_(backend), leases_(backend, clock) {}

  struct Outcome {
    ObjectPtr object;       // null: the key is at another revision than expected
    Revision revision = 0;  // the store's
  };
  // `expected`: the key's newest revision; 0: the key is absent. kCorrupt: written, but the
  // cache could not read the bytes.
  base::Task<Result<Outcome>> Put(std::string key, base::Slice stored, Revision expected,
                                  std::optional<std::chrono::seconds> ttl);
  base::Task<Result<Outcome>> Delete(std::string key, Revision expected);

 private:
  base::Task<Result<Outcome>> Commit(Write write, Revision expected);

  Backend& backend_;
  LeasePool leases_;
};

}  // namespace keelson::storage
