// The durable format of the embedded store: how keys and records are laid out in RocksDB.
// docs/formats/embedded-store.md is the specification; a change there or here that an
// older build could not read raises kFormatVersion.
//
//   index (default column family)
//     k <key>             head: the newest state of a key
//     l <lease>           expiry of a lease
//     a <lease> <key>     the key is attached to the lease
//     m <name>            format, compacted, swept
//   log
//     <revision> <key>    one version of the key, and the revision of the one before
//
// Integers inside keys are eight bytes, big-endian; inside records they are varints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/embedded/engine.h"

namespace keelson::storage::format {

inline constexpr uint64_t kFormatVersion = 2;
inline constexpr uint64_t kFormatWithLedger = 2;  // from there on there is a ledger beside the database
inline constexpr char kLogFamily[] = "log";

inline constexpr std::string_view kFormatKey = "mformat";
inline constexpr std::string_view kCompactedKey = "mcompacted";
inline constexpr std::string_view kSweptKey = "mswept";
inline constexpr std::string_view kHeads = "k";
inline constexpr std::string_view kLeases = "l";

std::string HeadKey(std::string_view key);
std::string LeaseKey(LeaseId lease);
std::string AttachedPrefix(LeaseId lease);
std::string AttachedKey(LeaseId lease, std::string_view key);
std::string LogKey(Revision revision, std::string_view key);

struct LogPosition {
  Revision revision = 0;
  std::string_view key;
};
std::optional<LogPosition> DecodeLogKey(std::string_view log_key);
std::optional<LeaseId> DecodeLeaseKey(std::string_view lease_key);

std::string EncodeHead(const Head& head);
std::optional<Head> DecodeHead(std::string_view record);

struct Version {
  bool deleted = false;
  Revision create_revision = 0;
  Revision previous_revision = 0;  // 0: none
  LeaseId lease = 0;
};
// What stands before the value in a log record.
std::string EncodeVersion(const Version& version);
// Takes it off `record`, leaving the value.
std::optional<Version> DecodeVersion(std::string_view& record);

// Takes a varint off `in`, of at most 64 bits; RocksDB's own files have the same. Nothing: it is cut short.
std::optional<uint64_t> TakeVarint(std::string_view& in);

std::string EncodeNumber(uint64_t number);
std::optional<uint64_t> DecodeNumber(std::string_view record);

}  // namespace keelson::storage::format
