// Buffered: what both sinks do with an event before it is delivered: cut it to its size, take it into the
// batcher, tell of those that are lost.
//
// Threads: as those of the Batcher.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

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
  // `deliver`: as the batcher takes it, Deliver or Quick.
  template <class How>
  Buffered(Mode mode, BatchConfig config, TruncateFlags truncate, base::Metrics& metrics, How deliver)
      : mode_(mode),
        truncate_(truncate),
        too_large_(metrics, "truncate"),
        dropped_(metrics, "buffered"),
        batcher_(config, std::move(deliver)) {}

  Mode mode() const { return mode_; }
  // Whether events have a size that they must keep to.
  bool cuts() const { return truncate_.enabled; }
  // The event as JSON, cut where it is too long; nullopt: it is too long even so, and lost.
  std::optional<EventText> Fit(Telling& telling);
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
