// Buffered: what both sinks do with an event before it is delivered: cut it to its size, take it into the
// batcher, tell of those that are lost.
//
// Threads: as those of the Batcher.
#pragma once

#include <optional>
#include <string_view>

#include "audit/batcher.h"
#include "audit/config.h"
#include "audit/errors.h"
#include "audit/sink.h"

namespace keelson::audit {

// Requires: the name of a mode.
Mode ModeOf(std::string_view name);
// How events are batched in that mode: where somebody waits for them, at once.
BatchConfig BatchConfigOf(Mode mode, const BatchFlags& flags);

class Buffered {
 public:
  Buffered(Mode mode, BatchConfig config, TruncateFlags truncate, base::Metrics& metrics,
           Batcher::Deliver deliver);

  Mode mode() const { return mode_; }
  // Whether events have a size that they must keep to.
  bool cuts() const { return truncate_.enabled; }
  // The event as JSON, `frame` bytes around it, cut where it is too long; nullopt: it is too long even so,
  // and lost.
  std::optional<EventText> Fit(Telling& telling, size_t frame);
  std::optional<base::Completion<bool>> Take(EventText text, Stage stage);
  void Delivered(size_t bytes) { batcher_.Delivered(bytes); }
  // Delivers what waits and takes nothing more.
  void End() { batcher_.End(); }

 private:
  const Mode mode_;
  const TruncateFlags truncate_;
  Errors too_large_, dropped_;
  Batcher batcher_;
};

}  // namespace keelson::audit
