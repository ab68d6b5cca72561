// How log lines look.
#pragma once

#include <chrono>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>

#include "base/log.h"

namespace keelson::base {

struct LogLine {
  LogLevel level = LogLevel::kInfo;
  int verbosity = 0;
  std::chrono::system_clock::time_point time;
  std::string_view message;
  std::initializer_list<LogField> fields;
  std::source_location where;
};

// The line, newline included. Values from clients cannot break out of their line or their quotes.
std::string FormatLogLine(LogFormat format, const LogLine& line);

// The same of now, in the format that is configured.
std::string LogLineNow(LogLevel level, int verbosity, std::string_view message,
                       std::initializer_list<LogField> fields,
                       const std::source_location& where = std::source_location::current());

}  // namespace keelson::base
