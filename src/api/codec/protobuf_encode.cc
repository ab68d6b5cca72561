#include <algorithm>
#include <cstring>
#include <memory>

#include "api/codec/json.h"
#include "api/codec/passes.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/codec/time_format.h"
#include "api/types/custom_type.h"

namespace keelson::api::protobuf {
namespace {

constexpr uint32_t kKeyTag = Tag(1, kBytes), kValueNumber = 2;

// Seconds and nanoseconds of a time value.
Instant InstantOf(const Value& v, Kind kind) {
  if (kind == Kind::kTime) return {v.integer(), 0};
  int64_t seconds = v.integer() / 1'000'000, micros = v.integer() % 1'000'000;
  if (micros < 0) {
    micros += 1'000'000;
    --seconds;
  }
  return {seconds, static_cast<int32_t>(micros * 1'000)};
}

// Writes from the end to the beginning, so that the length of a message is known when it is
// due. The room is the thread's own and serves one message after another; what was written
// is copied out once, at its exact size. A thread has one writer at a time.
class BackWriter {
 public:
  using Mark = size_t;

  BackWriter() : room_(Room::OfThread()), p_(room_.end()) {}
  ~BackWriter() { room_.Release(); }
  BackWriter(const BackWriter&) = delete;
  BackWriter& operator=(const BackWriter&) = delete;

  Mark Begin() const { return written().size(); }
  void Varint(uint64_t v) {
    Need(kLongestVarint);
    if (v < 0x80) [[likely]] {
      *--p_ = static_cast<char>(v);
      return;
    }
    p_ -= VarintSize(v);
    WriteVarint(v, p_);
  }
  void Chars(std::string_view s) {
    Need(s.size());
    p_ -= s.size();
    std::char_traits<char>::copy(p_, s.data(), s.size());
  }
  void Fixed64(uint64_t v) {
    Need(sizeof v);
    p_ -= sizeof v;
    std::memcpy(p_, &v, sizeof v);
  }
  // Puts the length of what was written since `mark` in front of it.
  void Length(Mark mark) { Varint(written().size() - mark); }
  void Prefixed(uint32_t tag, std::string_view s) {
    Chars(s);
    Varint(s.size());
    Varint(tag);
  }

  std::string_view written() const { return {p_, static_cast<size_t>(room_.end() - p_)}; }

 private:
  static constexpr size_t kLongestVarint = 10;

  class Room {
   public:
    static Room& OfThread() {
      thread_local Room room;
      return room;
    }
    char* begin() const { return data_.get(); }
    char* end() const { return data_.get() + size_; }
    // Moves what is in the last `used` bytes to the end of a larger room.
    void Grow(size_t used, size_t more) {
      const size_t size = std::max({kKept, size_ * 2, used + more});
      auto larger = std::make_unique_for_overwrite<char[]>(size);
      if (used > 0) std::memcpy(larger.get() + size - used, end() - used, used);
      data_ = std::move(larger);
      size_ = size;
    }
    // A thread keeps room for objects of common size only.
    void Release() {
      if (size_ <= kKept) return;
      data_.reset();
      size_ = 0;
    }

   private:
    static constexpr size_t kKept = 32 << 10;
    std::unique_ptr<char[]> data_;
    size_t size_ = 0;
  };

  void Need(size_t n) {
    if (static_cast<size_t>(p_ - room_.begin()) < n) [[unlikely]] {
      const size_t used = written().size();
      room_.Grow(used, n);
      p_ = room_.end() - used;
    }
  }

  Room& room_;
  char* p_;
};

// Everything is emitted last part first.
class Emitter {
 public:
  explicit Emitter(BackWriter& sink) : sink_(sink) {}

  void Message(const StructNode* node, const TypeDesc& type) {
    static constexpr Value kAbsent;
    for (size_t i = type.by_number.size(); i-- > 0;) {
      const FieldDesc& f = type.fields[type.by_number[i]];
      const Value& v = node ? node->slot(f.ordinal) : kAbsent;
      if (!v.absent() || !IsSilentWhenAbsent(f)) Field(f, v);
    }
  }

 private:
  static bool IsSilentWhenAbsent(const FieldDesc& f) {
    if (f.has(FieldDesc::kPointer)) return true;
    const Kind kind = f.type->kind;
    return kind == Kind::kList || kind == Kind::kMap || kind == Kind::kBytes;
  }

  void Field(const FieldDesc& f, const Value& v) {
    const TypeDesc& type = *f.type;
    if (type.kind == Kind::kMap) return Map(f.number, v.map(), type);
    if (type.kind == Kind::kList && !f.has(FieldDesc::kMessageList)) return List(f.number, v.list(), type);
    Single(f.number, v, type);
  }

  void List(uint32_t number, const ListNode* list, const TypeDesc& type) {
    if (!list) return;
    for (size_t i = list->size; i-- > 0;) Single(number, list->data[i], *type.element);
  }

  void Map(uint32_t number, const MapNode* map, const TypeDesc& type) {
    if (!map) return;
    for (size_t i = map->size; i-- > 0;) {
      const auto& entry = map->data[i];
      const auto mark = sink_.Begin();
      const bool nil = entry.value.absent() && type.element->kind == Kind::kBytes;
      if (!nil) Single(kValueNumber, entry.value, *type.element);
      sink_.Prefixed(kKeyTag, entry.key);
      sink_.Length(mark);
      sink_.Varint(Tag(number, kBytes));
    }
  }

  // One value with its tag, absent ones as zero.
  void Single(uint32_t number, const Value& v, const TypeDesc& type) {
    switch (type.kind) {
      case Kind::kBool: sink_.Varint(v.boolean()); return sink_.Varint(Tag(number, kVarint));
      case Kind::kInt32:
      case Kind::kInt64:
        sink_.Varint(static_cast<uint64_t>(v.integer()));
        return sink_.Varint(Tag(number, kVarint));
      case Kind::kDouble:
        sink_.Fixed64(std::bit_cast<uint64_t>(v.real()));
        return sink_.Varint(Tag(number, kFixed64));
      case Kind::kString:
      case Kind::kBytes: return sink_.Prefixed(Tag(number, kBytes), v.string());
      default: break;
    }
    const auto mark = sink_.Begin();
    Body(v, type);
    sink_.Length(mark);
    sink_.Varint(Tag(number, kBytes));
  }

  // The inside of a value that is a message.
  void Body(const Value& v, const TypeDesc& type) {
    switch (type.kind) {
      case Kind::kStruct: return Message(v.node(), type);
      case Kind::kList: return List(1, v.list(), type);
      case Kind::kQuantity: return sink_.Prefixed(Tag(1, kBytes), v.string().empty() ? "0" : v.string());
      case Kind::kRaw:
        if (!v.absent()) sink_.Prefixed(Tag(1, kBytes), v.string());
        return;
      case Kind::kDuration:
        sink_.Varint(static_cast<uint64_t>(v.integer()));
        return sink_.Varint(Tag(1, kVarint));
      case Kind::kTime:
      case Kind::kMicroTime: {
        if (v.absent()) return;
        const Instant t = InstantOf(v, type.kind);
        sink_.Varint(static_cast<uint64_t>(t.nanos));
        sink_.Varint(Tag(2, kVarint));
        sink_.Varint(static_cast<uint64_t>(t.seconds));
        return sink_.Varint(Tag(1, kVarint));
      }
      case Kind::kIntOrString:
        sink_.Prefixed(Tag(3, kBytes), v.string());
        sink_.Varint(static_cast<uint64_t>(v.integer()));
        sink_.Varint(Tag(2, kVarint));
        sink_.Varint(v.is(Value::Tag::kString));
        return sink_.Varint(Tag(1, kVarint));
      default: return;
    }
  }

  BackWriter& sink_;
};

// An object of a custom kind: metadata, and the rest as the JSON of an object.
void EmitCustom(const StructNode& root, BackWriter& sink) {
  constexpr size_t kMetadata = 2;  // ordinal
  if (const MapNode* map = ContentOf(root); map && map->size > 0) {
    base::BufferBuilder content;
    json::EncodeAny(Value::Of(const_cast<MapNode*>(map)), content);
    sink.Prefixed(Tag(2, kBytes), content.view());
  }
  const auto mark = sink.Begin();
  if (const StructNode* node = root.slot(kMetadata).node()) Emitter(sink).Message(node, *node->type);
  sink.Length(mark);
  sink.Varint(Tag(1, kBytes));
}

void EmitRoot(const StructNode& root, BackWriter& sink) {
  IsOpen(*root.type) ? EmitCustom(root, sink) : Emitter(sink).Message(&root, *root.type);
}

void EmitEnvelopeHead(std::string_view api_version, std::string_view kind, size_t raw_size,
                      BackWriter& sink) {
  sink.Varint(raw_size);
  sink.Varint(Tag(2, kBytes));
  const auto mark = sink.Begin();
  sink.Prefixed(Tag(2, kBytes), kind);
  sink.Prefixed(Tag(1, kBytes), api_version);
  sink.Length(mark);
  sink.Varint(Tag(1, kBytes));
  sink.Chars(kMagic);
}

}  // namespace

void Encode(const StructNode& node, base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  BackWriter sink;
  EmitRoot(node, sink);
  out.Append(sink.written());
}

void AppendEnvelopeHead(std::string_view api_version, std::string_view kind, size_t raw_size,
                        base::BufferBuilder& out) {
  BackWriter sink;
  EmitEnvelopeHead(api_version, kind, raw_size, sink);
  out.Append(sink.written());
}

std::string_view EnvelopeTail() { return {"\x1a\x00\x22\x00", 4}; }

void EncodeObject(std::string_view api_version, std::string_view kind, const StructNode& root,
                  base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  BackWriter sink;
  sink.Chars(EnvelopeTail());
  const auto mark = sink.Begin();
  EmitRoot(root, sink);
  EmitEnvelopeHead(api_version, kind, sink.Begin() - mark, sink);
  out.Append(sink.written());
}

void EncodeObject(const Doc& doc, base::BufferBuilder& out) {
  const StructNode& root = *doc.root();
  EncodeObject(root.slot(1).string(), root.slot(0).string(), root, out);
}

}  // namespace keelson::api::protobuf
