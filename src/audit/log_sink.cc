#include "audit/log_sink.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <span>

#include "audit/batcher.h"
#include "audit/buffered.h"
#include "audit/rotating_file.h"

namespace keelson::audit {
namespace {

// About how many bytes one write to the file has.
constexpr size_t kWriteBytes = 256 * 1024;

// Where lines go to.
class Lines {
 public:
  virtual ~Lines() = default;
  virtual uint64_t room() const = 0;
  virtual RotatingFile::Outcome Write(std::string_view lines) = 0;
};

class FileLines final : public Lines {
 public:
  explicit FileLines(RotatingFile file) : file_(std::move(file)) {}
  uint64_t room() const override { return file_.room(); }
  RotatingFile::Outcome Write(std::string_view lines) override { return file_.Write(lines); }

 private:
  RotatingFile file_;
};

class StandardOutput final : public Lines {
 public:
  uint64_t room() const override { return UINT64_MAX; }
  RotatingFile::Outcome Write(std::string_view lines) override {
    while (!lines.empty()) {
      const ssize_t n = ::write(STDOUT_FILENO, lines.data(), lines.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return base::Err("cannot write to standard output: " + std::string(std::strerror(errno)));
      lines.remove_prefix(static_cast<size_t>(n));
    }
    return {};
  }
};

class LogSink final : public Sink {
 public:
  LogSink(const LogConfig& config, Mode mode, std::unique_ptr<Lines> lines, base::Metrics& metrics)
      : legacy_(config.format == "legacy"),
        lines_(std::move(lines)),
        lost_(metrics, "log"),
        buffered_(mode, BatchConfigOf(mode, config.batch), config.truncate, metrics,
                  [this](Batch batch) { Write(std::move(batch)); }) {}

  Mode mode() const override { return buffered_.mode(); }
  void End() override { buffered_.End(); }
  std::optional<base::Completion<bool>> Take(Telling& telling) override {
    if (legacy_ && !buffered_.cuts()) return buffered_.Take(telling.legacy(), telling.stage());
    auto json = buffered_.Fit(telling, kEventHead.size() + 1);
    if (!json) return std::nullopt;
    return buffered_.Take(legacy_ ? telling.legacy() : *std::move(json), telling.stage());
  }

 private:
  void AppendLine(const EventText& text) {
    if (!legacy_) written_ += kEventHead;
    for (const base::Slice& piece : text.pieces) written_ += piece.view();
    if (!legacy_) written_ += '\n';
  }

  // Writes lines together as long as they fit into the file.
  void Write(Batch batch) {
    size_t begun = 0, bytes = 0;
    written_.clear();
    for (size_t i = 0; i < batch.size(); ++i) {
      const size_t before = written_.size();
      AppendLine(batch[i].text);
      bytes += batch[i].text.bytes;
      if (before > 0 && written_.size() > lines_->room()) {
        std::string rest = written_.substr(before);
        written_.resize(before);
        Flush(std::span(batch).subspan(begun, i - begun));
        written_ = std::move(rest);
        begun = i;
      } else if (written_.size() >= kWriteBytes) {
        Flush(std::span(batch).subspan(begun, i + 1 - begun));
        begun = i + 1;
      }
    }
    Flush(std::span(batch).subspan(begun));
    buffered_.Delivered(bytes);
    if (written_.capacity() > 4 * kWriteBytes) std::string().swap(written_);
  }

  void Flush(std::span<const Waiting> events) {
    if (events.empty()) return;
    const auto outcome = lines_->Write(written_);
    written_.clear();
    if (!outcome) lost_.Lost(events.size(), outcome.error());
    for (const Waiting& event : events)
      if (event.done) event.done->Set(outcome.has_value());
  }

  const bool legacy_;
  const std::unique_ptr<Lines> lines_;
  Errors lost_;
  std::string written_;  // the batcher's thread's
  Buffered buffered_;    // last: its thread uses the others
};

}  // namespace

base::Result<std::unique_ptr<Sink>, std::string> MakeLogSink(const LogConfig& config,
                                                             base::Metrics& metrics) {
  std::unique_ptr<Lines> lines;
  if (config.path == "-") {
    lines = std::make_unique<StandardOutput>();
  } else {
    auto file = RotatingFile::Open(config.path, {.max_bytes = static_cast<uint64_t>(config.max_size) << 20,
                                                 .max_age_days = config.max_age,
                                                 .max_backups = config.max_backups,
                                                 .compress = config.compress});
    if (!file) return base::Err("ensureLogFile: " + file.error());
    lines = std::make_unique<FileLines>(*std::move(file));
  }
  return std::make_unique<LogSink>(config, ModeOf(config.batch.mode), std::move(lines), metrics);
}

}  // namespace keelson::audit
