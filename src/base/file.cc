#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace keelson::base {
namespace {

std::string Failure(std::string_view what, const std::filesystem::path& path) {
  const int error = errno;
  return "cannot " + std::string(what) + " " + path.string() + ": " + std::strerror(error);
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Writes `bytes` to a new file beside `path` and lets `put` give it its name; false: it could not, as errno
// says.
template <class Put>
Result<void, std::string> WriteBeside(const std::filesystem::path& path, std::string_view bytes, mode_t mode,
                                      const Put& put) {
  const std::filesystem::path dir = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::string temporary = path.string() + ".XXXXXX";
  const Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600 until the bytes are whole
  if (!fd) return Err(Failure("create a file beside", path));
  const bool written = WriteAll(fd.get(), bytes) && ::fchmod(fd.get(), mode) == 0 && ::fsync(fd.get()) == 0 &&
                       put(temporary.c_str());
  if (!written) {
    std::string failure = Failure("write", path);
    ::unlink(temporary.c_str());
    return Err(std::move(failure));
  }
  return SyncDirectory(dir);
}

}  // namespace

Result<std::string, std::string> ReadFile(const std::filesystem::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Err(Failure("open", path));
  std::string bytes;
  char buf[16 * 1024];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buf, sizeof buf);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Err(Failure("read", path));
    if (n == 0) return bytes;
    bytes.append(buf, static_cast<size_t>(n));
  }
}

Result<void, std::string> WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes,
                                              mode_t mode) {
  return WriteBeside(path, bytes, mode,
                     [&](const char* temporary) { return ::rename(temporary, path.c_str()) == 0; });
}

Result<void, std::string> CreateFileAtomically(const std::filesystem::path& path, std::string_view bytes,
                                               mode_t mode) {
  return WriteBeside(path, bytes, mode, [&](const char* temporary) {
    return ::link(temporary, path.c_str()) == 0 && ::unlink(temporary) == 0;
  });
}

Result<void, std::string> SyncDirectory(const std::filesystem::path& dir) {
  const Fd fd(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return Err(Failure("sync", dir));
  return {};
}

}  // namespace keelson::base
