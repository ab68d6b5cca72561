#include "audit/buffered.h"

namespace keelson::audit {

Mode ModeOf(std::string_view name) {
  if (name == "batch") return Mode::kBatch;
  return name == "blocking" ? Mode::kBlocking : Mode::kBlockingStrict;
}

BatchConfig BatchConfigOf(Mode mode, const BatchFlags& flags) {
  // Who waits is bounded by the requests under way.
  if (mode != Mode::kBatch) return {.buffered_events = SIZE_MAX};
  BatchConfig config{.buffered_events = static_cast<size_t>(flags.buffer_size),
                     .events = static_cast<size_t>(flags.max_size),
                     .wait = flags.max_wait};
  if (flags.throttle_enable)
    config.throttle = {.batches_per_second = flags.throttle_qps,
                       .burst = static_cast<double>(flags.throttle_burst)};
  return config;
}

std::optional<EventText> Buffered::Fit(Telling& telling) {
  const auto fits = [&](const EventText& text) {
    return !truncate_.enabled || text.bytes <= static_cast<size_t>(truncate_.max_event_size);
  };
  if (fits(telling.json())) return telling.json();
  EventText text = telling.event().Wants(Level::kRequest) ? telling.truncated() : telling.json();
  if (fits(text)) return text;
  too_large_.Lost(1, "event is too large even after truncating");
  return std::nullopt;
}

std::optional<base::Completion<bool>> Buffered::Take(EventText text, Stage stage) {
  // Whether RequestReceived is kept matters to nobody in the mode blocking: the queue is in order, and the
  // answer waits for the stages after it.
  const bool waits =
      mode_ == Mode::kBlockingStrict || (mode_ == Mode::kBlocking && stage != Stage::kRequestReceived);
  Waiting event{.text = std::move(text), .done = std::nullopt};
  if (waits) event.done.emplace();
  auto done = event.done;
  if (batcher_.Take(std::move(event), waits ? Batcher::Haste::kNow : Batcher::Haste::kSoon)) return done;
  dropped_.Lost(1, "audit buffer queue blocked");
  if (done) done->Set(false);
  return done;
}

}  // namespace keelson::audit
