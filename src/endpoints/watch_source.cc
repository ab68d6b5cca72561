#include "endpoints/watch_source.h"

#include <algorithm>
#include <array>

#include "api/codec/cbor.h"
#include "endpoints/wire.h"
#include "net/http/websocket.h"
#include "registry/rest/errors.h"

namespace keelson::endpoints {
namespace {

using net::http::BodySource;
using registry::rest::EventType;
using registry::rest::Revision;
using registry::rest::WatchEvent;
using registry::rest::WatchStream;

constexpr size_t kPollEvents = 64;
constexpr std::chrono::nanoseconds kShortestTick = std::chrono::milliseconds(100);
constexpr std::chrono::nanoseconds kLongestTick = std::chrono::seconds(60);

// Which encoding an event remembers where. Tables age and are made anew.
enum Slot : size_t { kJsonSlot = 0, kPartialJsonSlot = 1, kPartialProtobufSlot = 2 };

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

struct TypeName {
  std::string_view name;       // ADDED
  std::string_view json_head;  // {"type":"ADDED","object":
};
const TypeName& NameOf(EventType type) {
  static constexpr std::array<TypeName, 5> kNames = {{
      {"ADDED", R"({"type":"ADDED","object":)"},
      {"MODIFIED", R"({"type":"MODIFIED","object":)"},
      {"DELETED", R"({"type":"DELETED","object":)"},
      {"BOOKMARK", R"({"type":"BOOKMARK","object":)"},
      {"ERROR", R"({"type":"ERROR","object":)"},
  }};
  return kNames[static_cast<size_t>(type)];
}
constexpr std::string_view kJsonTail = "}\n";

// Everything of a protobuf frame before the object: length, type, the object's own lengths. A message
// of a WebSocket has its length already.
void AppendFrameHead(EventType type, size_t object_size, WatchFraming framing, base::BufferBuilder& out) {
  constexpr uint32_t kType = 1, kObject = 2, kRaw = 1;
  std::string_view name = NameOf(type).name;
  size_t raw_size = wire::BytesSize(kRaw, object_size);
  auto size = static_cast<uint32_t>(wire::BytesSize(kType, name.size()) + wire::BytesSize(kObject, raw_size));
  for (int shift = 24; shift >= 0 && framing == WatchFraming::kStream; shift -= 8)
    out.Append(static_cast<char>(size >> shift));
  wire::AppendBytes(kType, name, out);
  wire::AppendBytesHead(kObject, raw_size, out);
  wire::AppendBytesHead(kRaw, object_size, out);
}

// Everything of a CBOR frame before the object.
void AppendCborFrameHead(EventType type, base::BufferBuilder& out) {
  out.Append(api::cbor::kSelfDescribed);
  api::cbor::AppendMapHead(2, out);
  api::cbor::AppendString("type", out);
  api::cbor::AppendString(NameOf(type).name, out);
  api::cbor::AppendString("object", out);
}

// An object that has nothing but a resourceVersion.
base::Slice BookmarkMessage(Revision revision, bool initial_events_end) {
  base::BufferBuilder metadata;
  wire::AppendBytes(wire::kResourceVersionField, std::to_string(revision), metadata);
  if (initial_events_end) {
    base::BufferBuilder entry;
    wire::AppendBytes(1, kInitialEventsEnd, entry);
    wire::AppendBytes(2, "true", entry);
    wire::AppendBytes(wire::kAnnotationsField, entry.view(), metadata);
  }
  base::BufferBuilder message;
  wire::AppendBytes(wire::kMetadataField, metadata.view(), message);
  return message.Take();
}

// An ERROR event, without what makes it a message.
base::Slice ErrorEvent(const api::Status& status, Media media, WatchFraming framing) {
  base::BufferBuilder frame;
  if (media == Media::kProtobuf) {
    std::string object = status.ToProtobuf();
    AppendFrameHead(EventType::kError, object.size(), framing, frame);
    frame.Append(object);
  } else if (media == Media::kCbor) {
    AppendCborFrameHead(EventType::kError, frame);
    frame.Append(api::cbor::kSelfDescribed);
    api::cbor::EncodeJson(status.ToJson(), frame);
  } else {
    std::string object = status.ToJson();
    if (object.ends_with('\n')) object.pop_back();
    frame.Append(NameOf(EventType::kError).json_head);
    frame.Append(object);
    frame.Append(kJsonTail);
  }
  return frame.Take();
}

void AppendMessageHead(Media media, size_t size, base::BufferBuilder& out) {
  using net::http::WebSocketMessage;
  net::http::AppendWebSocketHead(media == Media::kJson ? WebSocketMessage::kText : WebSocketMessage::kBinary,
                                 size, out);
}

class WatchSource final : public BodySource {
 public:
  WatchSource(std::unique_ptr<ObjectFormat> format, std::unique_ptr<WatchStream> stream, WatchTiming timing,
              WatchFraming framing, const base::Clock& clock, base::Executor& executor, CountedWatch counted)
      : format_(std::move(format)),
        stream_(std::move(stream)),
        timing_(timing),
        framing_(framing),
        clock_(clock),
        executor_(executor),
        counted_(counted),
        started_(clock.SteadyNow()),
        deadline_(clock.SteadyNow() + timing.timeout),
        next_bookmark_(clock.SteadyNow() + timing.bookmark_interval) {
    stream_->SetWaker([this] { Wake(); });
    ArmTimer();
  }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    Output output(out);
    if (draining_ || clock_.SteadyNow() >= deadline_) {
      if (timing_.bookmarks) AppendBookmarkOfPosition(output);
      ended_ = true;
    }
    WatchStream::State state = WatchStream::State::kMore;
    while (state == WatchStream::State::kMore && output.given < limit && !ended_) {
      events_.clear();
      state = stream_->Poll(kPollEvents, events_);
      AppendEvents(output);
      if (state == WatchStream::State::kEnd) ended_ = true;
    }
    if (!ended_ && state == WatchStream::State::kSleep && timing_.bookmarks &&
        clock_.SteadyNow() >= next_bookmark_) {
      next_bookmark_ = clock_.SteadyNow() + timing_.bookmark_interval;
      AppendBookmarkOfPosition(output);
    }
    events_.clear();
    output.Flush();
    if (ended_) return State::kEnd;
    return state == WatchStream::State::kMore || output.given > 0 ? State::kMore : State::kSleep;
  }

  void Drain() override {
    draining_ = true;
    Wake();
  }

 private:
  // Small pieces gather in one buffer; shared encodings go out as they are.
  struct Output {
    explicit Output(std::vector<base::Slice>& out) : slices(out) {}
    std::vector<base::Slice>& slices;
    base::BufferBuilder buffer;
    size_t given = 0;

    void Flush() {
      if (buffer.size()) slices.push_back(buffer.Take());
    }
    void Share(base::Slice slice) {
      Flush();
      given += slice.size();
      slices.push_back(std::move(slice));
    }
  };

  void AppendEvents(Output& output) {
    const auto append = [&](const WatchEvent& event) {
      const size_t before = output.given;
      AppendFramed(output, [&](Output& to) { Append(event, to); });
      return output.given - before;
    };
    if (!counted_.series) {
      for (const WatchEvent& event : events_) append(event);
      return;
    }
    base::HistogramBatch sizes(counted_.series->sizes);
    for (const WatchEvent& event : events_) {
      if (const size_t size = append(event); size > 0) sizes.Observe(static_cast<double>(size));
      if (event.initial_events_end)
        counted_.metrics->Listed(*counted_.series, counted_.scope, clock_.SteadyNow() - started_);
    }
    counted_.series->events.Add(sizes.count());
  }

  // Everything up to the stream's position has been sent.
  void AppendBookmarkOfPosition(Output& output) {
    if (stream_->position() <= bookmarked_) return;
    AppendFramed(output, [&](Output& to) { AppendBookmark(stream_->position(), false, to); });
  }

  // What `append` appends is one event, or nothing.
  template <class Fn>  // void(Output&)
  void AppendFramed(Output& output, const Fn& append) {
    if (framing_ == WatchFraming::kStream) return append(output);
    std::vector<base::Slice> slices;
    Output message(slices);
    append(message);
    message.Flush();
    if (slices.empty()) return;
    size_t size = 0;
    for (const base::Slice& slice : slices) size += slice.size();
    AppendMessageHead(format_->output().media, size, output.buffer);
    for (base::Slice& slice : slices) output.Share(std::move(slice));
  }

  void Append(const WatchEvent& event, Output& output) {
    switch (event.type) {
      case EventType::kBookmark:
        if (timing_.bookmarks) AppendBookmark(event.revision, event.initial_events_end, output);
        return;
      case EventType::kError:
        output.Share(ErrorEvent(registry::rest::WatchEndStatus(event), format_->output().media, framing_));
        ended_ = true;
        return;
      case EventType::kAdded:
      case EventType::kModified:
      case EventType::kDeleted: break;
    }
    switch (format_->output().media) {
      case Media::kProtobuf: return AppendProtobuf(event, output);
      case Media::kCbor: return AppendCborFrame(event.type, event.object->message(), output);
      default: return AppendJson(event, output);
    }
  }

  void AppendCborFrame(EventType type, std::string_view message, Output& output) {
    const size_t before = output.buffer.size();
    AppendCborFrameHead(type, output.buffer);
    if (!format_->AppendCbor(message, output.buffer)) return output.buffer.Truncate(before);
    output.given += output.buffer.size() - before;
  }

  void AppendJson(const WatchEvent& event, Output& output) {
    const TypeName& name = NameOf(event.type);
    size_t slot = format_->output().target == Target::kNone ? kJsonSlot : kPartialJsonSlot;
    if (event.shared && Memoised()) {
      const base::Slice* encoded = event.shared->Encoding(slot);
      if (!encoded) {
        base::BufferBuilder json(event.object->message().size() * 2);
        if (!format_->AppendJson(event.object->message(), json)) return;
        encoded = &event.shared->SetEncoding(slot, json.Take());
      }
      output.Share(base::Slice::Static(name.json_head));
      output.Share(*encoded);
      output.Share(base::Slice::Static(kJsonTail));
      return;
    }
    AppendJsonFrame(event.type, event.object->message(), output);
  }

  void AppendJsonFrame(EventType type, std::string_view message, Output& output) {
    size_t before = output.buffer.size();
    output.buffer.Append(NameOf(type).json_head);
    if (!format_->AppendJson(message, output.buffer)) return output.buffer.Truncate(before);
    output.buffer.Append(kJsonTail);
    output.given += output.buffer.size() - before;
  }

  void AppendProtobuf(const WatchEvent& event, Output& output) {
    if (format_->output().target != Target::kNone)
      return AppendProtobufFrame(event.type, PartialProtobuf(event), output);
    if (!format_->converts())
      return AppendProtobufFrame(event.type, base::Slice::Share(event.object->bytes(), event.object), output);
    base::BufferBuilder object;
    if (format_->AppendProtobuf(event.object->message(), object))
      AppendProtobufFrame(event.type, object.Take(), output);
  }

  base::Slice PartialProtobuf(const WatchEvent& event) const {
    bool memoise = event.shared && Memoised();
    if (memoise)
      if (const base::Slice* encoded = event.shared->Encoding(kPartialProtobufSlot)) return *encoded;
    base::BufferBuilder partial;
    format_->AppendProtobuf(event.object->message(), partial);
    base::Slice encoded = partial.Take();
    return memoise ? event.shared->SetEncoding(kPartialProtobufSlot, std::move(encoded)) : encoded;
  }

  void AppendProtobufFrame(EventType type, base::Slice object, Output& output) const {
    size_t before = output.buffer.size();
    AppendFrameHead(type, object.size(), framing_, output.buffer);
    output.given += output.buffer.size() - before;
    output.Share(std::move(object));
  }

  void AppendBookmark(Revision revision, bool initial_events_end, Output& output) {
    bookmarked_ = revision;
    base::Slice message = BookmarkMessage(revision, initial_events_end);
    if (format_->output().media == Media::kJson)
      return AppendJsonFrame(EventType::kBookmark, message.view(), output);
    if (format_->output().media == Media::kCbor)
      return AppendCborFrame(EventType::kBookmark, message.view(), output);
    base::BufferBuilder object;
    if (format_->AppendProtobuf(message.view(), object))
      AppendProtobufFrame(EventType::kBookmark, object.Take(), output);
  }

  bool Memoised() const {
    const OutputFormat& output = format_->output();
    // Others see the stored version.
    if (format_->resource().IsConverted() && output.target == Target::kNone) return false;
    return output.target != Target::kTable && output.target_version == "v1";
  }

  // One short timer at a time, so that a watch that is gone leaves little behind.
  void ArmTimer() {
    auto due = timing_.bookmarks ? std::min(deadline_, next_bookmark_) : deadline_;
    auto delay = std::clamp<std::chrono::nanoseconds>(due - clock_.SteadyNow(), kShortestTick, kLongestTick);
    executor_.PostAfter(delay, [alive = std::weak_ptr<WatchSource*>(self_)] {
      if (auto self = alive.lock()) (*self)->OnTimer();
    });
  }

  void OnTimer() {
    auto now = clock_.SteadyNow();
    if (now >= deadline_ || (timing_.bookmarks && now >= next_bookmark_)) Wake();
    if (now < deadline_) ArmTimer();
  }

  const std::shared_ptr<WatchSource*> self_ = std::make_shared<WatchSource*>(this);  // for the timers
  const std::unique_ptr<ObjectFormat> format_;
  const std::unique_ptr<WatchStream> stream_;
  const WatchTiming timing_;
  const WatchFraming framing_;
  const base::Clock& clock_;
  base::Executor& executor_;
  const CountedWatch counted_;
  const base::Clock::SteadyTime started_, deadline_;
  base::Clock::SteadyTime next_bookmark_;
  Revision bookmarked_ = 0;
  bool draining_ = false;
  bool ended_ = false;
  std::vector<WatchEvent> events_;
};

}  // namespace

std::unique_ptr<BodySource> WatchBody(std::unique_ptr<ObjectFormat> format,
                                      std::unique_ptr<WatchStream> stream, WatchTiming timing,
                                      WatchFraming framing, const base::Clock& clock,
                                      base::Executor& executor, CountedWatch counted) {
  return std::make_unique<WatchSource>(std::move(format), std::move(stream), timing, framing, clock, executor,
                                       counted);
}

base::Slice ErrorFrame(const api::Status& status, Media media, WatchFraming framing) {
  base::Slice event = ErrorEvent(status, media, framing);
  if (framing == WatchFraming::kStream) return event;
  base::BufferBuilder message;
  AppendMessageHead(media, event.size(), message);
  message.Append(event.view());
  return message.Take();
}

}  // namespace keelson::endpoints
