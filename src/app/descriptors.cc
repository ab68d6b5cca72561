#include "app/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"

namespace keelson::app {
namespace {

// The store holds 128 tables open, its logs, and while it compacts a few more.
constexpr size_t kLeastReserve = 512;
constexpr size_t kUsualSoftLimit = 1024;

}  // namespace

size_t RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kUsualSoftLimit;
  const rlim_t before = std::exchange(limit.rlim_cur, limit.rlim_max);
  if (before == limit.rlim_max || setrlimit(RLIMIT_NOFILE, &limit) == 0) return limit.rlim_cur;
  base::Log(base::LogLevel::kWarning, "cannot raise the limit on open files",
            {{"error", std::strerror(errno)}, {"limit", static_cast<int64_t>(before)}});
  return before;
}

size_t ConnectionsWithin(size_t descriptors) {
  const size_t reserve = std::max(descriptors / 4, std::min(kLeastReserve, descriptors / 2));
  return std::max<size_t>(descriptors - reserve, 1);
}

}  // namespace keelson::app
