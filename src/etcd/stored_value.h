// How a value is kept in the Backend, which knows neither versions nor leases that are kept alive:
//   version   varint, how often the key was written since it was made
//   lease     varint, 0: none
//   ttl       varint, of the lease in seconds; only if there is one
//   value     the rest
// A lease is so found again after a restart, with its keys.
#pragma once

#include <cstdint>
#include <optional>

#include "etcd/messages.h"
#include "storage/backend.h"

namespace keelson::etcd {

struct StoredEntry {
  Entry entry;
  int64_t lease_ttl = 0;
};

base::Slice PackValue(int64_t version, LeaseId lease, int64_t lease_ttl, std::string_view value);

// Nothing: the value is no such thing.
std::optional<StoredEntry> Unpack(storage::KeyValue stored);

}  // namespace keelson::etcd
