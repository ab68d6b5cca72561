// RotatingFile: a log that is put aside when it has grown to its size: `audit.log` becomes
// `audit-2026-11-18T00-10-00.000.log`, or that with `.gz`. Names and rules are lumberjack's, which upstream
// uses, so that what ships its files ships these.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/result.h"

namespace keelson::audit {

struct RotationConfig {
  uint64_t max_bytes = 0;    // 0: it is never put aside
  int64_t max_age_days = 0;  // of what was put aside; 0: no limit
  int64_t max_backups = 0;   // 0: no limit
  bool compress = false;
};

// Writes `pieces` one behind the other. `whole` is false where it failed, and errno says why.
struct Written {
  size_t bytes = 0;
  bool whole = false;
};
Written WriteWhole(int fd, std::span<const std::string_view> pieces);

class RotatingFile {
 public:
  using Outcome = base::Result<void, std::string>;
  using Pieces = std::span<const std::string_view>;

  // Makes the file, and its folder, where they are not there; only their owner may read them then.
  static base::Result<RotatingFile, std::string> Open(std::filesystem::path path, RotationConfig config,
                                                      const base::Clock& clock = base::Clock::Real());
  RotatingFile(RotatingFile&& other) noexcept;
  RotatingFile& operator=(RotatingFile&&) = delete;
  ~RotatingFile();

  // How much may be written before it is put aside; what is written at once stays in one file.
  uint64_t room() const;
  // A device or pipe is not.
  bool regular() const { return regular_; }
  // All of it or nothing: what could not be written whole is taken back.
  Outcome Write(Pieces pieces);
  Outcome Write(std::string_view bytes) { return Write(Pieces(&bytes, 1)); }

 private:
  RotatingFile(std::filesystem::path path, RotationConfig config, const base::Clock& clock)
      : path_(std::move(path)), config_(config), clock_(&clock) {}
  Outcome OpenFile();
  Outcome Rotate();
  std::filesystem::path BackupName() const;

  const std::filesystem::path path_;
  const RotationConfig config_;
  const base::Clock* const clock_;
  int fd_ = -1;
  bool regular_ = false;  // a device or pipe is never put aside
  uint64_t size_ = 0;
  std::thread tidying_;  // what was put aside
};

}  // namespace keelson::audit
