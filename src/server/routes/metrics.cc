#include "server/routes/metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "base/log.h"
#include "base/log_writer.h"
#include "net/server.h"
#include "server/routes/version.h"

namespace keelson::server {
namespace {

struct MemorySizes {
  double total_bytes = 0, resident_bytes = 0;
};

MemorySizes ReadMemorySizes() {
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0, resident_pages = 0;
  statm >> total_pages >> resident_pages;
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return {total_pages * page, resident_pages * page};
}

// +Inf: no limit.
double LimitOf(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? INFINITY : static_cast<double>(limit.rlim_cur);
}

// A field of /proc/self/stat by its number in proc(5), 3 or more: they are counted from behind the name of
// the process, which is the second, in brackets, and may have spaces.
double StatField(int number) {
  std::ifstream stat("/proc/self/stat");
  std::string line((std::istreambuf_iterator<char>(stat)), {});
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string field;
  for (int i = 3; i <= number; ++i) fields >> field;
  return std::strtod(field.c_str(), nullptr);
}

double Threads() { return StatField(20); }

// When the kernel started the process, which it tells in ticks after boot.
double ReadStartTime() {
  std::ifstream machine("/proc/stat");
  double boot = 0;
  for (std::string name; machine >> name;)
    if (name == "btime") machine >> boot;
  return boot + StatField(22) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double CpuSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double OpenDescriptors() {
  std::error_code error;
  double n = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error))
    ++n;
  return n;
}

}  // namespace

double ProcessStart() {
  static const double start = ReadStartTime();
  return start;
}

void AddStartTime(base::Metrics& metrics) {
  metrics.AddCallback("process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
                      [start = ProcessStart()] { return start; });
}

void AddProcessMetrics(base::Metrics& metrics) {
  metrics.AddCallback("process_resident_memory_bytes", "Resident memory size in bytes.",
                      [] { return ReadMemorySizes().resident_bytes; });
  metrics.AddCallback("process_virtual_memory_bytes", "Virtual memory size in bytes.",
                      [] { return ReadMemorySizes().total_bytes; });
  metrics.AddCallback("process_virtual_memory_max_bytes", "Most virtual memory that there may be, in bytes.",
                      [] { return LimitOf(RLIMIT_AS); });
  metrics.AddCounterCallback("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
                             CpuSeconds);
  metrics.AddCallback("process_open_fds", "Number of open file descriptors.", OpenDescriptors);
  metrics.AddCallback("process_max_fds", "Most file descriptors that may be open.",
                      [] { return LimitOf(RLIMIT_NOFILE); });
  metrics.AddCallback("go_threads", "Number of OS threads.", Threads);
  metrics.AddCallback("go_goroutines",
                      "Threads and client connections; there are no goroutines, of which kube-apiserver has "
                      "one or more for each.",
                      [&connections = net::OpenConnections(metrics)] {
                        return Threads() + static_cast<double>(connections.value());
                      });
  metrics.AddCounterCallback("keelson_log_lines_dropped_total",
                             "Log lines that were lost because stderr took none.",
                             [] { return static_cast<double>(base::LogLinesDropped()); });
  AddStartTime(metrics);
  metrics
      .GetGauge("kubernetes_build_info", "A constant 1 with the version that was built, as labels.",
                BuildInfoLabels())
      .Set(1);
}

void InstallMetrics(Router& router, const base::Metrics& metrics, const base::Metrics& slis) {
  const auto page = [](const base::Metrics& shown) {
    return [&shown](const IncomingRequest&) {
      net::http::Response response;
      response.headers.Add("content-type", "text/plain; version=0.0.4; charset=utf-8");
      response.body = net::http::FixedBody(base::Slice::Copy(shown.Render()));
      return response;
    };
  };
  router.AddPage("/metrics", page(metrics));
  router.AddPage("/metrics/slis", page(slis));
}

}  // namespace keelson::server
