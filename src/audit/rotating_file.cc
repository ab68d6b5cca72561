#include "audit/rotating_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/codec/time_format.h"
#include "base/log.h"

namespace keelson::audit {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::string_view kCompressed = ".gz";
constexpr size_t kStampBytes = std::string_view("2006-01-02T15-04-05.000").size();

std::string Failure(std::string_view what, const fs::path& path) {
  return std::string(what) + " " + path.string() + ": " + std::strerror(errno);
}

// "2006-01-02T15-04-05.000", UTC.
std::string StampOf(base::Clock::WallTime time) {
  const auto since = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  char text[api::kMaxTimeSize];
  std::string stamp(text, api::FormatMicroTime(since.count(), text));
  stamp.resize(kStampBytes);
  for (char& c : stamp)
    if (c == ':') c = '-';
  return stamp;
}

// What StampOf wrote; nullopt: it is none.
std::optional<base::Clock::WallTime> ParseStamp(std::string_view stamp) {
  if (stamp.size() != kStampBytes) return std::nullopt;
  std::string text(stamp);
  text[13] = text[16] = ':';
  const auto instant = api::ParseTime(text + "Z");
  if (!instant) return std::nullopt;
  return base::Clock::WallTime(
      std::chrono::seconds(instant->seconds) +
      std::chrono::duration_cast<base::Clock::WallTime::duration>(std::chrono::nanoseconds(instant->nanos)));
}

struct Backup {
  fs::path path;
  base::Clock::WallTime time;
};

// What was put aside for `path`, the newest first.
std::vector<Backup> BackupsOf(const fs::path& path) {
  const std::string prefix = path.stem().string() + "-", extension = path.extension().string();
  std::vector<Backup> found;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    std::string_view rest(name);
    if (rest.ends_with(kCompressed)) rest.remove_suffix(kCompressed.size());
    if (!rest.starts_with(prefix) || !rest.ends_with(extension)) continue;
    rest.remove_prefix(prefix.size());
    if (rest.size() < extension.size()) continue;
    rest.remove_suffix(extension.size());
    if (const auto time = ParseStamp(rest)) found.push_back({entry.path(), *time});
  }
  std::ranges::sort(found, std::ranges::greater(), &Backup::time);
  return found;
}

// The folders that are missing, for their owner only.
RotatingFile::Outcome MakeFolders(const fs::path& folder) {
  fs::path made;
  for (const fs::path& part : folder) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) == 0 || errno == EEXIST) continue;
    std::error_code error;
    if (!fs::is_directory(made, error)) return base::Err(Failure("cannot make the folder", made));
  }
  return {};
}

void Remove(const fs::path& path) {
  std::error_code error;
  if (!fs::remove(path, error) && error)
    base::Log(base::LogLevel::kWarning, "cannot remove an old audit log",
              {{"file", path.string()}, {"why", error.message()}});
}

bool CompressInto(int from, gzFile to) {
  std::vector<char> buffer(64 * 1024);
  for (;;) {
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    if (gzwrite(to, buffer.data(), static_cast<unsigned>(n)) != n) return false;
  }
}

// Replaces `path` by a compressed file; where that fails it stays as it is.
void Compress(const fs::path& path) {
  const int from = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return;
  struct stat info{};
  ::fstat(from, &info);
  const std::string compressed = path.string() + std::string(kCompressed);
  const int to = ::open(compressed.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, info.st_mode & 0777);
  gzFile const gz = to < 0 ? nullptr : ::gzdopen(to, "wb");
  bool whole = gz && CompressInto(from, gz);
  if (gz) whole = ::gzclose(gz) == Z_OK && whole;
  ::close(from);
  if (!whole)
    base::Log(base::LogLevel::kWarning, "cannot compress an old audit log", {{"file", path.string()}});
  Remove(whole ? path : fs::path(compressed));
}

// Removes what was put aside and is too much or too old; compresses the rest, if that is wanted.
void Tidy(const fs::path& path, const RotationConfig& config, base::Clock::WallTime now) {
  const std::vector<Backup> backups = BackupsOf(path);
  const auto oldest = now - std::chrono::hours(24) * config.max_age_days;
  for (size_t i = 0; i < backups.size(); ++i) {
    const bool too_many = config.max_backups > 0 && i >= static_cast<size_t>(config.max_backups);
    const bool too_old = config.max_age_days > 0 && backups[i].time < oldest;
    if (too_many || too_old)
      Remove(backups[i].path);
    else if (config.compress && backups[i].path.extension() != kCompressed)
      Compress(backups[i].path);
  }
}

}  // namespace

base::Result<RotatingFile, std::string> RotatingFile::Open(fs::path path, RotationConfig config,
                                                           const base::Clock& clock) {
  RotatingFile file(std::move(path), config, clock);
  TRY(MakeFolders(file.path_.parent_path()));
  TRY(file.OpenFile());
  return file;
}

RotatingFile::RotatingFile(RotatingFile&& other) noexcept
    : path_(other.path_),
      config_(other.config_),
      clock_(other.clock_),
      fd_(std::exchange(other.fd_, -1)),
      regular_(other.regular_),
      size_(other.size_),
      tidying_(std::move(other.tidying_)) {}

RotatingFile::~RotatingFile() {
  if (tidying_.joinable()) tidying_.join();
  if (fd_ >= 0) ::close(fd_);
}

RotatingFile::Outcome RotatingFile::OpenFile() {
  fd_ = ::open(path_.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
  if (fd_ < 0) return base::Err(Failure("cannot open", path_));
  struct stat info{};
  regular_ = ::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode);
  size_ = regular_ ? static_cast<uint64_t>(info.st_size) : 0;
  return {};
}

uint64_t RotatingFile::room() const {
  if (config_.max_bytes == 0 || !regular_) return UINT64_MAX;
  return config_.max_bytes > size_ ? config_.max_bytes - size_ : 0;
}

fs::path RotatingFile::BackupName() const {
  fs::path name = path_;
  std::error_code error;
  for (auto time = clock_->Now();; time += milliseconds(1)) {
    name.replace_filename(path_.stem().string() + "-" + StampOf(time) + path_.extension().string());
    if (!fs::exists(name, error) && !fs::exists(name.string() + std::string(kCompressed), error)) return name;
  }
}

RotatingFile::Outcome RotatingFile::Rotate() {
  struct stat info{};
  const bool known = ::fstat(fd_, &info) == 0;
  ::close(std::exchange(fd_, -1));
  const bool moved = ::rename(path_.c_str(), BackupName().c_str()) == 0;
  const std::string why = moved ? std::string() : Failure("cannot rename", path_);
  TRY(OpenFile());
  if (!moved) return base::Err(why);
  // Who may read the log may read the next.
  if (known && (::fchmod(fd_, info.st_mode & 0777) != 0 || ::fchown(fd_, info.st_uid, info.st_gid) != 0))
    base::Log(base::LogLevel::kWarning, "the new audit log has other permissions than the last",
              {{"file", path_.string()}});
  // Compressing takes seconds, for which nobody should wait.
  if (tidying_.joinable()) tidying_.join();
  tidying_ = std::thread([path = path_, config = config_, now = clock_->Now()] { Tidy(path, config, now); });
  return {};
}

Written WriteWhole(int fd, std::span<const std::string_view> pieces) {
  Written written;
  size_t into = 0;  // the first piece
  while (!pieces.empty()) {
    std::array<iovec, 64> parts;
    const size_t count = std::min(parts.size(), pieces.size());
    for (size_t i = 0; i < count; ++i)
      parts[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};  // NOLINT: it is only read
    parts[0].iov_base = static_cast<char*>(parts[0].iov_base) + into;
    parts[0].iov_len -= into;
    const ssize_t n = ::writev(fd, parts.data(), static_cast<int>(count));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return written;
    written.bytes += static_cast<size_t>(n);
    into += static_cast<size_t>(n);
    while (!pieces.empty() && into >= pieces.front().size()) {
      into -= pieces.front().size();
      pieces = pieces.subspan(1);
    }
  }
  written.whole = true;
  return written;
}

RotatingFile::Outcome RotatingFile::Write(Pieces pieces) {
  if (fd_ < 0) TRY(OpenFile());
  size_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  if (config_.max_bytes > 0 && regular_ && bytes > config_.max_bytes)
    return base::Err("write length " + std::to_string(bytes) + " exceeds maximum file size " +
                     std::to_string(config_.max_bytes));
  if (bytes > room()) TRY(Rotate());
  const Written written = WriteWhole(fd_, pieces);
  if (written.whole) {
    size_ += written.bytes;
    return {};
  }
  const std::string why = Failure("cannot write", path_);
  // Half a line would spoil the next one.
  if (written.bytes > 0 && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0) size_ += written.bytes;
  return base::Err(why);
}

}  // namespace keelson::audit
