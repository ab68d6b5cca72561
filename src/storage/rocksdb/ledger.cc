#include "storage/rocksdb/ledger.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/crc32c.h"
#include "storage/rocksdb/file_errors.h"

namespace keelson::storage {
namespace {

using base::Err;
using std::chrono::steady_clock;

constexpr std::string_view kLedgerMagic = "keelson ledger 1";
// A page: the end of a process does not leave half of one.
constexpr size_t kSlotBytes = 4096;
constexpr size_t kSlots = 2;
constexpr std::chrono::milliseconds kWritebackInterval{100};

std::string PathOf(const std::string& store) { return store + "/" + std::string(Ledger::kName); }

void Put(std::string& out, uint64_t n, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(n >> shift));
}

std::optional<uint64_t> Take(std::string_view& in, size_t bytes) {
  if (in.size() < bytes) return std::nullopt;
  uint64_t n = 0;
  for (size_t i = 0; i < bytes; ++i) n = n << 8 | static_cast<unsigned char>(in[i]);
  in.remove_prefix(bytes);
  return n;
}

void Encode(const Ledger::State& state, std::string& out) {
  out.assign(kLedgerMagic);
  Put(out, state.serial, 8);
  Put(out, static_cast<uint64_t>(state.revision), 8);
  Put(out, state.files.size(), 2);
  for (const auto& [name, extent] : state.files) {
    Put(out, name.size(), 1);
    out.append(name);
    Put(out, extent.bytes, 8);
    Put(out, extent.checksum, 4);
  }
  Put(out, base::Crc32c(0, out), 4);
}

std::optional<Ledger::State> Decode(std::string_view slot) {
  std::string_view rest = slot;
  if (!rest.starts_with(kLedgerMagic)) return std::nullopt;
  rest.remove_prefix(kLedgerMagic.size());
  Ledger::State state;
  const auto serial = Take(rest, 8), revision = Take(rest, 8), count = Take(rest, 2);
  if (!serial || !revision || !count) return std::nullopt;
  state.serial = *serial;
  state.revision = static_cast<Revision>(*revision);
  for (uint64_t i = 0; i < *count; ++i) {
    const auto size = Take(rest, 1);
    if (!size || rest.size() < *size) return std::nullopt;
    const std::string name(rest.substr(0, *size));
    rest.remove_prefix(*size);
    const auto bytes = Take(rest, 8), checksum = Take(rest, 4);
    if (!bytes || !checksum) return std::nullopt;
    state.files[name] = {*bytes, static_cast<uint32_t>(*checksum)};
  }
  const std::string_view summed = slot.substr(0, slot.size() - rest.size());
  const auto checksum = Take(rest, 4);
  if (!checksum || *checksum != base::Crc32c(0, summed)) return std::nullopt;
  return state;
}

Result<void> WriteAll(int fd, const std::string& path, std::string_view bytes, size_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Err(SystemError(path));
    bytes.remove_prefix(static_cast<size_t>(n));
    at += static_cast<size_t>(n);
  }
  return {};
}

}  // namespace

Result<Ledger::State> Ledger::Read(const std::string& store) {
  const std::string path = PathOf(store);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return Err(Error{.code = Code::kNotFound, .detail = path + " is missing"});
    return Err(SystemError(path));
  }
  std::optional<State> newest;
  for (size_t i = 0; i < kSlots; ++i) {
    std::string slot(kSlotBytes, '\0');
    const ssize_t n = ::pread(fd, slot.data(), slot.size(), static_cast<off_t>(i * kSlotBytes));
    slot.resize(n < 0 ? 0 : static_cast<size_t>(n));
    auto state = Decode(slot);
    if (state && (!newest || state->serial > newest->serial)) newest = std::move(state);
  }
  ::close(fd);
  if (!newest) return Err(Error{.code = Code::kCorrupt, .detail = path + " is damaged"});
  return *newest;
}

Result<void> Ledger::Create(const std::string& store, const State& state) {
  const std::string path = PathOf(store);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return Err(SystemError(path));
  State numbered = state;
  Result<void> written;
  for (size_t i = 0; i < kSlots && written; ++i) {
    std::string slot;
    ++numbered.serial;
    Encode(numbered, slot);
    slot.resize(kSlotBytes);  // so that no later write needs room
    written = WriteAll(fd, path, slot, numbered.serial % kSlots * kSlotBytes);
  }
  if (written && ::fsync(fd) != 0) written = Err(SystemError(path));
  ::close(fd);
  if (!written) return written;
  const int folder = ::open(store.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return Err(SystemError(store));
  if (::fsync(folder) != 0) written = Err(SystemError(store));
  ::close(folder);
  return written;
}

Result<std::unique_ptr<Ledger>> Ledger::Open(const std::string& store) {
  auto state = TRY(Read(store));
  std::string path = PathOf(store);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return Err(SystemError(path));
  return std::unique_ptr<Ledger>(new Ledger(std::move(path), fd, std::move(state)));
}

Ledger::Ledger(std::string path, int fd, State state)
    : path_(std::move(path)), fd_(fd), state_(std::move(state)), next_writeback_(steady_clock::now()) {}

Ledger::~Ledger() { ::close(fd_); }

void Ledger::Note(const std::string& file, Extent extent) {
  base::MutexLock lock(mu_);
  state_.files[file] = extent;
}

Result<void> Ledger::Publish() {
  base::MutexLock lock(mu_);
  return WriteSlot();
}

Result<void> Ledger::Acknowledge(Revision revision) {
  base::MutexLock lock(mu_);
  state_.revision = std::max(state_.revision, revision);
  return WriteSlot();
}

Result<void> Ledger::PublishDurably() {
  {
    base::MutexLock lock(mu_);
    TRY(WriteSlot());
  }
  TRY(Sync());
  base::MutexLock lock(mu_);
  return WriteSlot();
}

Result<void> Ledger::Forget(const std::string& file, bool durably) {
  {
    base::MutexLock lock(mu_);
    if (state_.files.erase(file) == 0) return {};
  }
  return durably ? PublishDurably() : Publish();
}

Revision Ledger::revision() const {
  base::MutexLock lock(mu_);
  return state_.revision;
}

Result<void> Ledger::WriteSlot() {
  ++state_.serial;
  Encode(state_, slot_);
  if (slot_.size() > kSlotBytes)
    return Err(Error{.code = Code::kUnreachable, .detail = path_ + ": too many files"});
  auto written = WriteAll(fd_, path_, slot_, state_.serial % kSlots * kSlotBytes);
  if (written) StartWriteback();
  return written;
}

// Nobody waits for it: it bounds how much a loss of power takes back.
void Ledger::StartWriteback() {
  const auto now = steady_clock::now();
  if (now < next_writeback_) return;
  next_writeback_ = now + kWritebackInterval;
  ::sync_file_range(fd_, 0, kSlots * kSlotBytes, SYNC_FILE_RANGE_WRITE);
}

Result<void> Ledger::Sync() {
  if (::fdatasync(fd_) != 0) return Err(SystemError(path_));
  return {};
}

}  // namespace keelson::storage
