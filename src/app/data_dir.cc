#include "app/data_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace keelson::app {
namespace fs = std::filesystem;

base::Result<DataDir, std::string> DataDir::Open(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const bool created = !error && fs::create_directories(absolute, error);
  if (created && !error) fs::permissions(absolute, fs::perms::owner_all, error);
  if (error) return base::Err("cannot create data directory " + path.string() + ": " + error.message());
  const int fd = ::open(absolute.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return base::Err("cannot open data directory " + absolute.string() + ": " + std::strerror(errno));
  DataDir dir(absolute, fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return dir;
  if (errno == EWOULDBLOCK)
    return base::Err("data directory " + absolute.string() + " is in use by another process");
  return base::Err("cannot lock data directory " + absolute.string() + ": " + std::strerror(errno));
}

DataDir::~DataDir() {
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

}  // namespace keelson::app
