// The messages of etcd's v3 protocol as a server reads and writes them. Field numbers are etcd's (rpc.proto,
// kv.proto). What is read points into the message, which must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/slice.h"
#include "storage/backend.h"

namespace keelson::etcd {

using storage::LeaseId;
using storage::Revision;

// ---- Requests

struct RangeRequest {
  enum class Order : uint8_t { kNone, kAscend, kDescend };
  enum class Target : uint8_t { kKey, kVersion, kCreate, kMod, kValue };
  std::string_view key, range_end;
  int64_t limit = 0;
  Revision revision = 0;
  int64_t order = 0, target = 0;  // Order, Target, or what neither knows
  bool keys_only = false, count_only = false;
  Revision min_mod = 0, max_mod = 0, min_create = 0, max_create = 0;  // 0: no limit
};

struct PutRequest {
  std::string_view key;
  base::Slice value;
  LeaseId lease = 0;
  bool prev_kv = false, ignore_value = false, ignore_lease = false;
};

struct DeleteRangeRequest {
  std::string_view key, range_end;
  bool prev_kv = false;
};

struct Compare {
  enum class Result : uint8_t { kEqual, kGreater, kLess, kNotEqual };
  enum class Target : uint8_t { kVersion, kCreate, kMod, kValue, kLease };
  int64_t result = 0, target = 0;  // Result, Target, or what neither knows
  std::string_view key, range_end;
  int64_t number = 0;      // what all but kValue are compared with
  std::string_view value;  // of kValue
};

struct TxnRequest;
using Operation = std::variant<RangeRequest, PutRequest, DeleteRangeRequest, TxnRequest>;
struct TxnRequest {
  std::vector<Compare> compares;
  std::vector<Operation> success, failure;
};

struct WatchCreateRequest {
  std::string_view key, range_end;
  Revision start_revision = 0;
  bool progress_notify = false, prev_kv = false, no_put = false, no_delete = false;
  int64_t watch_id = 0;
};
struct WatchCancelRequest {
  int64_t watch_id = 0;
};
struct WatchProgressRequest {};
using WatchRequest = std::variant<WatchCreateRequest, WatchCancelRequest, WatchProgressRequest>;

// All the requests that are a few numbers.
struct Numbers {
  int64_t first = 0, second = 0;  // the fields 1 and 2
};

// Empty: the bytes are no such message.
std::optional<RangeRequest> DecodeRange(const base::Slice& message);
std::optional<PutRequest> DecodePut(const base::Slice& message);
std::optional<DeleteRangeRequest> DecodeDeleteRange(const base::Slice& message);
std::optional<TxnRequest> DecodeTxn(const base::Slice& message);
std::optional<WatchRequest> DecodeWatch(const base::Slice& message);
std::optional<Numbers> DecodeNumbers(const base::Slice& message);

// ---- Answers, as bytes

struct Header {
  uint64_t cluster_id = 0, member_id = 0;
  Revision revision = 0;
};

// A key with its value, and what the protocol tells of it.
struct Entry {
  std::string key;
  base::Slice value;
  Revision create_revision = 0, mod_revision = 0;
  int64_t version = 0;
  LeaseId lease = 0;
};

struct RangeAnswer {
  std::vector<Entry> entries;
  bool more = false;
  int64_t count = 0;
  Revision revision = 0;  // of the store when this was read; 0: nothing had to be read
};
struct PutAnswer {
  std::optional<Entry> previous;
};
struct DeleteRangeAnswer {
  int64_t deleted = 0;
  std::vector<Entry> previous;
};
struct TxnAnswer;
using Answer = std::variant<RangeAnswer, PutAnswer, DeleteRangeAnswer, TxnAnswer>;
struct TxnAnswer {
  bool succeeded = false;
  std::vector<Answer> answers;
};

std::string Encode(const Header& header, const RangeAnswer& answer);
std::string Encode(const Header& header, const PutAnswer& answer);
std::string Encode(const Header& header, const DeleteRangeAnswer& answer);
std::string Encode(const Header& header, const TxnAnswer& answer);
// With nothing but a header.
std::string Encode(const Header& header);

struct Event {
  bool is_delete = false;
  Entry entry;  // of a delete: key and mod_revision
  std::optional<Entry> previous;
};
struct WatchAnswer {
  int64_t watch_id = 0;
  bool created = false, canceled = false;
  Revision compact_revision = 0;
  std::string cancel_reason;
  std::vector<Event> events;
};
std::string Encode(const Header& header, const WatchAnswer& answer);

struct LeaseAnswer {
  LeaseId id = 0;
  int64_t ttl = 0;
};
std::string Encode(const Header& header, const LeaseAnswer& answer);  // granted, or kept alive

struct LeaseState {
  LeaseId id = 0;
  int64_t ttl = 0, granted_ttl = 0;  // ttl -1: there is no such lease
  std::vector<std::string> keys;
};
std::string Encode(const Header& header, const LeaseState& state);
std::string Encode(const Header& header, const std::vector<LeaseId>& leases);

struct Member {
  std::string name;
  std::vector<std::string> peer_urls, client_urls;
};
std::string Encode(const Header& header, const Member& only);

// Of Maintenance.Status.
struct ServerStatus {
  std::string version;
  int64_t db_size = 0;
};
std::string Encode(const Header& header, const ServerStatus& status);

}  // namespace keelson::etcd
