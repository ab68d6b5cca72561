#include "storage/etcd3/messages.h"

#include <utility>

#include "storage/etcd3/wire.h"

namespace keelson::storage::etcd3 {
namespace {

// Field numbers of the requests.
namespace range {
enum : uint32_t { kKey = 1, kRangeEnd = 2, kLimit = 3, kRevision = 4, kKeysOnly = 8, kCountOnly = 9 };
}
namespace put {
enum : uint32_t { kKey = 1, kValue = 2, kLease = 3 };
}
namespace op {
enum : uint32_t { kRange = 1, kPut = 2, kDeleteRange = 3 };
}
namespace compare {
enum : uint32_t { kTarget = 2, kKey = 3, kVersion = 4, kModRevision = 6 };
enum : uint64_t { kTargetVersion = 0, kTargetMod = 2 };
}  // namespace compare
namespace txn_request {
enum : uint32_t { kCompare = 1, kSuccess = 2, kFailure = 3 };
}
namespace watch {
enum : uint32_t { kCreate = 1, kKey = 1, kRangeEnd = 2, kStartRevision = 3 };
}

void WriteCompare(Writer& w, uint64_t target, std::string_view key, uint32_t field, int64_t value) {
  // The value is a member of a oneof: present even when it is zero.
  const size_t size = NumberSize(compare::kTarget, target) + TextSize(compare::kKey, key) +
                      VarintSize(Tag(field, kVarint)) + VarintSize(Unsigned(value));
  w.Begin(txn_request::kCompare, size);
  w.Number(compare::kTarget, target);
  w.Text(compare::kKey, key);
  w.PresentNumber(field, Unsigned(value));
}

void WritePut(Writer& w, std::string_view key, std::string_view value, LeaseId lease) {
  const size_t size =
      TextSize(put::kKey, key) + TextSize(put::kValue, value) + NumberSize(put::kLease, Unsigned(lease));
  w.Begin(txn_request::kSuccess, BytesSize(op::kPut, size));
  w.Begin(op::kPut, size);
  w.Text(put::kKey, key);
  w.Text(put::kValue, value);
  w.Number(put::kLease, Unsigned(lease));
}

void WriteDelete(Writer& w, std::string_view key) {
  const size_t size = TextSize(1, key);
  w.Begin(txn_request::kSuccess, BytesSize(op::kDeleteRange, size));
  w.Begin(op::kDeleteRange, size);
  w.Text(1, key);
}

void WriteReadOnFailure(Writer& w, std::string_view key) {
  const size_t size = TextSize(range::kKey, key);
  w.Begin(txn_request::kFailure, BytesSize(op::kRange, size));
  w.Begin(op::kRange, size);
  w.Text(range::kKey, key);
}

bool ReadHeader(std::string_view bytes, Header* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    int64_t v;
    switch (number) {
      case 1:
        if (!ReadNumber(type, r, &v)) return false;
        out->cluster_id = static_cast<uint64_t>(v);
        return true;
      case 3: return ReadNumber(type, r, &out->revision);
      default: return r.Skip(type);
    }
  });
}

bool ReadKeyValue(const base::Slice& message, std::string_view bytes, WireKeyValue* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    std::string_view text;
    switch (number) {
      case 1: return ReadBytes(type, r, &out->key);
      case 2: return ReadNumber(type, r, &out->create_revision);
      case 3: return ReadNumber(type, r, &out->mod_revision);
      case 4: return ReadNumber(type, r, &out->version);
      case 5:
        if (!ReadBytes(type, r, &text)) return false;
        out->value = SliceOf(message, text);
        return true;
      case 6: return ReadNumber(type, r, &out->lease);
      default: return r.Skip(type);
    }
  });
}

bool ReadRange(const base::Slice& message, std::string_view bytes, RangeAnswer* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    std::string_view text;
    switch (number) {
      case 1: return ReadBytes(type, r, &text) && ReadHeader(text, &out->header);
      case 2: return ReadBytes(type, r, &text) && ReadKeyValue(message, text, &out->items.emplace_back());
      case 3: return ReadBool(type, r, &out->more);
      case 4: return ReadNumber(type, r, &out->count);
      default: return r.Skip(type);
    }
  });
}

bool ReadEvent(const base::Slice& message, std::string_view bytes, WatchEvent* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    std::string_view text;
    int64_t v;
    switch (number) {
      case 1:
        if (!ReadNumber(type, r, &v)) return false;
        out->type = v == 0 ? Write::Type::kPut : Write::Type::kDelete;
        return true;
      case 2: return ReadBytes(type, r, &text) && ReadKeyValue(message, text, &out->kv);
      default: return r.Skip(type);
    }
  });
}

}  // namespace

std::string EncodeRange(std::string_view start, std::string_view end, const RangeOptions& options) {
  Writer w(start.size() + end.size() + 32);
  w.Text(range::kKey, start.empty() ? kOpenEnd : start);
  w.Text(range::kRangeEnd, end.empty() ? kOpenEnd : end);
  w.Number(range::kLimit, options.limit);
  w.Number(range::kRevision, Unsigned(options.revision));
  w.Number(range::kKeysOnly, options.keys_only ? 1 : 0);
  return w.Take();
}

std::string EncodeGet(std::string_view key, Revision revision) {
  Writer w(key.size() + 16);
  w.Text(range::kKey, key);
  w.Number(range::kRevision, Unsigned(revision));
  return w.Take();
}

std::string EncodeRevisionRead() {
  Writer w;
  w.Text(range::kKey, kOpenEnd);
  w.Number(range::kCountOnly, 1);
  return w.Take();
}

std::string EncodeTxn(const Txn& txn) {
  size_t estimate = 0;
  for (const Compare& c : txn.compares) estimate += 2 * c.key.size() + 48;
  for (const Write& write : txn.writes) estimate += write.key.size() + write.value.size() + 48;
  Writer w(estimate);
  for (const Compare& c : txn.compares)
    WriteCompare(w, compare::kTargetMod, c.key, compare::kModRevision, c.mod_revision);
  for (const Write& write : txn.writes) {
    if (write.type == Write::Type::kPut)
      WritePut(w, write.key, write.value.view(), write.lease);
    else
      WriteDelete(w, write.key);
  }
  for (const Compare& c : txn.compares) WriteReadOnFailure(w, c.key);
  return w.Take();
}

std::string EncodePutIfVersion(std::string_view key, int64_t version, std::string_view value) {
  Writer w;
  WriteCompare(w, compare::kTargetVersion, key, compare::kVersion, version);
  WritePut(w, key, value, 0);
  WriteReadOnFailure(w, key);
  return w.Take();
}

std::string EncodeCompact(Revision revision) {
  Writer w;
  w.Number(1, Unsigned(revision));
  return w.Take();
}

std::string EncodeLeaseGrant(int64_t ttl_seconds) {
  Writer w;
  w.Number(1, Unsigned(ttl_seconds));
  return w.Take();
}

std::string EncodeWatchCreate(Revision start) {
  const size_t size =
      2 * TextSize(watch::kKey, kOpenEnd) + NumberSize(watch::kStartRevision, Unsigned(start));
  Writer w;
  w.Begin(watch::kCreate, size);
  w.Text(watch::kKey, kOpenEnd);
  w.Text(watch::kRangeEnd, kOpenEnd);
  w.Number(watch::kStartRevision, Unsigned(start));
  return w.Take();
}

KeyValue WireKeyValue::ToKeyValue() && {
  return {.key = std::string(key),
          .value = std::move(value),
          .create_revision = create_revision,
          .mod_revision = mod_revision,
          .lease = lease};
}

std::optional<RangeAnswer> DecodeRange(const base::Slice& message) {
  RangeAnswer answer;
  if (!ReadRange(message, message.view(), &answer)) return std::nullopt;
  return answer;
}

std::optional<TxnAnswer> DecodeTxn(const base::Slice& message) {
  TxnAnswer answer;
  const auto response = [&](uint32_t number, uint32_t type, WireReader& r) {
    std::string_view text;
    if (number != op::kRange) return r.Skip(type);
    return ReadBytes(type, r, &text) && ReadRange(message, text, &answer.ranges.emplace_back());
  };
  const bool whole = ForEachField(message.view(), [&](uint32_t number, uint32_t type, WireReader& r) {
    std::string_view text;
    switch (number) {
      case 1: return ReadBytes(type, r, &text) && ReadHeader(text, &answer.header);
      case 2: return ReadBool(type, r, &answer.succeeded);
      case 3: return ReadBytes(type, r, &text) && ForEachField(text, response);
      default: return r.Skip(type);
    }
  });
  if (!whole) return std::nullopt;
  return answer;
}

std::optional<Header> DecodeHeaderOnly(const base::Slice& message) {
  Header header;
  const bool whole = ForEachField(message.view(), [&](uint32_t number, uint32_t type, WireReader& r) {
    std::string_view text;
    if (number != 1) return r.Skip(type);
    return ReadBytes(type, r, &text) && ReadHeader(text, &header);
  });
  if (!whole) return std::nullopt;
  return header;
}

std::optional<LeaseId> DecodeLeaseGrant(const base::Slice& message) {
  LeaseId id = 0;
  const bool whole = ForEachField(message.view(), [&](uint32_t number, uint32_t type, WireReader& r) {
    return number == 2 ? ReadNumber(type, r, &id) : r.Skip(type);
  });
  if (!whole || id == 0) return std::nullopt;
  return id;
}

std::optional<int64_t> DecodeDatabaseBytes(const base::Slice& message) {
  int64_t bytes = 0;
  const bool whole = ForEachField(message.view(), [&](uint32_t number, uint32_t type, WireReader& r) {
    return number == 3 ? ReadNumber(type, r, &bytes) : r.Skip(type);
  });
  if (!whole) return std::nullopt;
  return bytes;
}

std::optional<WatchAnswer> DecodeWatch(const base::Slice& message) {
  WatchAnswer answer;
  const bool whole = ForEachField(message.view(), [&](uint32_t number, uint32_t type, WireReader& r) {
    std::string_view text;
    switch (number) {
      case 1: return ReadBytes(type, r, &text) && ReadHeader(text, &answer.header);
      case 3: return ReadBool(type, r, &answer.created);
      case 4: return ReadBool(type, r, &answer.canceled);
      case 5: return ReadNumber(type, r, &answer.compact_revision);
      case 6:
        if (!ReadBytes(type, r, &text)) return false;
        answer.cancel_reason = text;
        return true;
      case 11: return ReadBytes(type, r, &text) && ReadEvent(message, text, &answer.events.emplace_back());
      default: return r.Skip(type);
    }
  });
  if (!whole) return std::nullopt;
  return answer;
}

}  // namespace keelson::storage::etcd3
