// The messages of etcd's v3 protocol that the backend sends and reads, as bytes. Field numbers
// are etcd's (rpc.proto, kv.proto); fields that nobody here asks for are skipped.
//
// Decoded values are slices of the message: nothing is copied but keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/slice.h"
#include "storage/backend.h"

namespace keelson::storage::etcd3 {

inline constexpr std::string_view kRangeMethod = "/etcdserverpb.KV/Range";
inline constexpr std::string_view kTxnMethod = "/etcdserverpb.KV/Txn";
inline constexpr std::string_view kCompactMethod = "/etcdserverpb.KV/Compact";
inline constexpr std::string_view kLeaseGrantMethod = "/etcdserverpb.Lease/LeaseGrant";
inline constexpr std::string_view kStatusMethod = "/etcdserverpb.Maintenance/Status";  // asked with nothing
inline constexpr std::string_view kWatchMethod = "/etcdserverpb.Watch/Watch";

// "key" and "range_end" of all keys from the first, and of all keys to the last: one zero byte.
inline constexpr std::string_view kOpenEnd{"\0", 1};

// ---- Requests

// Keys in [start, end) as Backend::Range means them.
std::string EncodeRange(std::string_view start, std::string_view end, const RangeOptions& options);
// One key; at `revision`, 0: now.
std::string EncodeGet(std::string_view key, Revision revision);
// The smallest read that tells the cluster's revision.
std::string EncodeRevisionRead();
// When a compare fails, the answer has every compared key as it is, in the order of the compares.
std::string EncodeTxn(const Txn& txn);
// Puts `value` if `key` has been written `version` times since its creation; else reads it.
std::string EncodePutIfVersion(std::string_view key, int64_t version, std::string_view value);
std::string EncodeCompact(Revision revision);
std::string EncodeLeaseGrant(int64_t ttl_seconds);
// Every change of every key from `start` on.
std::string EncodeWatchCreate(Revision start);

// ---- Answers. Empty: the bytes are no such message.

struct Header {
  uint64_t cluster_id = 0;
  Revision revision = 0;
};

// KeyValue plus what only the protocol has.
struct WireKeyValue {
  std::string_view key;  // in the message
  base::Slice value;
  Revision create_revision = 0;
  Revision mod_revision = 0;
  int64_t version = 0;
  LeaseId lease = 0;

  KeyValue ToKeyValue() &&;
};

struct RangeAnswer {
  Header header;
  std::vector<WireKeyValue> items;
  bool more = false;
  int64_t count = 0;
};
std::optional<RangeAnswer> DecodeRange(const base::Slice& message);

struct TxnAnswer {
  Header header;
  bool succeeded = false;
  std::vector<RangeAnswer> ranges;  // of the answers those that are to a range
};
std::optional<TxnAnswer> DecodeTxn(const base::Slice& message);

std::optional<Header> DecodeHeaderOnly(const base::Slice& message);
// Of a status: what the database takes on the disk.
std::optional<int64_t> DecodeDatabaseBytes(const base::Slice& message);
std::optional<LeaseId> DecodeLeaseGrant(const base::Slice& message);

struct WatchEvent {
  Write::Type type = Write::Type::kPut;
  WireKeyValue kv;
};
struct WatchAnswer {
  Header header;
  bool created = false;
  bool canceled = false;
  Revision compact_revision = 0;  // canceled: where history begins
  std::string cancel_reason;
  std::vector<WatchEvent> events;
};
std::optional<WatchAnswer> DecodeWatch(const base::Slice& message);

}  // namespace keelson::storage::etcd3
