#include "storage/rocksdb/ballast.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/rocksdb/room.h"

namespace keelson::storage {
namespace {

struct Room {
  uint64_t all, free;
};

// The folder of a new store is not there yet; the one above it is.
std::optional<Room> RoomBeside(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  struct statvfs disk;
  if (::statvfs(folder.c_str(), &disk) != 0 &&
      ::statvfs(folder.substr(0, folder.rfind('/') + 1).c_str(), &disk) != 0)
    return std::nullopt;
  return Room{disk.f_blocks * disk.f_frsize, disk.f_bavail * disk.f_frsize};
}

std::optional<uint64_t> SizeOf(const std::string& path) {
  struct stat file;
  if (::stat(path.c_str(), &file) != 0) return std::nullopt;
  return static_cast<uint64_t>(file.st_size);
}

// All of it or nothing.
bool Allot(const std::string& path, uint64_t bytes) {
  const bool was_there = SizeOf(path).has_value();
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool allotted = ::fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0;
  if (!allotted && (::ftruncate(file, 0) != 0 || !was_there)) ::unlink(path.c_str());
  ::close(file);
  return allotted;
}

}  // namespace

Ballast::Ballast(std::string path, uint64_t most_bytes, uint64_t least_bytes) : path_(std::move(path)) {
  const auto disk = RoomBeside(path_);
  if (!disk || most_bytes == 0) return;
  const uint64_t bytes = std::min(most_bytes, disk->all / room::kDiskPerBallast);
  if (bytes >= least_bytes) bytes_ = bytes;
}

bool Ballast::TakeOn() {
  if (bytes_ == 0) return true;
  const auto size = SizeOf(path_);
  if (size && *size >= bytes_) return true;
  const auto disk = RoomBeside(path_);
  return disk && disk->free >= 2 * bytes_ && Allot(path_, bytes_);
}

bool Ballast::ThrowOff() {
  const auto size = SizeOf(path_);
  return size && *size > 0 && ::truncate(path_.c_str(), 0) == 0;
}

bool Ballast::missing() const {
  const auto size = SizeOf(path_);
  return bytes_ > 0 && size && *size < bytes_;
}

bool Ballast::DiskIsFull() const {
  const auto disk = RoomBeside(path_);
  return disk && disk->free < room::kAlmostFull;
}

uint64_t Ballast::free_bytes() const {
  const auto disk = RoomBeside(path_);
  return disk ? disk->free : 0;
}

}  // namespace keelson::storage
