// PortAllocator: the ports of nodes that are given to services. What is taken is one stored
// object (/registry/ranges/servicenodeports), changed by compare and swap: servers that share
// a store never give out a port twice, and a crash loses nothing.
#pragma once

#include <functional>
#include <string>

#include "api/meta/status.h"
#include "base/result.h"
#include "base/task.h"
#include "registry/core/port_bitmap.h"
#include "storage/interface.h"

namespace keelson::registry::core {

// Threads: any loop. The storage outlives it.
class PortAllocator {
 public:
  // `ranges` stores RangeAllocation objects by name.
  PortAllocator(storage::Interface& ranges, PortRange range) : ranges_(ranges), range_(range) {}

  const PortRange& range() const { return range_; }

  // Changes what is taken. `change` is called again after each conflict, with what is taken
  // then; an error ends the call and nothing is stored.
  using Change = std::function<base::Result<void, api::Status>(PortBitmap& ports)>;
  base::Task<base::Result<void, api::Status>> Update(Change change);

  // What is taken now.
  base::Task<base::Result<PortBitmap, api::Status>> Read();

  // Stores `rebuild(taken now)` under the configured range, whatever range was stored
  // before; made if there was none. Only what both ranges contain is handed over.
  using Rebuild = std::function<PortBitmap(const PortBitmap& stored)>;
  base::Task<base::Result<void, api::Status>> Replace(Rebuild rebuild);

 private:
  base::Task<base::Result<void, api::Status>> Write(bool any_range, Rebuild rebuild, Change change);

  storage::Interface& ranges_;
  const PortRange range_;
};

}  // namespace keelson::registry::core
