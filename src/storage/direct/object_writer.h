// ObjectWriter: changes of single objects as transactions that compare the key's revision.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/request_notes.h"
#include "base/slice.h"
#include "base/task.h"
#include "storage/backend.h"
#include "storage/direct/lease_pool.h"
#include "storage/object.h"
#include "storage/object_factory.h"
#include "storage/resource_metrics.h"

namespace keelson::storage {

// Threads: any. All that it is given must outlive it.
class ObjectWriter {
 public:
  // `metrics`: null: nothing is measured.
  ObjectWriter(Backend& backend, const ObjectFactory& factory, const base::Clock& clock,
               std::chrono::seconds lease_reuse, ResourceMetrics* metrics = nullptr)
      : backend_(backend),
        factory_(factory),
        clock_(clock),
        metrics_(metrics),
        leases_(backend, clock, lease_reuse) {}

  struct Outcome {
    ObjectPtr object;         // null: the key is at another revision than expected
    Revision revision = 0;    // the store's
    Revision refused_by = 0;  // null: the key's own revision then; 0: it was absent
  };
  // Writes over `current`, the newest object at the key; null: over nothing. kCorrupt: written,
  // but the bytes cannot be read. `trace`, `notes`: of the request that writes; may be null.
  base::Task<Result<Outcome>> Put(std::string key, Draft draft, ObjectPtr current,
                                  std::optional<std::chrono::seconds> ttl, base::Trace* trace,
                                  base::RequestNotes* notes);
  base::Task<Result<Outcome>> Delete(std::string key, ObjectPtr current, base::Trace* trace,
                                     base::RequestNotes* notes);

 private:
  // `in_memory`: what the cache makes of the value; empty: it must look.
  base::Task<Result<Outcome>> Commit(Write write, base::Slice in_memory, ObjectPtr current,
                                     base::Trace* trace, base::RequestNotes* notes);

  Backend& backend_;
  const ObjectFactory& factory_;
  const base::Clock& clock_;
  ResourceMetrics* const metrics_;
  LeasePool leases_;
};

}  // namespace keelson::storage
