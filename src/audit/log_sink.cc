#include "audit/log_sink.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "audit/batcher.h"
#include "audit/buffered.h"
#include "audit/rotating_file.h"

namespace keelson::audit {
namespace {

// About how many bytes one write to the file has.
constexpr size_t kWriteBytes = 256 * 1024;
// The most that a loop writes at the end of a turn.
constexpr size_t kLoopBytes = 1024 * 1024;

// Where lines go to.
class Lines {
 public:
  using Pieces = RotatingFile::Pieces;
  virtual ~Lines() = default;
  virtual uint64_t room() const = 0;
  // Whether a write mostly takes no longer than to copy what is written.
  virtual bool quick() const = 0;
  virtual RotatingFile::Outcome Write(Pieces lines) = 0;
};

class FileLines final : public Lines {
 public:
  explicit FileLines(RotatingFile file) : file_(std::move(file)) {}
  uint64_t room() const override { return file_.room(); }
  bool quick() const override { return file_.regular(); }
  RotatingFile::Outcome Write(Pieces lines) override { return file_.Write(lines); }

 private:
  RotatingFile file_;
};

class StandardOutput final : public Lines {
 public:
  uint64_t room() const override { return UINT64_MAX; }
  bool quick() const override { return false; }
  RotatingFile::Outcome Write(Pieces lines) override {
    if (WriteWhole(STDOUT_FILENO, lines).whole) return {};
    return base::Err("cannot write to standard output: " + std::string(std::strerror(errno)));
  }
};

class LogSink final : public Sink {
 public:
  LogSink(const LogConfig& config, Mode mode, std::unique_ptr<Lines> lines, base::Metrics& metrics)
      : legacy_(config.format == "legacy"),
        lines_(std::move(lines)),
        lost_(metrics, "log"),
        buffered_(mode, BatchConfigOf(mode, config.batch), config.truncate, metrics,
                  Batcher::Quick{.fits = [this](size_t bytes) { return Fits(bytes); },
                                 .deliver = [this](Batch& batch) { Write(batch); }}) {}

  Mode mode() const override { return buffered_.mode(); }
  void End() override { buffered_.End(); }
  std::optional<base::Completion<bool>> Take(Telling& telling) override {
    if (legacy_ && !buffered_.cuts()) return buffered_.Take(telling.legacy(), telling.stage());
    auto json = buffered_.Fit(telling);
    if (!json) return std::nullopt;
    return buffered_.Take(legacy_ ? telling.legacy() : *std::move(json), telling.stage());
  }

 private:
  // A file that is put aside is renamed, and another made: the thread does that.
  bool Fits(size_t bytes) const { return lines_->quick() && bytes <= kLoopBytes && bytes <= lines_->room(); }

  // Writes lines together as long as they fit into the file.
  void Write(Batch& batch) {
    size_t begun = 0, bytes = 0;
    for (size_t i = 0; i < batch.size(); ++i) {
      const EventText& text = batch[i].text;
      if (i > begun && (bytes + text.bytes > lines_->room() || bytes >= kWriteBytes)) {
        Flush(std::span(batch).subspan(begun, i - begun));
        begun = i;
        bytes = 0;
      }
      text.ForEach([this](std::string_view piece) { Append(piece); });
      bytes += text.bytes;
    }
    Flush(std::span(batch).subspan(begun));
  }

  void Append(std::string_view piece) {
    if (!pieces_.empty() && pieces_.back().data() + pieces_.back().size() == piece.data())
      pieces_.back() = {pieces_.back().data(), pieces_.back().size() + piece.size()};
    else
      pieces_.push_back(piece);
  }

  void Flush(std::span<Waiting> events) {
    if (events.empty()) return;
    const auto outcome = lines_->Write(pieces_);
    pieces_.clear();
    if (!outcome) lost_.Lost(events.size(), outcome.error());
    for (Waiting& event : events) event.kept = outcome.has_value();
  }

  const bool legacy_;
  const std::unique_ptr<Lines> lines_;
  Errors lost_;
  std::vector<std::string_view> pieces_;  // that are written next; who delivers has them
  Buffered buffered_;                     // last: its thread uses the others
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
