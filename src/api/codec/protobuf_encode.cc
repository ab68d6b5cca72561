#include "api/codec/json.h"
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

// Two sinks with one interface walk the document: Sizer adds up, BackWriter writes from
// the end to the beginning, so that the length of a message is known when it is due.
class Sizer {
 public:
  using Mark = size_t;
  Mark Begin() const { return size_; }
  void Varint(uint64_t v) { size_ += VarintSize(v); }
  void Chars(std::string_view s) { size_ += s.size(); }
  void Fixed64(uint64_t) { size_ += 8; }
  // Puts the length of what was written since `mark` in front of it.
  void Length(Mark mark) { Varint(size_ - mark); }
  size_t size() const { return size_; }

 private:
  size_t size_ = 0;
};

class BackWriter {
 public:
  using Mark = const char*;
  explicit BackWriter(char* end) : p_(end) {}
  Mark Begin() const { return p_; }
  void Varint(uint64_t v) {
    p_ -= VarintSize(v);
    WriteVarint(v, p_);
  }
  void Chars(std::string_view s) {
    p_ -= s.size();
    if (!s.empty()) std::memcpy(p_, s.data(), s.size());
  }
  void Fixed64(uint64_t v) {
    p_ -= 8;
    std::memcpy(p_, &v, 8);
  }
  void Length(Mark mark) { Varint(static_cast<uint64_t>(mark - p_)); }
  char* position() const { return p_; }

 private:
  char* p_;
};

// Everything is emitted last part first.
template <class Sink>
class Emitter {
 public:
  explicit Emitter(Sink& sink) : sink_(sink) {}

  void Message(const StructNode* node, const TypeDesc& type) {
    static constexpr Value kAbsent;
    for (size_t i = type.by_number.size(); i-- > 0;) {
      const FieldDesc& f = type.fields[type.by_number[i]];
      Field(f, node ? node->slot(f.ordinal) : kAbsent);
    }
  }

 private:
  void Field(const FieldDesc& f, const Value& v) {
    const TypeDesc& type = *f.type;
    if (type.kind == Kind::kMap) return Map(f.number, v.map(), type);
    if (type.kind == Kind::kList && !f.has(FieldDesc::kMessageList)) return List(f.number, v.list(), type);
    const bool by_presence =
        f.has(FieldDesc::kPointer) || type.kind == Kind::kList || type.kind == Kind::kBytes;
    if (v.absent() && by_presence) return;
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
      Prefixed(kKeyTag, entry.key);
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
      case Kind::kBytes: return Prefixed(Tag(number, kBytes), v.string());
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
      case Kind::kQuantity: return Prefixed(Tag(1, kBytes), v.string().empty() ? "0" : v.string());
      case Kind::kRaw:
        if (!v.absent()) Prefixed(Tag(1, kBytes), v.string());
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
        Prefixed(Tag(3, kBytes), v.string());
        sink_.Varint(static_cast<uint64_t>(v.integer()));
        sink_.Varint(Tag(2, kVarint));
        sink_.Varint(v.is(Value::Tag::kString));
        return sink_.Varint(Tag(1, kVarint));
      default: return;
    }
  }

  void Prefixed(uint32_t tag, std::string_view s) {
    sink_.Chars(s);
    sink_.Varint(s.size());
    sink_.Varint(tag);
  }

  Sink& sink_;
};

// An object of a custom kind: metadata, and the rest as the JSON of an object.
void AppendCustom(const StructNode& root, base::BufferBuilder& out) {
  constexpr size_t kMetadata = 2;  // ordinal
  base::BufferBuilder metadata, content;
  if (const StructNode* node = root.slot(kMetadata).node()) Encode(*node, metadata);
  if (const MapNode* map = ContentOf(root); map && map->size > 0)
    json::EncodeAny(Value::Of(const_cast<MapNode*>(map)), content);
  const auto append = [&](uint32_t number, std::string_view bytes) {
    const size_t head = VarintSize(Tag(number, kBytes)) + VarintSize(bytes.size());
    BackWriter writer(out.Reserve(head) + head);
    writer.Varint(bytes.size());
    writer.Varint(Tag(number, kBytes));
    out.Advance(head);
    out.Append(bytes);
  };
  append(1, metadata.view());
  if (content.size() > 0) append(2, content.view());
}

size_t HeadSize(std::string_view api_version, std::string_view kind, size_t raw_size, size_t* meta_size) {
  *meta_size =
      1 + VarintSize(api_version.size()) + api_version.size() + 1 + VarintSize(kind.size()) + kind.size();
  return kMagic.size() + 1 + VarintSize(*meta_size) + *meta_size + 1 + VarintSize(raw_size);
}

}  // namespace

size_t EncodedSize(const StructNode& node) {
  if (IsOpen(*node.type)) {
    base::BufferBuilder whole;
    AppendCustom(node, whole);
    return whole.size();
  }
  Sizer sizer;
  Emitter<Sizer>(sizer).Message(&node, *node.type);
  return sizer.size();
}

void Encode(const StructNode& node, base::BufferBuilder& out) {
  if (IsOpen(*node.type)) return AppendCustom(node, out);
  const size_t size = EncodedSize(node);
  char* const begin = out.Reserve(size);
  BackWriter writer(begin + size);
  Emitter<BackWriter>(writer).Message(&node, *node.type);
  out.Advance(size);
}

void AppendEnvelopeHead(std::string_view api_version, std::string_view kind, size_t raw_size,
                        base::BufferBuilder& out) {
  size_t meta_size = 0;
  const size_t size = HeadSize(api_version, kind, raw_size, &meta_size);
  BackWriter writer(out.Reserve(size) + size);
  writer.Varint(raw_size);
  writer.Varint(Tag(2, kBytes));
  writer.Chars(kind);
  writer.Varint(kind.size());
  writer.Varint(Tag(2, kBytes));
  writer.Chars(api_version);
  writer.Varint(api_version.size());
  writer.Varint(Tag(1, kBytes));
  writer.Varint(meta_size);
  writer.Varint(Tag(1, kBytes));
  writer.Chars(kMagic);
  out.Advance(size);
}

std::string_view EnvelopeTail() { return {"\x1a\x00\x22\x00", 4}; }

void EncodeObject(const Doc& doc, base::BufferBuilder& out) {
  const StructNode& root = *doc.root();
  if (IsOpen(*root.type)) {
    base::BufferBuilder message;
    AppendCustom(root, message);
    AppendEnvelopeHead(root.slot(1).string(), root.slot(0).string(), message.size(), out);
    out.Append(message.view());
    return out.Append(EnvelopeTail());
  }
  const size_t size = EncodedSize(root);
  AppendEnvelopeHead(root.slot(1).string(), root.slot(0).string(), size, out);
  BackWriter writer(out.Reserve(size + EnvelopeTail().size()) + size);
  Emitter<BackWriter>(writer).Message(&root, *root.type);
  out.Advance(size);
  out.Append(EnvelopeTail());
}

}  // namespace keelson::api::protobuf
