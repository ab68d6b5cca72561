#include "base/log.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "base/log_writer.h"
#include "base/mutex.h"

namespace keelson::base {
namespace {

std::atomic<LogLevel> least_level{LogLevel::kInfo};
std::atomic<LogFormat> line_format{LogFormat::kText};

std::string_view LevelName(LogLevel level, LogFormat format) {
  const bool text = format == LogFormat::kText;
  switch (level) {
    case LogLevel::kDebug: return text ? "DEBUG" : "debug";
    case LogLevel::kInfo: return text ? "INFO " : "info";
    case LogLevel::kWarning: return text ? "WARN " : "warning";
    case LogLevel::kError: return text ? "ERROR" : "error";
  }
  return "";
}

void AppendTime(std::chrono::system_clock::time_point time, std::string& out) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = ms / 1000;
  std::tm tm{};
  gmtime_r(&seconds, &tm);
  char buf[40];
  const size_t n = std::strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%S", &tm);
  out.append(buf, n);
  std::snprintf(buf, sizeof buf, ".%03dZ", static_cast<int>(ms % 1000));
  out += buf;
}

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

// Without the quotes; serves both formats.
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

void AppendQuoted(std::string_view s, std::string& out) {
  out += '"';
  AppendEscaped(s, out);
  out += '"';
}

bool NeedsQuotes(std::string_view s) {
  for (const unsigned char c : s)
    if (c <= ' ' || c >= 0x7F || c == '"' || c == '=' || c == '\\') return true;
  return s.empty();
}

// Waits for as long as the reader takes nothing.
void WriteWhole(int fd, std::string_view line) {
  while (!line.empty()) {
    const ssize_t n = ::write(fd, line.data(), line.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // whoever started us shares it in this mode
      pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&writable, 1, -1);
      continue;
    }
    if (n <= 0) return;  // stderr is gone: there is nowhere left to say so
    line.remove_prefix(static_cast<size_t>(n));
  }
}

// One at a time, so that lines stay whole.
void WriteNow(std::string_view line) {
  static Mutex mu;
  MutexLock lock(mu);
  WriteWhole(STDERR_FILENO, line);
}

std::atomic<uint64_t> lines_dropped{0};

std::string LineNow(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  return FormatLogLine(line_format.load(std::memory_order_relaxed), level, std::chrono::system_clock::now(),
                       message, fields);
}

}  // namespace

void ConfigureLog(LogLevel least, LogFormat format) {
  least_level.store(least, std::memory_order_relaxed);
  line_format.store(format, std::memory_order_relaxed);
}

void SetLogLevel(LogLevel least) { least_level.store(least, std::memory_order_relaxed); }

bool LogEnabled(LogLevel level) { return level >= least_level.load(std::memory_order_relaxed); }

std::string FormatLogLine(LogFormat format, LogLevel level, std::chrono::system_clock::time_point time,
                          std::string_view message, std::initializer_list<LogField> fields) {
  std::string line;
  line.reserve(64 + message.size() + 48 * fields.size());
  if (format == LogFormat::kJson) {
    line += R"({"ts":")";
    AppendTime(time, line);
    line += R"(","level":")";
    line += LevelName(level, format);
    line += R"(","msg":)";
    AppendQuoted(message, line);
    for (const LogField& f : fields) {
      line += ',';
      AppendQuoted(f.name, line);
      line += ':';
      f.number ? (void)line.append(f.value) : AppendQuoted(f.value, line);
    }
    line += "}\n";
    return line;
  }
  AppendTime(time, line);
  line += ' ';
  line += LevelName(level, format);
  line += ' ';
  AppendEscaped(message, line);
  for (const LogField& f : fields) {
    line += ' ';
    line += f.name;
    line += '=';
    NeedsQuotes(f.value) ? AppendQuoted(f.value, line) : (void)line.append(f.value);
  }
  line += '\n';
  return line;
}

// Lines on their way to the thread that writes them.
class LogWriter::Queue {
 public:
  // It lives for as long as the process: who logs may still hold it, and so may a thread that hangs in a
  // write.
  static Queue& Make(int fd) {
    static Mutex mu;
    static auto& all = *new std::vector<std::unique_ptr<Queue>>;
    MutexLock lock(mu);
    return *all.emplace_back(std::make_unique<Queue>(fd));
  }
  explicit Queue(int fd) : fd_(fd) {}

  static inline std::atomic<Queue*> current{nullptr};  // null: lines are written by who logs them

  void Push(std::string_view line) {
    {
      MutexLock lock(mu_);
      if (waiting_.size() + line.size() > kQueuedBytes) {
        ++dropped_;
        lines_dropped.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      waiting_ += line;
    }
    changed_.NotifyOne();
  }

  // Until it is told to stop and nothing waits.
  void Run() {
    std::string batch;
    for (;;) {
      uint64_t lost = 0;
      {
        MutexLock lock(mu_);
        while (!stopping_ && waiting_.empty()) changed_.Wait(mu_);
        if (waiting_.empty()) break;
        batch.clear();
        std::swap(batch, waiting_);
        lost = std::exchange(dropped_, 0);
      }
      writing_since_.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                           std::memory_order_relaxed);
      WriteWhole(fd_, batch);
      writing_since_.store(0, std::memory_order_relaxed);
      if (lost > 0)
        WriteWhole(fd_, LineNow(LogLevel::kWarning, "log lines were dropped: stderr took none for a while",
                                {{"lines", static_cast<int64_t>(lost)}}));
    }
    {
      MutexLock lock(mu_);
      ended_ = true;
    }
    changed_.NotifyAll();
  }

  std::chrono::nanoseconds BlockedFor() const {
    const int64_t since = writing_since_.load(std::memory_order_relaxed);
    if (since == 0) return std::chrono::nanoseconds(0);
    return std::chrono::steady_clock::now().time_since_epoch() - std::chrono::steady_clock::duration(since);
  }

  // Whether everything was written in time.
  bool Stop(std::chrono::milliseconds most) {
    const auto deadline = std::chrono::steady_clock::now() + most;
    MutexLock lock(mu_);
    stopping_ = true;
    changed_.NotifyAll();
    while (!ended_ && changed_.WaitUntil(mu_, deadline)) {
    }
    return ended_;
  }

 private:
  const int fd_;
  std::atomic<int64_t> writing_since_{0};  // on the steady clock; 0: nothing is being written
  Mutex mu_;
  CondVar changed_;
  std::string waiting_ GUARDED_BY(mu_);   // whole lines
  uint64_t dropped_ GUARDED_BY(mu_) = 0;  // lines, since the last that were taken
  bool stopping_ GUARDED_BY(mu_) = false, ended_ GUARDED_BY(mu_) = false;
};

LogWriter::LogWriter(int fd) : queue_(Queue::Make(fd)), thread_([&queue = queue_] { queue.Run(); }) {
  Queue::current.store(&queue_, std::memory_order_release);
}

LogWriter::~LogWriter() {
  Queue::current.store(nullptr, std::memory_order_release);
  if (queue_.Stop(kLastWords))
    thread_.join();
  else
    thread_.detach();
}

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!LogEnabled(level)) return;
  std::string line = LineNow(level, message, fields);
  if (LogWriter::Queue* const queue = LogWriter::Queue::current.load(std::memory_order_acquire))
    queue->Push(line);
  else
    WriteNow(line);
}

std::chrono::nanoseconds LogBlockedFor() {
  const LogWriter::Queue* const queue = LogWriter::Queue::current.load(std::memory_order_acquire);
  return queue ? queue->BlockedFor() : std::chrono::nanoseconds(0);
}

uint64_t LogLinesDropped() { return lines_dropped.load(std::memory_order_relaxed); }

}  // namespace keelson::base
