#include "etcd/stored_value.h"

#include <utility>

#include "api/codec/protobuf_wire.h"

namespace keelson::etcd {

using api::protobuf::WireReader;
using api::protobuf::WriteVarint;

base::Slice PackValue(int64_t version, LeaseId lease, int64_t lease_ttl, std::string_view value) {
  constexpr size_t kLongestHead = 30;
  base::BufferBuilder out(kLongestHead + value.size());
  char* const start = out.Reserve(kLongestHead);
  char* end = WriteVarint(static_cast<uint64_t>(version), start);
  end = WriteVarint(static_cast<uint64_t>(lease), end);
  if (lease != 0) end = WriteVarint(static_cast<uint64_t>(lease_ttl), end);
  out.Advance(static_cast<size_t>(end - start));
  out.Append(value);
  return out.Take();
}

std::optional<StoredEntry> Unpack(storage::KeyValue stored) {
  WireReader r(stored.value.view());
  uint64_t version = 0, lease = 0, ttl = 0;
  if (!r.Varint(&version) || !r.Varint(&lease) || (lease != 0 && !r.Varint(&ttl))) return std::nullopt;
  const auto head = static_cast<size_t>(r.position() - stored.value.data());
  return StoredEntry{.entry = {.key = std::move(stored.key),
                               .value = stored.value.Sub(head),
                               .create_revision = stored.create_revision,
                               .mod_revision = stored.mod_revision,
                               .version = static_cast<int64_t>(version),
                               .lease = static_cast<LeaseId>(lease)},
                     .lease_ttl = static_cast<int64_t>(ttl)};
}

}  // namespace keelson::etcd
