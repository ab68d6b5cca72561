#include "storage/rocksdb/format.h"

namespace keelson::storage::format {
namespace {

constexpr size_t kFixedBytes = 8;

void PutFixed(std::string& out, uint64_t n) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(n >> shift));
}

std::optional<uint64_t> TakeFixed(std::string_view& in) {
  if (in.size() < kFixedBytes) return std::nullopt;
  uint64_t n = 0;
  for (size_t i = 0; i < kFixedBytes; ++i) n = n << 8 | static_cast<unsigned char>(in[i]);
  in.remove_prefix(kFixedBytes);
  return n;
}

void PutVarint(std::string& out, uint64_t n) {
  for (; n >= 0x80; n >>= 7) out.push_back(static_cast<char>(n | 0x80));
  out.push_back(static_cast<char>(n));
}

// The first byte of heads and versions.
constexpr char kLive = 1;
constexpr char kDeleted = 2;

std::optional<bool> TakeDeleted(std::string_view& in) {
  if (in.empty() || (in.front() != kLive && in.front() != kDeleted)) return std::nullopt;
  const bool deleted = in.front() == kDeleted;
  in.remove_prefix(1);
  return deleted;
}

std::string Joined(char tag, std::optional<uint64_t> number, std::string_view rest) {
  std::string out;
  out.reserve(1 + kFixedBytes + rest.size());
  out.push_back(tag);
  if (number) PutFixed(out, *number);
  out.append(rest);
  return out;
}

}  // namespace

std::optional<uint64_t> TakeVarint(std::string_view& in) {
  uint64_t n = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    n |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return n;
  }
  return std::nullopt;
}

std::string HeadKey(std::string_view key) { return Joined(kHeads[0], std::nullopt, key); }
std::string LeaseKey(LeaseId lease) { return Joined(kLeases[0], static_cast<uint64_t>(lease), {}); }
std::string AttachedPrefix(LeaseId lease) { return AttachedKey(lease, {}); }
std::string AttachedKey(LeaseId lease, std::string_view key) {
  return Joined('a', static_cast<uint64_t>(lease), key);
}

std::string LogKey(Revision revision, std::string_view key) {
  std::string out;
  out.reserve(kFixedBytes + key.size());
  PutFixed(out, static_cast<uint64_t>(revision));
  out.append(key);
  return out;
}

std::optional<LogPosition> DecodeLogKey(std::string_view log_key) {
  auto revision = TakeFixed(log_key);
  if (!revision) return std::nullopt;
  return LogPosition{static_cast<Revision>(*revision), log_key};
}

std::optional<LeaseId> DecodeLeaseKey(std::string_view lease_key) {
  if (!lease_key.starts_with(kLeases)) return std::nullopt;
  lease_key.remove_prefix(kLeases.size());
  auto id = TakeFixed(lease_key);
  if (!id || !lease_key.empty()) return std::nullopt;
  return static_cast<LeaseId>(*id);
}

std::string EncodeHead(const Head& head) {
  std::string out(1, head.deleted ? kDeleted : kLive);
  PutVarint(out, static_cast<uint64_t>(head.mod_revision));
  PutVarint(out, static_cast<uint64_t>(head.create_revision));
  PutVarint(out, static_cast<uint64_t>(head.lease));
  return out;
}

std::optional<Head> DecodeHead(std::string_view record) {
  auto deleted = TakeDeleted(record);
  auto mod = TakeVarint(record);
  auto create = TakeVarint(record);
  auto lease = TakeVarint(record);
  if (!deleted || !mod || !create || !lease || !record.empty()) return std::nullopt;
  return Head{.create_revision = static_cast<Revision>(*create),
              .mod_revision = static_cast<Revision>(*mod),
              .lease = static_cast<LeaseId>(*lease),
              .deleted = *deleted};
}

std::string EncodeVersion(const Version& version) {
  std::string out(1, version.deleted ? kDeleted : kLive);
  PutVarint(out, static_cast<uint64_t>(version.create_revision));
  PutVarint(out, static_cast<uint64_t>(version.previous_revision));
  PutVarint(out, static_cast<uint64_t>(version.lease));
  return out;
}

std::optional<Version> DecodeVersion(std::string_view& record) {
  auto deleted = TakeDeleted(record);
  auto create = TakeVarint(record);
  auto previous = TakeVarint(record);
  auto lease = TakeVarint(record);
  if (!deleted || !create || !previous || !lease) return std::nullopt;
  return Version{.deleted = *deleted,
                 .create_revision = static_cast<Revision>(*create),
                 .previous_revision = static_cast<Revision>(*previous),
                 .lease = static_cast<LeaseId>(*lease)};
}

std::string EncodeNumber(uint64_t number) {
  std::string out;
  PutVarint(out, number);
  return out;
}

std::optional<uint64_t> DecodeNumber(std::string_view record) {
  auto number = TakeVarint(record);
  if (!number || !record.empty()) return std::nullopt;
  return number;
}

}  // namespace keelson::storage::format
