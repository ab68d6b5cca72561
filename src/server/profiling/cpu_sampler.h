// CpuSampler: where the process spends its processor time: a hundred times a second of it, the stack of the
// thread that runs.
#pragma once

#include <signal.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"
#include "server/profiling/profile.h"

namespace keelson::server::profiling {

// Threads: one sampler at a time in the process, whichever thread has it. Uses SIGPROF and ITIMER_PROF;
// threads that block the signal are not seen.
class CpuSampler {
 public:
  // `most`: how long it will be at work; memory for so many samples is taken at once, and what is beyond is
  // left out. An error: another one is at work.
  static base::Result<std::unique_ptr<CpuSampler>, std::string> Start(std::chrono::seconds most);
  ~CpuSampler();  // Stops.
  CpuSampler(const CpuSampler&) = delete;
  CpuSampler& operator=(const CpuSampler&) = delete;

  // Stops, and tells what was seen.
  Profile Finish();

 private:
  struct Buffer;
  explicit CpuSampler(size_t samples);
  void Stop();
  static void OnSignal(int signal, siginfo_t* info, void* context);

  const std::unique_ptr<Buffer> buffer_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool running_ = false;
};

}  // namespace keelson::server::profiling
