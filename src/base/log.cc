#include "base/log.h"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>

#include "base/log_format.h"
#include "base/log_writer.h"

namespace keelson::base {
namespace {

// Of lines that are no verbose ones, as if they had a verbosity.
constexpr int kInfoVerbosity = 0, kWarningVerbosity = -1, kErrorVerbosity = -2;

std::atomic<int> verbosity_of_all{0};
std::atomic<LogFormat> line_format{LogFormat::kKeelson};
// Null: there are none.
std::atomic<const std::vector<FileVerbosity>*> file_verbosities{nullptr};

int VerbosityOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return kDebugVerbosity;
    case LogLevel::kInfo: return kInfoVerbosity;
    case LogLevel::kWarning: return kWarningVerbosity;
    case LogLevel::kError: return kErrorVerbosity;
  }
  return kInfoVerbosity;
}

// "request_log" of "src/server/filters/request_log.cc".
std::string StemOf(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  return std::string(path.substr(0, path.rfind('.')));
}

void SetMost(int verbosity) {
  int most = verbosity;
  if (const auto* const files = file_verbosities.load(std::memory_order_acquire))
    for (const FileVerbosity& file : *files) most = std::max(most, file.verbosity);
  verbosity_of_all.store(verbosity, std::memory_order_relaxed);
  log_internal::most_verbose.store(most, std::memory_order_relaxed);
}

void Write(LogLevel level, int verbosity, std::string_view message, std::initializer_list<LogField> fields,
           const std::source_location& where) {
  // Warnings are no errors to the logger that upstream writes JSON by.
  const bool json = line_format.load(std::memory_order_relaxed) == LogFormat::kJson;
  WriteLogLine(LogLineNow(level, verbosity, message, fields, where),
               level < (json ? LogLevel::kError : LogLevel::kWarning));
}

}  // namespace

bool log_internal::EnabledIn(int verbosity, const std::source_location& where) {
  if (verbosity <= verbosity_of_all.load(std::memory_order_relaxed)) return true;
  const auto* const files = file_verbosities.load(std::memory_order_acquire);
  if (!files) return false;
  const std::string stem = StemOf(where.file_name());
  const auto matches = [&](const FileVerbosity& file) {
    return fnmatch(file.pattern.c_str(), stem.c_str(), 0) == 0;
  };
  const auto file = std::ranges::find_if(*files, matches);
  return file != files->end() && verbosity <= file->verbosity;
}

Result<std::vector<FileVerbosity>, std::string> ParseFileVerbosities(std::string_view text) {
  std::vector<FileVerbosity> files;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    if (item.empty()) continue;
    const size_t mark = item.find('=');
    const std::string_view number = mark == std::string_view::npos ? "" : item.substr(mark + 1);
    if (mark == 0 || number.empty() || number.contains('='))
      return Err('"' + std::string(item) + "\" does not have the pattern=N format");
    FileVerbosity file{.pattern = std::string(item.substr(0, mark))};
    const char* const end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, file.verbosity);
    if (error == std::errc::result_out_of_range)
      return Err("parsing verbosity in \"" + std::string(item) + "\": strconv.ParseUint: parsing \"" +
                 std::string(number) + "\": value out of range");
    if (error != std::errc() || rest != end || file.verbosity < 0 || number.front() == '-')
      return Err("parsing verbosity in \"" + std::string(item) + "\": strconv.ParseUint: parsing \"" +
                 std::string(number) + "\": invalid syntax");
    files.push_back(std::move(file));
  }
  return files;
}

std::string LogLineNow(LogLevel level, int verbosity, std::string_view message,
                       std::initializer_list<LogField> fields, const std::source_location& where) {
  return FormatLogLine(line_format.load(std::memory_order_relaxed), {.level = level,
                                                                     .verbosity = verbosity,
                                                                     .time = std::chrono::system_clock::now(),
                                                                     .message = message,
                                                                     .fields = fields,
                                                                     .where = where});
}

void ConfigureLog(const LogConfig& config) {
  line_format.store(config.format, std::memory_order_relaxed);
  // Kept for as long as the process lives: who logs may be reading them.
  static auto& kept = *new std::deque<std::vector<FileVerbosity>>;
  file_verbosities.store(config.files.empty() ? nullptr : &kept.emplace_back(config.files),
                         std::memory_order_release);
  SetMost(config.verbosity);
}

void SetLogVerbosity(int verbosity) { SetMost(verbosity); }

void LogErrorsOnly() { SetMost(kErrorVerbosity); }

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields,
         const std::source_location& where) {
  const int verbosity = VerbosityOf(level);
  if (LogEnabled(verbosity, where)) Write(level, std::max(verbosity, 0), message, fields, where);
}

void LogV(int verbosity, std::string_view message, std::initializer_list<LogField> fields,
          const std::source_location& where) {
  if (LogEnabled(verbosity, where)) Write(LogLevel::kInfo, verbosity, message, fields, where);
}

}  // namespace keelson::base
