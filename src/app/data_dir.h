// DataDir: everything a server writes, and the promise that no other server writes there.
//   admin.kubeconfig   how to reach it as administrator
//   pki/               keys and certificates
//   db/                the embedded store
//   encryption.yaml    the key that secrets in it are encrypted with
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace keelson::app {

// Where a data directory has them, for those who read what a server has written.
inline std::filesystem::path KubeconfigIn(const std::filesystem::path& dir) {
  return dir / "admin.kubeconfig";
}
inline std::filesystem::path PkiIn(const std::filesystem::path& dir) { return dir / "pki"; }

class DataDir {
 public:
  // Makes the directory, readable by its owner alone, when it is not there, and locks it.
  // An error when another process has it.
  static base::Result<DataDir, std::string> Open(const std::filesystem::path& path);

  // Stands for the directory of a server that writes nothing. Its paths mean nothing.
  static DataDir Unused() { return {{}, -1}; }

  DataDir(DataDir&& o) noexcept : path_(std::move(o.path_)), lock_fd_(std::exchange(o.lock_fd_, -1)) {}
  DataDir& operator=(DataDir&& o) noexcept {
    std::swap(path_, o.path_);
    std::swap(lock_fd_, o.lock_fd_);
    return *this;
  }
  ~DataDir();

  std::filesystem::path kubeconfig() const { return KubeconfigIn(path_); }
  std::filesystem::path pki() const { return PkiIn(path_); }
  std::filesystem::path encryption() const { return path_ / "encryption.yaml"; }
  std::filesystem::path database() const { return path_ / "db"; }

 private:
  DataDir(std::filesystem::path path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::filesystem::path path_;  // absolute
  int lock_fd_ = -1;
};

}  // namespace keelson::app
