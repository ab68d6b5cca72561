// Log lines: a message and named values, as text or as one JSON object per line.
// Nothing secret may be passed: no request bodies, tokens or header values.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace keelson::base {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : uint8_t { kText, kJson };

struct LogField {
  std::string_view name;
  std::string value;
  bool number = false;  // JSON writes it without quotes

  LogField(std::string_view n, std::string_view v) : name(n), value(v) {}
  LogField(std::string_view n, const char* v) : name(n), value(v) {}
  LogField(std::string_view n, int64_t v) : name(n), value(std::to_string(v)), number(true) {}
};

// Sets what is written and how; before any other thread logs. Lines go to stderr.
void ConfigureLog(LogLevel least, LogFormat format);
// The level that klog's -v of that number stands for.
constexpr LogLevel LevelOfVerbosity(int v) { return v >= 4 ? LogLevel::kDebug : LogLevel::kInfo; }
// From now on. Any thread.
void SetLogLevel(LogLevel least);
bool LogEnabled(LogLevel level);
// Writes one line, whole: lines of different threads never mix.
void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

// The line that Log writes, newline included. Values from clients cannot break out of their
// line or their quotes.
std::string FormatLogLine(LogFormat format, LogLevel level, std::chrono::system_clock::time_point time,
                          std::string_view message, std::initializer_list<LogField> fields);

}  // namespace keelson::base
