#include "app/core_dumps.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/log.h"

namespace keelson::app {
namespace {

// Too small for a file, and the one value at which Linux does not start the program that core_pattern names;
// it would be handed everything with a limit of 0.
constexpr rlim_t kNoDump = 1;

void LogRefusal(const char* what, const char* why) {
  base::Log(base::LogLevel::kWarning, "core dumps cannot be forbidden", {{"what", what}, {"why", why}});
}

}  // namespace

void ForbidCoreDumps() {
  rlimit limit{};
  if (getrlimit(RLIMIT_CORE, &limit) == 0) {
    limit.rlim_cur = std::min(kNoDump, limit.rlim_max);
    if (setrlimit(RLIMIT_CORE, &limit) != 0) LogRefusal("RLIMIT_CORE", std::strerror(errno));
  } else {
    LogRefusal("RLIMIT_CORE", std::strerror(errno));
  }
  // A hard limit of 0 cannot become 1: then this keeps memory out of what a program is handed.
  std::ofstream filter("/proc/self/coredump_filter");
  if (!(filter << "0" << std::flush)) LogRefusal("/proc/self/coredump_filter", "cannot be written");
}

}  // namespace keelson::app
