// Log lines: a message and named values. Which are written is said by a verbosity, as klog's -v, and per
// file, as --vmodule; how they look, by a format (docs/design/0088). Nothing secret may be passed: no request
// bodies, tokens or header values.
//
//   base::Log(base::LogLevel::kWarning, "cannot compact history", {{"why", error.detail}});
//   if (base::LogEnabled(3)) base::LogV(3, "HTTP", {{"verb", verb}, {"resp", code}});   // on a hot path
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::base {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : uint8_t {
  kKeelson,  // for people: the time, the level, the message and its values
  kText,     // klog's
  kJson,     // kube-apiserver's with --logging-format=json
};

// Lines of kDebug have this verbosity; those of kInfo have none and are written like warnings and errors.
inline constexpr int kDebugVerbosity = 4;

// Values named "why" or "error" say what went wrong; in klog's formats they are "err".
struct LogField {
  std::string_view name;
  std::string value;
  bool number = false;  // written without quotes

  LogField(std::string_view n, std::string_view v) : name(n), value(v) {}
  LogField(std::string_view n, const char* v) : name(n), value(v) {}
  LogField(std::string_view n, int64_t v) : name(n), value(std::to_string(v)), number(true) {}
};

// A verbosity for the files whose names, without folder and extension, match a pattern of file names.
struct FileVerbosity {
  std::string pattern;
  int verbosity = 0;
};
// "request_log=3,cache*=5". The errors are upstream's of --vmodule.
Result<std::vector<FileVerbosity>, std::string> ParseFileVerbosities(std::string_view text);

struct LogConfig {
  LogFormat format = LogFormat::kKeelson;
  int verbosity = 0;
  std::vector<FileVerbosity> files = {};  // the first that matches counts; it cannot lower the verbosity
};
// Before any other thread logs.
void ConfigureLog(const LogConfig& config);
// From now on. Any thread.
void SetLogVerbosity(int verbosity);
// Only errors are written, whatever the verbosity: for tests that provoke warnings.
void LogErrorsOnly();

namespace log_internal {
// The highest verbosity that any line is written at.
inline std::atomic<int> most_verbose{0};
bool EnabledIn(int verbosity, const std::source_location& where);
}  // namespace log_internal

// Whether lines of that verbosity are written. One load where none of them is.
inline bool LogEnabled(int verbosity, const std::source_location& where = std::source_location::current()) {
  return verbosity <= log_internal::most_verbose.load(std::memory_order_relaxed) &&
         log_internal::EnabledIn(verbosity, where);
}

// Writes one line, whole: lines of different threads never mix.
void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {},
         const std::source_location& where = std::source_location::current());
// A line of kInfo that is written at that verbosity and above.
void LogV(int verbosity, std::string_view message, std::initializer_list<LogField> fields = {},
          const std::source_location& where = std::source_location::current());

}  // namespace keelson::base
