// LogWriter: the threads that log lines are written by.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <thread>

namespace keelson::base {

// Where lines go.
struct LogStreams {
  int errors = 2;  // stderr: of all lines, or of warnings and errors where others go to `info`
  std::optional<int> info = {};
  // Lines of `info` wait until there are so many bytes, or for so long; 0: they do not.
  size_t info_buffer = 0;
  std::chrono::nanoseconds flush_every = std::chrono::seconds(5);
};

// While it lives lines are written by a thread for each stream, so that Log never waits, not even for a pipe
// whose reader has stopped. What waits is bounded; lines beyond that are dropped, counted, and told of once
// others are taken again. At its end what waits is written, as far as that takes no longer than kLastWords.
//
// Threads: one at a time; others may log before, meanwhile and after.
class LogWriter {
 public:
  explicit LogWriter(const LogStreams& streams = {});
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  static constexpr size_t kQueuedBytes = size_t{1} << 20;  // beside what is buffered
  static constexpr std::chrono::milliseconds kLastWords{1000};

 private:
  friend void WriteLogLine(std::string_view line, bool info);
  friend std::chrono::nanoseconds LogBlockedFor();
  class Queue;
  static void End(Queue& queue, std::thread& thread);

  Queue& errors_;
  std::thread errors_thread_;
  Queue* const info_;  // null: there is one stream
  std::thread info_thread_;
};

// Log's way to the streams; `info`: whether the line is neither a warning nor an error.
void WriteLogLine(std::string_view line, bool info);

// How long a thread of the writer has been waiting for somebody to take a line; 0: none is.
std::chrono::nanoseconds LogBlockedFor();

// Lines that were lost since the process began because nobody read them.
uint64_t LogLinesDropped();

}  // namespace keelson::base
