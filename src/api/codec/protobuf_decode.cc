#include <unordered_set>

#include "api/codec/json.h"
#include "api/codec/map_builder.h"
#include "api/codec/passes.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/codec/quantity.h"
#include "api/codec/time_format.h"

namespace keelson::api::protobuf {
namespace {

constexpr std::string_view kTruncated = "unexpected EOF";
constexpr std::string_view kTooDeep = "proto: message nested too deeply";

// Methods return false when the bytes are malformed; error_ says how.
class Decoder {
 public:
  explicit Decoder(Arena& arena, bool own = false, const FieldDesc* without = nullptr)
      : arena_(arena), own_(own), without_(without) {}

  bool Document(std::string_view bytes, StructNode* node) {
    if (!Message(bytes, node, 1)) return false;
    for (MapNode* map : unsorted_) MapBuilder::Sort(*map, [](std::string_view) {});
    return true;
  }

  std::string TakeError() { return std::move(error_); }

 private:
  bool Message(std::string_view bytes, StructNode* node, int depth) {
    if (depth > json::kMaxDepth) return Fail(kTooDeep);
    const TypeDesc& type = *node->type;
    WireReader r(bytes);
    uint32_t number, wire;
    while (!r.done()) {
      if (!r.Tag(&number, &wire)) return Fail("proto: illegal tag");
      const FieldDesc* f = type.FieldByNumber(number);
      if (!f || f == without_) {
        if (!r.Skip(wire)) return Fail(kTruncated);
        continue;
      }
      Value& slot = node->slot(f->ordinal);
      const bool ok = f->has(FieldDesc::kInline) && f->type->kind == Kind::kMap ? Content(r, wire, slot)
                      : f->type->kind == Kind::kMap  ? Map(r, wire, *f, slot, depth)
                      : f->type->kind == Kind::kList ? List(r, wire, *f, slot, depth)
                                                     : Single(r, wire, *f->type, slot, depth);
      if (ok) continue;
      if (error_.empty())
        error_ = "proto: malformed field " + std::string(f->name) + " of " + std::string(type.name);
      return false;
    }
    return true;
  }

  bool Fail(std::string_view message) {
    error_ = message;
    return false;
  }

  // What a custom object has besides its metadata: the JSON of an object.
  bool Content(WireReader& r, uint32_t wire, Value& slot) {
    std::string_view text;
    if (wire != kBytes || !r.Bytes(&text)) return false;
    auto tree = json::DecodeAny(text, arena_);
    if (!tree || !tree->map()) return Fail("proto: content is no JSON object");
    slot = *tree;
    return true;
  }

  // Scalars replace what was there; messages merge into it.
  bool Single(WireReader& r, uint32_t wire, const TypeDesc& type, Value& slot, int depth) {
    uint64_t v = 0;
    switch (type.kind) {
      case Kind::kBool:
      case Kind::kInt32:
      case Kind::kInt64:
        if (wire != kVarint || !r.Varint(&v)) return false;
        slot = Scalar(v, type.kind);
        return true;
      case Kind::kDouble:
        if (wire != kFixed64 || !r.Fixed64(&v)) return false;
        slot = Value::Double(std::bit_cast<double>(v));
        return true;
      default: break;
    }
    std::string_view bytes;
    if (wire != kBytes || !r.Bytes(&bytes)) return false;
    return Chunk(bytes, type, slot, depth);
  }

  static Value Scalar(uint64_t v, Kind kind) {
    if (kind == Kind::kBool) return Value::Bool(v != 0);
    return Value::Int(kind == Kind::kInt32 ? static_cast<int32_t>(v) : static_cast<int64_t>(v));
  }

  // A value that the wire holds as a run of bytes.
  bool Chunk(std::string_view bytes, const TypeDesc& type, Value& slot, int depth) {
    switch (type.kind) {
      case Kind::kString: slot = Value::String(bytes); return true;
      case Kind::kBytes: slot = Value::Bytes(bytes); return true;
      case Kind::kStruct:
        if (!slot.node()) slot = Value::Of(StructNode::New(type, arena_));
        return Message(bytes, slot.node(), depth + 1);
      case Kind::kQuantity: return Quantity(bytes, slot);
      case Kind::kTime:
      case Kind::kMicroTime: return Time(bytes, type.kind, slot);
      case Kind::kDuration: {
        uint64_t nanos = 0;
        if (!ReadWrappedVarint(bytes, &nanos)) return false;
        slot = Value::Int(static_cast<int64_t>(nanos));
        return true;
      }
      case Kind::kIntOrString: {
        WireIntOrString v;
        if (!ReadIntOrString(bytes, &v)) return false;
        slot = v.type == 1 ? Value::String(v.text) : Value::Int(static_cast<int32_t>(v.number));
        return true;
      }
      case Kind::kRaw: return Raw(bytes, slot);
      case Kind::kList: {  // a list inside a message of its own
        if (!slot.list()) slot = Value::Of(ListNode::New(type.element, arena_));
        WireReader r(bytes);
        uint32_t number, wire;
        while (!r.done()) {
          if (!r.Tag(&number, &wire)) return false;
          if (number == 1 ? !Element(r, wire, type, *slot.list(), depth) : !r.Skip(wire)) return false;
        }
        return true;
      }
      default: return false;
    }
  }

  bool Quantity(std::string_view bytes, Value& slot) {
    std::string_view text;
    bool present = false;
    if (!ReadWrappedBytes(bytes, &text, &present)) return false;
    if (!present) {
      slot = Value::String("0");
      return true;
    }
    auto canonical = CanonicalQuantity(text, arena_);
    if (!canonical) return Fail(canonical.error());
    slot = Value::String(*canonical);
    return true;
  }

  bool Time(std::string_view bytes, Kind kind, Value& slot) {
    WireTime t;
    slot = {};
    if (bytes.empty()) return true;
    if (!ReadTime(bytes, &t)) return false;
    const auto seconds = static_cast<int64_t>(t.seconds);
    if (kind == Kind::kTime) {
      if (seconds != kZeroTimeSeconds) slot = Value::Int(seconds);
      return true;
    }
    int64_t micros;
    if (!MicrosOf(t, &micros)) return false;
    if (micros != kZeroTimeSeconds * 1'000'000) slot = Value::Int(micros);
    return true;
  }

  // Raw text goes into JSON answers as it is, so it must be JSON.
  bool Raw(std::string_view bytes, Value& slot) {
    std::string_view text;
    bool present = false;
    if (!ReadWrappedBytes(bytes, &text, &present)) return false;
    slot = {};
    if (!present || text.empty()) return true;
    if (!own_ && !json::IsValid(text)) return Fail("proto: raw value is not JSON");
    slot = Value::String(text);
    return true;
  }

  bool List(WireReader& r, uint32_t wire, const FieldDesc& f, Value& slot, int depth) {
    if (f.has(FieldDesc::kMessageList)) return Single(r, wire, *f.type, slot, depth);
    if (!slot.list()) slot = Value::Of(ListNode::New(f.type->element, arena_));
    return Element(r, wire, *f.type, *slot.list(), depth);
  }

  // One element, or a packed run of them.
  bool Element(WireReader& r, uint32_t wire, const TypeDesc& list_type, ListNode& list, int depth) {
    const TypeDesc& type = *list_type.element;
    const bool integral = type.kind == Kind::kBool || type.kind == Kind::kInt32 || type.kind == Kind::kInt64;
    if (integral && wire == kBytes) {
      std::string_view packed;
      if (!r.Bytes(&packed)) return false;
      WireReader inner(packed);
      uint64_t v;
      while (!inner.done()) {
        if (!inner.Varint(&v)) return false;
        list.Append(Scalar(v, type.kind), arena_);
      }
      return true;
    }
    Value item;
    if (!Single(r, wire, type, item, depth)) return false;
    list.Append(item, arena_);
    return true;
  }

  bool Map(WireReader& r, uint32_t wire, const FieldDesc& f, Value& slot, int depth) {
    if (!slot.map()) slot = Value::Of(MapNode::New(f.type->element, arena_));
    MapBuilder builder(*slot.map(), arena_);
    do {
      std::string_view bytes, key;
      Value value;
      if (wire != kBytes || !r.Bytes(&bytes) || !Entry(bytes, *f.type->element, key, value, depth))
        return false;
      builder.Add(key, value);
    } while (r.TakeTag(protobuf::Tag(f.number, kBytes)));
    // Other fields may stand between the entries of a map: it is sorted when all are there.
    if (!builder.sorted()) unsorted_.insert(slot.map());
    return true;
  }

  bool Entry(std::string_view bytes, const TypeDesc& type, std::string_view& key, Value& value, int depth) {
    WireReader r(bytes);
    uint32_t number, wire;
    bool present = false;
    while (!r.done()) {
      if (!r.Tag(&number, &wire)) return false;
      if (number == 1) {
        if (wire != kBytes || !r.Bytes(&key)) return false;
      } else if (number == 2) {
        present = true;
        if (!Single(r, wire, type, value, depth)) return false;
      } else if (!r.Skip(wire)) {
        return false;
      }
    }
    if (!present) value = AbsentEntry(type);
    return true;
  }

  Value AbsentEntry(const TypeDesc& type) {
    switch (type.kind) {
      case Kind::kString: return Value::String("");
      case Kind::kBytes: return Value::Bytes("");
      case Kind::kBool: return Value::Bool(false);
      case Kind::kInt32:
      case Kind::kInt64:
      case Kind::kDuration:
      case Kind::kIntOrString: return Value::Int(0);
      case Kind::kDouble: return Value::Double(0);
      case Kind::kQuantity: return Value::String("0");
      case Kind::kStruct: return Value::Of(StructNode::New(type, arena_));
      case Kind::kList: return Value::Of(ListNode::New(type.element, arena_));
      default: return {};
    }
  }

  Arena& arena_;
  const bool own_;
  const FieldDesc* const without_;  // null: all fields are wanted
  std::unordered_set<MapNode*> unsorted_;
  std::string error_;
};

std::unexpected<DecodeError> Error(std::string_view message) {
  return base::Err(DecodeError{std::string(message)});
}

// Calls `take(number, bytes)` for each field of wire type kBytes, and skips the others.
template <class F>
bool ForEachBytes(std::string_view message, F&& take) {
  WireReader r(message);
  uint32_t number, wire;
  std::string_view bytes;
  while (!r.done()) {
    if (!r.Tag(&number, &wire)) return false;
    if (wire != kBytes) {
      if (!r.Skip(wire)) return false;
      continue;
    }
    if (!r.Bytes(&bytes) || !take(number, bytes)) return false;
  }
  return true;
}

}  // namespace

base::Result<Envelope, DecodeError> ParseEnvelope(std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    return Error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  Envelope e;
  const bool ok = ForEachBytes(bytes.substr(kMagic.size()), [&](uint32_t number, std::string_view field) {
    switch (number) {
      case 1:
        return ForEachBytes(field, [&](uint32_t n, std::string_view text) {
          if (n == 1) e.api_version = text;
          if (n == 2) e.kind = text;
          return true;
        });
      case 2: e.raw = field; break;
      case 3: e.content_encoding = field; break;
      case 4: e.content_type = field; break;
      default: break;
    }
    return true;
  });
  if (!ok) return Error(kTruncated);
  return e;
}

base::Result<StructNode*, DecodeError> Decode(std::string_view bytes, const TypeDesc& type, Arena& arena,
                                              const FieldDesc* without) {
  const auto pass = codec::Pass::Decode();
  StructNode* node = StructNode::New(type, arena);
  Decoder decoder(arena, /*own=*/false, without);
  if (!decoder.Document(bytes, node)) return base::Err(DecodeError{decoder.TakeError()});
  return node;
}

base::Result<StructNode*, DecodeError> DecodeOwn(std::string_view bytes, const TypeDesc& type, Arena& arena) {
  const auto pass = codec::Pass::Decode();
  StructNode* node = StructNode::New(type, arena);
  Decoder decoder(arena, /*own=*/true);
  if (!decoder.Document(bytes, node)) return base::Err(DecodeError{decoder.TakeError()});
  return node;
}

base::Result<Doc, DecodeError> DecodeObject(base::Slice bytes, const TypeDesc& type,
                                            const FieldDesc* without) {
  Arena arena;
  const std::string_view held = arena.Hold(std::move(bytes));
  auto envelope = TRY(ParseEnvelope(held));
  auto root = TRY(Decode(envelope.raw, type, arena, without));
  root->slot(0) = Value::String(envelope.kind);
  root->slot(1) = Value::String(envelope.api_version);
  return Doc(std::move(arena), root);
}

std::optional<std::string_view> FindBytes(std::string_view message, std::initializer_list<uint32_t> path) {
  for (const uint32_t wanted : path) {
    WireReader r(message);
    uint32_t number, wire;
    bool found = false;
    while (!found) {
      if (r.done() || !r.Tag(&number, &wire)) return std::nullopt;
      if (number == wanted && wire == kBytes) {
        if (!r.Bytes(&message)) return std::nullopt;
        found = true;
      } else if (!r.Skip(wire)) {
        return std::nullopt;
      }
    }
  }
  return message;
}

bool SpliceResourceVersion(std::string_view message, std::string_view resource_version,
                           base::BufferBuilder& out) {
  constexpr uint32_t kMetadata = 1, kResourceVersion = 6;
  // Where metadata lies, and where in it resourceVersion lies or belongs: fields are in
  // order of number.
  const char* const end = message.data() + message.size();
  WireReader r(message);
  uint32_t number, wire;
  std::string_view metadata(message.data(), 0);
  const char* metadata_end = message.data();
  if (r.TakeTag(Tag(kMetadata, kBytes))) {
    if (!r.Bytes(&metadata)) return false;
    metadata_end = r.position();
  } else if (FindBytes(message, {kMetadata})) {
    return false;  // out of order: not a message of ours
  }
  const char* cut = metadata.data();
  const char* resume = metadata.data();
  WireReader inner(metadata);
  while (!inner.done()) {
    const char* start = inner.position();
    if (!inner.Tag(&number, &wire) || !inner.Skip(wire)) return false;
    if (number > kResourceVersion) break;
    resume = inner.position();
    if (number == kResourceVersion) {
      cut = start;
      break;
    }
    cut = resume;
  }
  const std::string_view before(metadata.data(), static_cast<size_t>(cut - metadata.data()));
  const std::string_view after(resume, static_cast<size_t>(metadata.data() + metadata.size() - resume));
  const size_t field = 1 + VarintSize(resource_version.size()) + resource_version.size();
  const size_t size = before.size() + field + after.size();
  const size_t total = 1 + VarintSize(size) + size + static_cast<size_t>(end - metadata_end);
  char* w = out.Reserve(total);
  auto put = [&w](std::string_view s) {
    if (!s.empty()) std::memcpy(w, s.data(), s.size());
    w += s.size();
  };
  w = WriteVarint(Tag(kMetadata, kBytes), w);
  w = WriteVarint(size, w);
  put(before);
  w = WriteVarint(Tag(kResourceVersion, kBytes), w);
  w = WriteVarint(resource_version.size(), w);
  put(resource_version);
  put(after);
  put({metadata_end, static_cast<size_t>(end - metadata_end)});
  out.Advance(total);
  return true;
}

}  // namespace keelson::api::protobuf
