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

class DataDir {
 public:
  // Makes the directory, readable by its owner alone, when it is not there, and locks it.
  // An error when another process has it.
  static base::Result<DataDir, std::string> Open(const std::filesystem::path& path);

  DataDir(DataDir&& o) noexcept : path_(std::move(o.path_)), lock_fd_(std::exchange(o.lock_fd_, -1)) {}
  DataDir& operator=(DataDir&& o) noexcept {
    std::swap(path_, o.path_);
    std::swap(lock_fd_, o.lock_fd_);
    return *this;
  }
  ~DataDir();

  std::filesystem::path kubeconfig() const { return path_ / "admin.kubeconfig"; }
  std::filesystem::path pki() const { return path_ / "pki"; }
  std::filesystem::path encryption() const { return path_ / "encryption.yaml"; }
  std::filesystem::path database() const { return path_ / "db"; }

 private:
  DataDir(std::filesystem::path path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::filesystem::path path_;  // absolute
  int lock_fd_ = -1;
};

}  // namespace keelson::app
