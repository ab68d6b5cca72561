#include "server/routes/metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "base/log_writer.h"

namespace keelson::server {
namespace {

double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0, resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
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

void AddProcessMetrics(base::Metrics& metrics) {
  metrics.AddCallback("process_resident_memory_bytes", "Resident memory size in bytes.", ResidentBytes);
  metrics.AddCallback("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
                      CpuSeconds);
  metrics.AddCallback("process_open_fds", "Number of open file descriptors.", OpenDescriptors);
  metrics.AddCallback("keelson_log_lines_dropped_total", "Log lines that were lost because stderr took none.",
                      [] { return static_cast<double>(base::LogLinesDropped()); });
  const double start =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  metrics.AddCallback("process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
                      [start] { return start; });
}

void InstallMetrics(Router& router, const base::Metrics& metrics) {
  router.AddPage("/metrics", [&metrics](const IncomingRequest&) {
    net::http::Response response;
    response.headers.Add("content-type", "text/plain; version=0.0.4; charset=utf-8");
    response.body = net::http::FixedBody(base::Slice::Copy(metrics.Render()));
    return response;
  });
}

}  // namespace keelson::server
