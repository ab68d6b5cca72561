#include "base/log_format.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <ctime>

namespace keelson::base {
namespace {

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "DEBUG";
    case LogLevel::kInfo: return "INFO ";
    case LogLevel::kWarning: return "WARN ";
    case LogLevel::kError: return "ERROR";
  }
  return "";
}

// klog's letter.
char Severity(LogLevel level) {
  return level == LogLevel::kError ? 'E' : level == LogLevel::kWarning ? 'W' : 'I';
}

bool IsReason(const LogField& field) { return field.name == "why" || field.name == "error"; }

// Length of the valid UTF-8 sequence at the start of `s`; 0: there is none.
size_t Utf8Length(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char b = byte(0);
  const size_t n = b < 0x80 ? 1 : b < 0xC2 ? 0 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : b < 0xF5 ? 4 : 0;
  if (n == 0 || n > s.size()) return 0;
  for (size_t i = 1; i < n; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool out_of_range = (b == 0xE0 && byte(1) < 0xA0) || (b == 0xED && byte(1) >= 0xA0) ||
                            (b == 0xF0 && byte(1) < 0x90) || (b == 0xF4 && byte(1) >= 0x90);
  return out_of_range ? 0 : n;
}

// Without the quotes; JSON and Go read it alike.
void AppendEscaped(std::string_view s, std::string& out) {
  while (!s.empty()) {
    const size_t n = Utf8Length(s);
    if (n == 0) {
      out += "\xEF\xBF\xBD";
      s.remove_prefix(1);
      continue;
    }
    const char c = s[0];
    if (n > 1) {
      out.append(s.substr(0, n));
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      char buf[8];
      std::snprintf(buf, sizeof buf, "\\u%04x", c);
      out += buf;
    } else {
      out += c;
    }
    s.remove_prefix(n);
  }
}

void AppendLogQuoted(std::string_view s, std::string& out) {
  out += '"';
  AppendEscaped(s, out);
  out += '"';
}

void AppendValue(const LogField& field, std::string& out) {
  field.number ? (void)out.append(field.value) : AppendLogQuoted(field.value, out);
}

bool NeedsQuotes(std::string_view s) {
  for (const unsigned char c : s)
    if (c <= ' ' || c >= 0x7F || c == '"' || c == '=' || c == '\\') return true;
  return s.empty();
}

// The last `parts` parts of the path: "log_format.cc", "base/log_format.cc".
std::string_view FileName(std::string_view path, int parts) {
  size_t slash = path.size();
  while (parts-- > 0 && slash != std::string_view::npos)
    slash = slash ? path.rfind('/', slash - 1) : slash - 1;
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "2023-11-14T22:13:20.042Z WARN  slow request verb=list".
std::string Keelson(const LogLine& line) {
  using std::chrono::milliseconds;
  const auto ms = std::chrono::duration_cast<milliseconds>(line.time.time_since_epoch()).count();
  const std::time_t seconds = ms / 1000;
  std::tm tm{};
  gmtime_r(&seconds, &tm);
  char buf[40];
  std::string out(buf, std::strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%S", &tm));
  std::snprintf(buf, sizeof buf, ".%03dZ ", static_cast<int>(ms % 1000));
  out += buf;
  out += LevelName(line.level);
  out += ' ';
  AppendEscaped(line.message, out);
  for (const LogField& f : line.fields) {
    out += ' ';
    out += f.name;
    out += '=';
    NeedsQuotes(f.value) ? AppendLogQuoted(f.value, out) : (void)out.append(f.value);
  }
  return out;
}

// "W1114 22:13:20.042000   12345 request_log.cc:21] "slow request" verb="list"". The time is local; an
// error's reason comes first.
std::string Text(const LogLine& line) {
  using std::chrono::microseconds;
  static const int pid = getpid();
  const auto us = std::chrono::duration_cast<microseconds>(line.time.time_since_epoch()).count();
  const std::time_t seconds = us / 1'000'000;
  std::tm tm{};
  localtime_r(&seconds, &tm);
  char buf[48];
  std::string out(1, Severity(line.level));
  out.append(buf, std::strftime(buf, sizeof buf, "%m%d %H:%M:%S", &tm));
  std::snprintf(buf, sizeof buf, ".%06d %7d ", static_cast<int>(us % 1'000'000), pid);
  out += buf;
  out += FileName(line.where.file_name(), 1);
  out += ':' + std::to_string(line.where.line()) + "] ";
  AppendLogQuoted(line.message, out);
  const auto append = [&](std::string_view name, const LogField& field) {
    out += ' ';
    out += name;
    out += '=';
    AppendValue(field, out);
  };
  const bool error = line.level == LogLevel::kError;
  for (const LogField& f : line.fields)
    if (error && IsReason(f)) append("err", f);
  for (const LogField& f : line.fields)
    if (!error || !IsReason(f)) append(IsReason(f) ? "err" : f.name, f);
  return out;
}

// {"ts":1700000000042.5,"caller":"filters/request_log.cc:21","msg":"slow request","v":0,"verb":"list"}. An
// error has no "v", and its reason comes last.
std::string Json(const LogLine& line) {
  const double ms = std::chrono::duration<double, std::milli>(line.time.time_since_epoch()).count();
  char buf[64];
  std::string out = R"({"ts":)";
  out.append(buf, std::to_chars(buf, buf + sizeof buf, ms, std::chars_format::fixed).ptr);
  out += R"(,"caller":")";
  AppendEscaped(FileName(line.where.file_name(), 2), out);
  out += ':' + std::to_string(line.where.line()) + R"(","msg":)";
  AppendLogQuoted(line.message, out);
  const bool error = line.level == LogLevel::kError;
  if (!error) out += R"(,"v":)" + std::to_string(line.verbosity);
  const auto append = [&](std::string_view name, const LogField& field) {
    out += ',';
    AppendLogQuoted(name, out);
    out += ':';
    AppendValue(field, out);
  };
  for (const LogField& f : line.fields)
    if (!error || !IsReason(f)) append(IsReason(f) ? "err" : f.name, f);
  for (const LogField& f : line.fields)
    if (error && IsReason(f)) append("err", f);
  return out + '}';
}

}  // namespace

std::string FormatLogLine(LogFormat format, const LogLine& line) {
  std::string text = format == LogFormat::kJson   ? Json(line)
                     : format == LogFormat::kText ? Text(line)
                                                  : Keelson(line);
  return text += '\n';
}

}  // namespace keelson::base
