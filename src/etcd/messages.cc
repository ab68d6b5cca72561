#include "etcd/messages.h"

#include <utility>

#include "storage/etcd3/wire.h"

namespace keelson::etcd {
namespace {

using storage::etcd3::BytesSize;
using storage::etcd3::ForEachField;
using storage::etcd3::NumberSize;
using storage::etcd3::ReadBool;
using storage::etcd3::ReadBytes;
using storage::etcd3::ReadNumber;
using storage::etcd3::SliceOf;
using storage::etcd3::TextSize;
using storage::etcd3::Unsigned;
using storage::etcd3::WireReader;
using storage::etcd3::Writer;

constexpr int kMaxDepth = 32;  // of transactions in transactions
constexpr uint64_t kRaftTerm = 2;

// ---- Reading

bool Read(std::string_view bytes, RangeRequest* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    switch (number) {
      case 1: return ReadBytes(type, r, &out->key);
      case 2: return ReadBytes(type, r, &out->range_end);
      case 3: return ReadNumber(type, r, &out->limit);
      case 4: return ReadNumber(type, r, &out->revision);
      case 5: return ReadNumber(type, r, &out->order);
      case 6: return ReadNumber(type, r, &out->target);
      case 8: return ReadBool(type, r, &out->keys_only);
      case 9: return ReadBool(type, r, &out->count_only);
      case 10: return ReadNumber(type, r, &out->min_mod);
      case 11: return ReadNumber(type, r, &out->max_mod);
      case 12: return ReadNumber(type, r, &out->min_create);
      case 13: return ReadNumber(type, r, &out->max_create);
      default: return r.Skip(type);
    }
  });
}

bool Read(const base::Slice& message, std::string_view bytes, PutRequest* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    std::string_view text;
    switch (number) {
      case 1: return ReadBytes(type, r, &out->key);
      case 2:
        if (!ReadBytes(type, r, &text)) return false;
        out->value = SliceOf(message, text);
        return true;
      case 3: return ReadNumber(type, r, &out->lease);
      case 4: return ReadBool(type, r, &out->prev_kv);
      case 5: return ReadBool(type, r, &out->ignore_value);
      case 6: return ReadBool(type, r, &out->ignore_lease);
      default: return r.Skip(type);
    }
  });
}

bool Read(std::string_view bytes, DeleteRangeRequest* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    switch (number) {
      case 1: return ReadBytes(type, r, &out->key);
      case 2: return ReadBytes(type, r, &out->range_end);
      case 3: return ReadBool(type, r, &out->prev_kv);
      default: return r.Skip(type);
    }
  });
}

bool Read(std::string_view bytes, Compare* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    switch (number) {
      case 1: return ReadNumber(type, r, &out->result);
      case 2: return ReadNumber(type, r, &out->target);
      case 3: return ReadBytes(type, r, &out->key);
      case 4:
      case 5:
      case 6:
      case 8: return ReadNumber(type, r, &out->number);
      case 7: return ReadBytes(type, r, &out->value);
      case 64: return ReadBytes(type, r, &out->range_end);
      default: return r.Skip(type);
    }
  });
}

bool Read(const base::Slice& message, std::string_view bytes, int depth, TxnRequest* out);

bool Read(const base::Slice& message, std::string_view bytes, int depth, Operation* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    if (number > 4) return r.Skip(type);
    std::string_view text;
    if (!ReadBytes(type, r, &text)) return false;
    switch (number) {
      case 1: return Read(text, &out->emplace<RangeRequest>());
      case 2: return Read(message, text, &out->emplace<PutRequest>());
      case 3: return Read(text, &out->emplace<DeleteRangeRequest>());
      default: return Read(message, text, depth + 1, &out->emplace<TxnRequest>());
    }
  });
}

bool Read(const base::Slice& message, std::string_view bytes, int depth, TxnRequest* out) {
  if (depth > kMaxDepth) return false;
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    if (number > 3) return r.Skip(type);
    std::string_view text;
    if (!ReadBytes(type, r, &text)) return false;
    if (number == 1) return Read(text, &out->compares.emplace_back());
    auto& branch = number == 2 ? out->success : out->failure;
    return Read(message, text, depth, &branch.emplace_back());
  });
}

bool Read(std::string_view bytes, WatchCreateRequest* out) {
  const auto filter = [&](uint64_t kind) { (kind == 0 ? out->no_put : out->no_delete) = true; };
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    int64_t kind = 0;
    std::string_view packed;
    switch (number) {
      case 1: return ReadBytes(type, r, &out->key);
      case 2: return ReadBytes(type, r, &out->range_end);
      case 3: return ReadNumber(type, r, &out->start_revision);
      case 4: return ReadBool(type, r, &out->progress_notify);
      case 5:
        if (type == storage::etcd3::kVarint) {
          if (!ReadNumber(type, r, &kind)) return false;
          filter(Unsigned(kind));
          return true;
        }
        if (!ReadBytes(type, r, &packed)) return false;
        for (WireReader kinds(packed); !kinds.done();) {
          uint64_t one = 0;
          if (!kinds.Varint(&one)) return false;
          filter(one);
        }
        return true;
      case 6: return ReadBool(type, r, &out->prev_kv);
      case 7: return ReadNumber(type, r, &out->watch_id);
      default: return r.Skip(type);
    }
  });
}

bool ReadNumbers(std::string_view bytes, Numbers* out) {
  return ForEachField(bytes, [&](uint32_t number, uint32_t type, WireReader& r) {
    if (type != storage::etcd3::kVarint || number > 2) return r.Skip(type);
    return ReadNumber(type, r, number == 1 ? &out->first : &out->second);
  });
}

// ---- Writing

std::string EncodeHeader(const Header& header) {
  Writer w;
  w.Number(1, header.cluster_id);
  w.Number(2, header.member_id);
  w.Number(3, Unsigned(header.revision));
  w.Number(4, kRaftTerm);
  return w.Take();
}

size_t EntrySize(const Entry& e) {
  return TextSize(1, e.key) + NumberSize(2, Unsigned(e.create_revision)) +
         NumberSize(3, Unsigned(e.mod_revision)) + NumberSize(4, Unsigned(e.version)) +
         TextSize(5, e.value.view()) + NumberSize(6, Unsigned(e.lease));
}

void WriteEntry(Writer& w, uint32_t field, const Entry& e) {
  w.Begin(field, EntrySize(e));
  w.Text(1, e.key);
  w.Number(2, Unsigned(e.create_revision));
  w.Number(3, Unsigned(e.mod_revision));
  w.Number(4, Unsigned(e.version));
  w.Text(5, e.value.view());
  w.Number(6, Unsigned(e.lease));
}

size_t Room(const std::vector<Entry>& entries) {
  size_t room = 64;
  for (const Entry& e : entries) room += EntrySize(e) + 8;
  return room;
}

uint64_t AsNumber(bool b) { return b ? 1 : 0; }

// Which field of a ResponseOp each answer is.
uint32_t FieldOf(const Answer& answer) { return static_cast<uint32_t>(answer.index()) + 1; }

size_t EventSize(const Event& e) {
  return NumberSize(1, AsNumber(e.is_delete)) + BytesSize(2, EntrySize(e.entry)) +
         (e.previous ? BytesSize(3, EntrySize(*e.previous)) : 0);
}

}  // namespace

std::optional<RangeRequest> DecodeRange(const base::Slice& message) {
  RangeRequest request;
  if (!Read(message.view(), &request)) return std::nullopt;
  return request;
}
std::optional<PutRequest> DecodePut(const base::Slice& message) {
  PutRequest request;
  if (!Read(message, message.view(), &request)) return std::nullopt;
  return request;
}
std::optional<DeleteRangeRequest> DecodeDeleteRange(const base::Slice& message) {
  DeleteRangeRequest request;
  if (!Read(message.view(), &request)) return std::nullopt;
  return request;
}
std::optional<TxnRequest> DecodeTxn(const base::Slice& message) {
  TxnRequest request;
  if (!Read(message, message.view(), 0, &request)) return std::nullopt;
  return request;
}

std::optional<WatchRequest> DecodeWatch(const base::Slice& message) {
  std::optional<WatchRequest> request;
  const bool whole = ForEachField(message.view(), [&](uint32_t number, uint32_t type, WireReader& r) {
    if (number > 3) return r.Skip(type);
    std::string_view text;
    if (!ReadBytes(type, r, &text)) return false;
    if (number == 1) return Read(text, &request.emplace().emplace<WatchCreateRequest>());
    Numbers numbers;
    if (!ReadNumbers(text, &numbers)) return false;
    if (number == 2)
      request = WatchCancelRequest{.watch_id = numbers.first};
    else
      request = WatchProgressRequest{};
    return true;
  });
  if (!whole) return std::nullopt;
  return request;
}

std::optional<Numbers> DecodeNumbers(const base::Slice& message) {
  Numbers numbers;
  if (!ReadNumbers(message.view(), &numbers)) return std::nullopt;
  return numbers;
}

std::string Encode(const Header& header) {
  Writer w;
  w.Text(1, EncodeHeader(header));
  return w.Take();
}

std::string Encode(const Header& header, const RangeAnswer& answer) {
  Writer w(Room(answer.entries));
  w.Text(1, EncodeHeader(header));
  for (const Entry& e : answer.entries) WriteEntry(w, 2, e);
  w.Number(3, AsNumber(answer.more));
  w.Number(4, Unsigned(answer.count));
  return w.Take();
}

std::string Encode(const Header& header, const PutAnswer& answer) {
  Writer w;
  w.Text(1, EncodeHeader(header));
  if (answer.previous) WriteEntry(w, 2, *answer.previous);
  return w.Take();
}

std::string Encode(const Header& header, const DeleteRangeAnswer& answer) {
  Writer w(Room(answer.previous));
  w.Text(1, EncodeHeader(header));
  w.Number(2, Unsigned(answer.deleted));
  for (const Entry& e : answer.previous) WriteEntry(w, 3, e);
  return w.Take();
}

std::string Encode(const Header& header, const TxnAnswer& answer) {
  Writer w;
  w.Text(1, EncodeHeader(header));
  w.Number(2, AsNumber(answer.succeeded));
  for (const Answer& one : answer.answers) {
    const std::string bytes =
        std::visit([&](const auto& a) { return Encode(Header{.revision = header.revision}, a); }, one);
    w.Begin(3, BytesSize(FieldOf(one), bytes.size()));
    w.Text(FieldOf(one), bytes);
  }
  return w.Take();
}

std::string Encode(const Header& header, const WatchAnswer& answer) {
  size_t room = 64;
  for (const Event& e : answer.events) room += EventSize(e) + 8;
  Writer w(room);
  w.Text(1, EncodeHeader(header));
  w.Number(2, Unsigned(answer.watch_id));
  w.Number(3, AsNumber(answer.created));
  w.Number(4, AsNumber(answer.canceled));
  w.Number(5, Unsigned(answer.compact_revision));
  w.Text(6, answer.cancel_reason);
  for (const Event& e : answer.events) {
    w.Begin(11, EventSize(e));
    w.Number(1, AsNumber(e.is_delete));
    WriteEntry(w, 2, e.entry);
    if (e.previous) WriteEntry(w, 3, *e.previous);
  }
  return w.Take();
}

std::string Encode(const Header& header, const LeaseAnswer& answer) {
  Writer w;
  w.Text(1, EncodeHeader(header));
  w.Number(2, Unsigned(answer.id));
  w.Number(3, Unsigned(answer.ttl));
  return w.Take();
}

std::string Encode(const Header& header, const LeaseState& state) {
  Writer w;
  w.Text(1, EncodeHeader(header));
  w.Number(2, Unsigned(state.id));
  w.Number(3, Unsigned(state.ttl));
  w.Number(4, Unsigned(state.granted_ttl));
  for (const std::string& key : state.keys) w.Text(5, key);
  return w.Take();
}

std::string Encode(const Header& header, const std::vector<LeaseId>& leases) {
  Writer w;
  w.Text(1, EncodeHeader(header));
  for (const LeaseId id : leases) {
    w.Begin(2, NumberSize(1, Unsigned(id)));
    w.Number(1, Unsigned(id));
  }
  return w.Take();
}

std::string Encode(const Header& header, const Member& only) {
  Writer member;
  member.Number(1, header.member_id);
  member.Text(2, only.name);
  for (const std::string& url : only.peer_urls) member.Text(3, url);
  for (const std::string& url : only.client_urls) member.Text(4, url);
  Writer w;
  w.Text(1, EncodeHeader(header));
  w.Text(2, member.Take());
  return w.Take();
}

std::string Encode(const Header& header, const ServerStatus& status) {
  Writer w;
  w.Text(1, EncodeHeader(header));
  w.Text(2, status.version);
  w.Number(3, Unsigned(status.db_size));
  w.Number(4, header.member_id);
  w.Number(5, Unsigned(header.revision));
  w.Number(6, kRaftTerm);
  w.Number(7, Unsigned(header.revision));
  w.Number(9, Unsigned(status.db_size));
  w.Text(11, status.version);
  return w.Take();
}

}  // namespace keelson::etcd
