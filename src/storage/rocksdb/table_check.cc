// A table, from its end:
//
//   footer, 53 bytes      1 byte kind of checksum, two handles padded to 40 bytes, 4 bytes version, 8 bytes
//   magic its first handle      the place of the metaindex block metaindex block       entries:
//   "rocksdb.properties" -> the handle of the properties block
//
// A handle is offset and size as varints. A block is followed by 1 byte of compression and 4 bytes of
// checksum over the block and that byte.
#include "storage/rocksdb/table_check.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/crc32c.h"
#include "storage/rocksdb/file_errors.h"
#include "storage/rocksdb/format.h"

namespace keelson::storage {
namespace {

using base::Err;

constexpr size_t kFooterBytes = 53, kMagicBytes = 8, kTrailerBytes = 5;
constexpr std::string_view kMagic = "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88";
constexpr char kNoChecksum = 0, kCrc32c = 1;
constexpr uint64_t kMostBytes = 1 << 20;  // of a block that is looked at
constexpr std::string_view kProperties = "rocksdb.properties";

struct Handle {
  uint64_t offset = 0, size = 0;
};

std::optional<Handle> TakeHandle(std::string_view& bytes) {
  const auto offset = format::TakeVarint(bytes), size = format::TakeVarint(bytes);
  if (!offset || !size) return std::nullopt;
  return Handle{*offset, *size};
}

// The form in which RocksDB stores a CRC: the CRC of bytes that contain a plain CRC of their own is a
// constant.
uint32_t Masked(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8; }

// The entries of a metaindex block share no beginnings of keys.
std::optional<Handle> FindProperties(std::string_view block) {
  while (!block.empty()) {
    const auto shared = format::TakeVarint(block), own = format::TakeVarint(block),
               value = format::TakeVarint(block);
    if (!shared || !own || !value || *shared != 0 || *own > block.size() || *value > block.size() - *own)
      return std::nullopt;
    std::string_view handle = block.substr(*own, *value);
    if (block.substr(0, *own) == kProperties) return TakeHandle(handle);
    block.remove_prefix(*own + *value);
  }
  return std::nullopt;
}

class Table {
 public:
  explicit Table(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ >= 0) size_ = static_cast<uint64_t>(::lseek(fd_, 0, SEEK_END));
  }
  ~Table() {
    if (fd_ >= 0) ::close(fd_);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  bool is_open() const { return fd_ >= 0; }
  uint64_t size() const { return size_; }

  // Empty: there are not so many bytes.
  std::string Read(uint64_t offset, uint64_t size) const {
    if (offset > size_ || size > size_ - offset) return {};
    std::string bytes(size, '\0');
    const ssize_t n = ::pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n != static_cast<ssize_t>(bytes.size())) bytes.clear();
    return bytes;
  }
  // Nothing: it does not match its checksum, or is nowhere.
  std::optional<std::string> ReadBlock(Handle handle) const {
    if (handle.size > kMostBytes) return std::nullopt;
    std::string block = Read(handle.offset, handle.size + kTrailerBytes);
    if (block.empty()) return std::nullopt;
    uint32_t stored;
    std::memcpy(&stored, block.data() + handle.size + 1, sizeof stored);
    const bool matches =
        Masked(base::Crc32c(0, std::string_view(block).substr(0, handle.size + 1))) == stored;
    block.resize(handle.size);
    return matches ? std::optional(std::move(block)) : std::nullopt;
  }

 private:
  const int fd_;
  uint64_t size_ = 0;
};

}  // namespace

Result<std::optional<std::string>> WhatIsWrongWithTable(const std::string& path) {
  const Table table(path);
  if (!table.is_open()) {
    if (errno == ENOENT) return std::optional<std::string>();
    return Err(SystemError(path));
  }
  if (table.size() < kFooterBytes) return std::optional<std::string>();
  const std::string footer = table.Read(table.size() - kFooterBytes, kFooterBytes);
  if (!footer.ends_with(kMagic)) return std::optional<std::string>();
  if (footer.front() == kNoChecksum)
    return std::optional<std::string>("is damaged: its footer names no checksums");
  if (footer.front() != kCrc32c) return std::optional<std::string>();  // an earlier build made it
  std::string_view handles = std::string_view(footer).substr(1, kFooterBytes - 1 - kMagicBytes);
  const auto metaindex = TakeHandle(handles);
  const auto entries = metaindex ? table.ReadBlock(*metaindex) : std::nullopt;
  if (!entries) return std::optional<std::string>("is damaged: its metaindex does not match its checksum");
  const auto properties = FindProperties(*entries);
  if (properties && !table.ReadBlock(*properties))
    return std::optional<std::string>("is damaged: its properties do not match their checksum");
  return std::optional<std::string>();
}

}  // namespace keelson::storage
