#include "base/log_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log_format.h"
#include "base/mutex.h"

namespace keelson::base {
namespace {

constexpr size_t kMostBuffered = size_t{2} << 30;  // upstream's, too

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
    if (n <= 0) return;  // it is gone: there is nowhere left to say so
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

}  // namespace

// Lines on their way to the thread that writes them.
class LogWriter::Queue {
 public:
  // It lives for as long as the process: who logs may still hold it, and so may a thread that hangs in a
  // write.
  static Queue& Make(int fd, size_t buffer, std::chrono::nanoseconds flush_every) {
    static Mutex mu;
    static auto& all = *new std::vector<std::unique_ptr<Queue>>;
    MutexLock lock(mu);
    return *all.emplace_back(std::make_unique<Queue>(fd, std::min(buffer, kMostBuffered), flush_every));
  }
  Queue(int fd, size_t buffer, std::chrono::nanoseconds flush_every)
      : fd_(fd), buffer_(buffer), flush_every_(flush_every) {}

  // Null: lines are written by who logs them, or with the errors.
  static inline std::atomic<Queue*> errors{nullptr}, info{nullptr};

  void Push(std::string_view line) {
    bool wake = false;
    {
      MutexLock lock(mu_);
      if (waiting_.size() + line.size() > kQueuedBytes + buffer_) {
        ++dropped_;
        lines_dropped.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      if (waiting_.empty()) flush_at_ = std::chrono::steady_clock::now() + flush_every_;
      // A buffer that fills up need not wake the thread, but for the first line, by which it knows the time.
      wake = waiting_.empty() || waiting_.size() + line.size() > buffer_;
      waiting_ += line;
    }
    if (wake) changed_.NotifyOne();
  }

  // Until it is told to stop and nothing waits.
  void Run() {
    std::string batch;
    for (;;) {
      uint64_t lost = 0;
      {
        MutexLock lock(mu_);
        WaitForLines();
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
        WriteWhole(fd_, LogLineNow(LogLevel::kWarning, 0,
                                   "log lines were dropped: their reader took none for a while",
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
  // Until there are lines that shall be written, or it is told to stop.
  void WaitForLines() REQUIRES_LOCK(mu_) {
    while (!stopping_ && waiting_.size() <= buffer_) {
      if (waiting_.empty())
        changed_.Wait(mu_);
      else if (!changed_.WaitUntil(mu_, flush_at_))
        return;
    }
  }

  const int fd_;
  const size_t buffer_;
  const std::chrono::nanoseconds flush_every_;
  std::atomic<int64_t> writing_since_{0};  // on the steady clock; 0: nothing is being written
  Mutex mu_;
  CondVar changed_;
  std::string waiting_ GUARDED_BY(mu_);  // whole lines
  std::chrono::steady_clock::time_point flush_at_ GUARDED_BY(mu_);
  uint64_t dropped_ GUARDED_BY(mu_) = 0;  // lines, since the last that were taken
  bool stopping_ GUARDED_BY(mu_) = false, ended_ GUARDED_BY(mu_) = false;
};

LogWriter::LogWriter(const LogStreams& streams)
    : errors_(Queue::Make(streams.errors, 0, {})),
      errors_thread_([&queue = errors_] { queue.Run(); }),
      info_(streams.info ? &Queue::Make(*streams.info, streams.info_buffer, streams.flush_every) : nullptr) {
  if (info_) info_thread_ = std::thread([queue = info_] { queue->Run(); });
  Queue::info.store(info_, std::memory_order_release);
  Queue::errors.store(&errors_, std::memory_order_release);
}

LogWriter::~LogWriter() {
  Queue::info.store(nullptr, std::memory_order_release);
  if (info_) End(*info_, info_thread_);
  Queue::errors.store(nullptr, std::memory_order_release);
  End(errors_, errors_thread_);
}

void LogWriter::End(Queue& queue, std::thread& thread) {
  if (queue.Stop(kLastWords))
    thread.join();
  else
    thread.detach();
}

void WriteLogLine(std::string_view line, bool info) {
  LogWriter::Queue* queue = info ? LogWriter::Queue::info.load(std::memory_order_acquire) : nullptr;
  if (!queue) queue = LogWriter::Queue::errors.load(std::memory_order_acquire);
  queue ? queue->Push(line) : WriteNow(line);
}

std::chrono::nanoseconds LogBlockedFor() {
  std::chrono::nanoseconds longest{0};
  for (const auto* const stream : {&LogWriter::Queue::errors, &LogWriter::Queue::info})
    if (const LogWriter::Queue* const queue = stream->load(std::memory_order_acquire))
      longest = std::max(longest, queue->BlockedFor());
  return longest;
}

uint64_t LogLinesDropped() { return lines_dropped.load(std::memory_order_relaxed); }

}  // namespace keelson::base
