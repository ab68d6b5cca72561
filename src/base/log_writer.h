// LogWriter: the thread that log lines are written by.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <thread>

#include "base/log.h"

namespace keelson::base {

// While it lives lines are written by a thread of its own, so that Log never waits, not even for a pipe whose
// reader has stopped. What waits is bounded; lines beyond that are dropped, counted, and told of once others
// are taken again. At its end what waits is written, as far as that takes no longer than kLastWords.
//
// Threads: one at a time; others may log before, meanwhile and after.
class LogWriter {
 public:
  explicit LogWriter(int fd = 2);  // stderr
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  static constexpr size_t kQueuedBytes = size_t{1} << 20;
  static constexpr std::chrono::milliseconds kLastWords{1000};

 private:
  friend void Log(LogLevel, std::string_view, std::initializer_list<LogField>);
  friend std::chrono::nanoseconds LogBlockedFor();
  class Queue;
  Queue& queue_;
  std::thread thread_;
};

// How long the writer's thread has been waiting for somebody to take a line; 0: it is not.
std::chrono::nanoseconds LogBlockedFor();

// Lines that were lost since the process began because nobody read them.
uint64_t LogLinesDropped();

}  // namespace keelson::base
