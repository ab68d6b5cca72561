#include "api/codec/transcode.h"

#include <memory>
#include <unordered_map>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/json_presence.h"
#include "api/codec/passes.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/codec/quantity.h"
#include "api/codec/time_format.h"
#include "api/codec/token_writer.h"
#include "api/types/custom_type.h"

namespace keelson::api::transcode {
namespace {

using json::TokenWriter;
using protobuf::ReadIntOrString;
using protobuf::ReadTime;
using protobuf::ReadWrappedBytes;
using protobuf::ReadWrappedVarint;
using protobuf::WireReader;
using enum protobuf::WireType;

// What writing a field needs, packed: the loop below touches little else. A plan has one
// step per field number, so that finding it is an index.
struct Plan;
struct Step {
  std::string_view key;              // FieldDesc::json_key
  const FieldDesc* field = nullptr;  // null: no such number
  const Plan* inner = nullptr;       // of the struct that the field is, or that its elements are
  Kind kind = Kind::kAny;
  bool omits_zero = false;  // leaves out a zero scalar
};
struct Plan {
  std::string_view head;              // members that the wire does not have, ready to be written
  std::vector<Step> steps;            // by field number
  std::vector<const FieldDesc*> due;  // must show even when absent, in order of number
};

// The claims inside a stateful set say what they are, unlike any other object in another;
// clients have come to expect it.
constexpr std::string_view kClaimTemplates = "volumeClaimTemplates";
constexpr std::string_view kClaimHead = R"("kind":"PersistentVolumeClaim","apiVersion":"v1",)";

// The plans of this thread, made on first use. Types live as long as the process.
const Plan& PlanFor(const TypeDesc& type) {
  thread_local std::unordered_map<const TypeDesc*, std::unique_ptr<Plan>> plans;
  auto& plan = plans[&type];
  if (plan) return *plan;
  plan = std::make_unique<Plan>();
  Plan& made = *plan;  // the map may grow meanwhile; the plan stays where it is
  made.steps.resize(type.number_to_ordinal.size());
  for (const uint16_t ordinal : type.by_number) {
    const FieldDesc& f = type.fields[ordinal];
    const TypeDesc* inner = f.type->element ? f.type->element : f.type;
    made.steps[f.number] = {.key = f.json_key,
                            .field = &f,
                            .inner = inner->kind == Kind::kStruct ? &PlanFor(*inner) : nullptr,
                            .kind = f.type->kind,
                            .omits_zero = f.has(FieldDesc::kOmitEmpty) && !f.has(FieldDesc::kPointer)};
    if (f.name == kClaimTemplates && inner->root) {
      thread_local Plan claims;
      claims = PlanFor(*inner);
      claims.head = kClaimHead;
      made.steps[f.number].inner = &claims;
    }
    if (f.has(FieldDesc::kInline) ? !f.has(FieldDesc::kPointer) : json::ShowsWhenEmpty(f))
      made.due.push_back(&f);
  }
  return made;
}

// Walks the message in order of field number. Methods return false when it is malformed,
// or not in the order in which upstream and we write; the caller then takes the long way
// round.
class Transcoder {
 public:
  explicit Transcoder(TokenWriter& w) : w_(w) {}

  // The members, each with its comma.
  bool Members(std::string_view bytes, const Plan& plan, int depth) {
    if (depth > json::kMaxDepth) return false;
    WireReader r(bytes);
    auto due = plan.due.begin();
    const auto end = plan.due.end();
    uint32_t number, wire, last = 0;
    while (!r.done()) {
      if (!r.Tag(&number, &wire)) return false;
      const Step* step = number < plan.steps.size() ? &plan.steps[number] : nullptr;
      if (!step || !step->field) {
        if (!r.Skip(wire)) return false;
        continue;
      }
      if (number <= last) return false;
      last = number;
      for (; due != end && (*due)->number <= number; ++due)
        if ((*due)->number < number) Absent(**due);
      if (!Field(r, wire, *step, depth)) return false;
    }
    for (; due != end; ++due) Absent(**due);
    return true;
  }

 private:
  void Absent(const FieldDesc& f) {
    if (f.has(FieldDesc::kInline)) return json::WriteAbsentMembers(*f.type, w_);
    w_.Raw(f.json_key);
    json::WriteAbsent(*f.type, f.has(FieldDesc::kPointer), w_);
    w_.Comma();
  }

  // All of one field: a single value, or the run of a list's or map's elements.
  bool Field(WireReader& r, uint32_t wire, const Step& step, int depth) {
    switch (step.kind) {
      case Kind::kString: {
        std::string_view text;
        if (wire != kBytes || !r.Bytes(&text)) return false;
        if (!text.empty() || !step.omits_zero) w_.KeyString(step.key, text);
        return true;
      }
      case Kind::kBool:
      case Kind::kInt32:
      case Kind::kInt64: {
        uint64_t v;
        if (wire != kVarint || !r.Varint(&v)) return false;
        if (v == 0 && step.omits_zero) return true;
        w_.Raw(step.key);
        Varint(v, step.kind);
        break;
      }
      case Kind::kDouble: {
        uint64_t v;
        if (wire != kFixed64 || !r.Fixed64(&v)) return false;
        const double d = std::bit_cast<double>(v);
        if (d == 0 && step.omits_zero) return true;
        w_.Raw(step.key);
        w_.Double(d);
        break;
      }
      case Kind::kList: return List(r, wire, step, depth);
      case Kind::kMap: return Map(r, wire, step, depth);
      default: {
        std::string_view bytes;
        if (wire != kBytes || !r.Bytes(&bytes)) return false;
        return ChunkField(bytes, step, depth);
      }
    }
    w_.Comma();
    return true;
  }

  bool ChunkField(std::string_view bytes, const Step& step, int depth) {
    const FieldDesc& f = *step.field;
    switch (step.kind) {
      case Kind::kBytes:
        if (bytes.empty() && f.has(FieldDesc::kOmitEmpty)) return true;
        break;
      case Kind::kStruct:
        if (f.has(FieldDesc::kInline)) return Members(bytes, *step.inner, depth + 1);
        if (f.has(FieldDesc::kOmitZero)) return false;  // zero or not is known only at its end
        break;
      case Kind::kTime:
      case Kind::kMicroTime:
      case Kind::kRaw:
        if (IsAbsentInside(bytes, step.kind)) {
          if (json::ShowsWhenEmpty(f)) Absent(f);
          return true;
        }
        break;
      default: break;
    }
    w_.Raw(step.key);
    if (!Chunk(bytes, *f.type, step.inner, depth)) return false;
    w_.Comma();
    return true;
  }

  // Whether a message is there but stands for nothing: the zero time, empty raw text.
  static bool IsAbsentInside(std::string_view bytes, Kind kind) {
    if (bytes.empty()) return true;
    if (kind == Kind::kRaw) {
      std::string_view text;
      bool present = false;
      return ReadWrappedBytes(bytes, &text, &present) && text.empty();
    }
    protobuf::WireTime t;
    if (!ReadTime(bytes, &t)) return false;
    if (kind == Kind::kTime) return static_cast<int64_t>(t.seconds) == kZeroTimeSeconds;
    int64_t micros;
    return protobuf::MicrosOf(t, &micros) && micros == kZeroTimeSeconds * 1'000'000;
  }

  void Varint(uint64_t v, Kind kind) {
    if (kind == Kind::kBool) return w_.Bool(v != 0);
    w_.Int(kind == Kind::kInt32 ? static_cast<int32_t>(v) : static_cast<int64_t>(v));
  }

  // A value that the wire holds as a run of bytes; absent ones show as null. `inner`: the
  // plan of a struct.
  bool Chunk(std::string_view bytes, const TypeDesc& type, const Plan* inner, int depth) {
    switch (type.kind) {
      case Kind::kString: w_.String(bytes); return true;
      case Kind::kBytes: w_.Bytes(bytes); return true;
      case Kind::kStruct:
        if (type.either) return Either(bytes, type);
        w_.Raw('{');
        if (!inner->head.empty()) w_.Raw(inner->head);
        if (!Members(bytes, *inner, depth + 1)) return false;
        w_.CloseObject();
        return true;
      case Kind::kQuantity: return Quantity(bytes);
      case Kind::kTime:
      case Kind::kMicroTime: return Time(bytes, type.kind);
      case Kind::kDuration: {
        uint64_t nanos = 0;
        if (!ReadWrappedVarint(bytes, &nanos)) return false;
        w_.Duration(static_cast<int64_t>(nanos));
        return true;
      }
      case Kind::kIntOrString: {
        protobuf::WireIntOrString v;
        if (!ReadIntOrString(bytes, &v)) return false;
        v.type == 1 ? w_.String(v.text) : w_.Int(static_cast<int32_t>(v.number));
        return true;
      }
      case Kind::kRaw: {
        std::string_view text;
        bool present = false;
        if (!ReadWrappedBytes(bytes, &text, &present)) return false;
        text.empty() ? w_.Null() : w_.Compact(text);
        return true;
      }
      case Kind::kList: return WrappedList(bytes, type, inner, depth);
      default: return false;
    }
  }

  // Which field shows is known only at its end.
  bool Either(std::string_view bytes, const TypeDesc& type) {
    Arena arena;
    auto node = protobuf::Decode(bytes, type, arena);
    if (!node) return false;
    base::BufferBuilder json;
    json::Encode(Value::Of(*node), type, json);
    w_.Raw(json.view());
    return true;
  }

  bool Quantity(std::string_view bytes) {
    std::string_view text;
    bool present = false;
    if (!ReadWrappedBytes(bytes, &text, &present)) return false;
    if (!present) text = "0";
    if (!IsPlainCanonicalQuantity(text)) {
      Arena arena;
      auto canonical = CanonicalQuantity(text, arena);
      if (!canonical) return false;
      w_.String(*canonical);
      return true;
    }
    w_.String(text);
    return true;
  }

  bool Time(std::string_view bytes, Kind kind) {
    if (IsAbsentInside(bytes, kind)) {
      w_.Null();
      return true;
    }
    protobuf::WireTime t;
    if (!ReadTime(bytes, &t)) return false;
    if (kind == Kind::kTime) {
      w_.Time(static_cast<int64_t>(t.seconds));
      return true;
    }
    int64_t micros;
    if (!protobuf::MicrosOf(t, &micros)) return false;
    w_.MicroTime(micros);
    return true;
  }

  bool List(WireReader& r, uint32_t wire, const Step& step, int depth) {
    const FieldDesc& f = *step.field;
    if (f.has(FieldDesc::kMessageList)) {
      std::string_view bytes;
      if (wire != kBytes || !r.Bytes(&bytes)) return false;
      if (bytes.empty() && f.has(FieldDesc::kOmitEmpty)) return true;
      w_.Raw(f.json_key);
      if (!WrappedList(bytes, *f.type, step.inner, depth)) return false;
    } else {
      w_.Raw(f.json_key);
      w_.Raw('[');
      const uint32_t tag = protobuf::Tag(f.number, static_cast<protobuf::WireType>(wire));
      do {
        if (!Element(r, wire, *f.type->element, step.inner, depth)) return false;
      } while (r.TakeTag(tag));
      w_.CloseArray();
    }
    w_.Comma();
    return true;
  }

  bool WrappedList(std::string_view bytes, const TypeDesc& type, const Plan* inner, int depth) {
    WireReader r(bytes);
    uint32_t number, wire;
    w_.Raw('[');
    while (!r.done()) {
      if (!r.Tag(&number, &wire)) return false;
      if (number == 1 ? !Element(r, wire, *type.element, inner, depth) : !r.Skip(wire)) return false;
    }
    w_.CloseArray();
    return true;
  }

  // One element with its comma, or a packed run of them.
  bool Element(WireReader& r, uint32_t wire, const TypeDesc& type, const Plan* inner, int depth) {
    uint64_t v;
    if (wire == kVarint) {
      if (type.kind > Kind::kInt64 || !r.Varint(&v)) return false;
      Varint(v, type.kind);
      w_.Comma();
      return true;
    }
    if (wire == kFixed64) {
      if (type.kind != Kind::kDouble || !r.Fixed64(&v)) return false;
      w_.Double(std::bit_cast<double>(v));
      w_.Comma();
      return true;
    }
    std::string_view bytes;
    if (wire != kBytes || !r.Bytes(&bytes)) return false;
    if (type.kind <= Kind::kInt64) {
      WireReader packed(bytes);
      while (!packed.done()) {
        if (!packed.Varint(&v)) return false;
        Varint(v, type.kind);
        w_.Comma();
      }
      return true;
    }
    if (!Chunk(bytes, type, inner, depth)) return false;
    w_.Comma();
    return true;
  }

  bool Map(WireReader& r, uint32_t wire, const Step& step, int depth) {
    const FieldDesc& f = *step.field;
    w_.Raw(f.json_key);
    w_.Raw('{');
    const uint32_t tag = protobuf::Tag(f.number, kBytes);
    std::string_view entry, previous;
    bool first = true;
    do {
      if (wire != kBytes || !r.Bytes(&entry)) return false;
      // {1: key, 2: value}, as every encoder writes it.
      WireReader e(entry);
      std::string_view key;
      uint32_t number, value_wire;
      if (!e.TakeTag(protobuf::Tag(1, kBytes)) || !e.Bytes(&key)) return false;
      if (!first && key <= previous) return false;
      w_.String(key);
      w_.Raw(':');
      if (e.done()) {
        AbsentEntry(*f.type->element);
      } else {
        if (!e.Tag(&number, &value_wire) || number != 2) return false;
        if (!Element(e, value_wire, *f.type->element, step.inner, depth) || !e.done()) return false;
      }
      previous = key;
      first = false;
    } while (r.TakeTag(tag));
    w_.CloseObject();
    w_.Comma();
    return true;
  }

  // An entry without a value; decoding makes an empty list or empty bytes of it, not null.
  void AbsentEntry(const TypeDesc& type) {
    if (type.kind == Kind::kList) {
      w_.Raw("[]");
    } else if (type.kind == Kind::kBytes) {
      w_.Raw("\"\"");
    } else {
      json::WriteAbsent(type, /*pointer=*/false, w_);
    }
    w_.Comma();
  }

  TokenWriter& w_;
};

// Of an object of a custom kind: the metadata is a message, the rest is JSON already.
bool CustomToJson(std::string_view bytes, const TypeDesc& type, std::string_view head,
                  base::BufferBuilder& out) {
  const size_t before = out.size();
  out.Append('{');
  out.Append(head);
  const auto metadata = protobuf::FindBytes(bytes, {1});
  if (metadata) {
    out.Append(head.empty() ? "\"metadata\":" : ",\"metadata\":");
    constexpr size_t kMetadata = 2;  // ordinal
    if (!ProtobufToJson(*metadata, *type.fields[kMetadata].type, "", out)) {
      out.Truncate(before);
      return false;
    }
  }
  if (const auto content = protobuf::FindBytes(bytes, {2}); content && content->size() > 2) {
    if (metadata || !head.empty()) out.Append(',');
    out.Append(content->substr(1, content->size() - 2));
  }
  out.Append('}');
  return true;
}

// By way of a document, which copes with any order of fields.
bool ByDocument(std::string_view bytes, const TypeDesc& type, std::string_view head,
                base::BufferBuilder& out) {
  Arena arena;
  auto node = protobuf::Decode(bytes, type, arena);
  if (!node) return false;
  base::BufferBuilder whole;
  json::Encode(**node, whole);
  const std::string_view members = whole.view().substr(1);  // without the opening brace
  out.Append('{');
  out.Append(head);
  if (!head.empty() && members != "}") out.Append(',');
  out.Append(members);
  return true;
}

}  // namespace

bool ProtobufToJson(std::string_view bytes, const TypeDesc& type, std::string_view head,
                    base::BufferBuilder& out) {
  const auto pass = codec::Pass::Transcode();
  if (IsOpen(type)) return CustomToJson(bytes, type, head, out);
  const size_t before = out.size();
  TokenWriter w(out, bytes.size() * 2 + head.size());
  w.Raw('{');
  if (!head.empty()) {
    w.Raw(head);
    w.Comma();
  }
  const bool ok = Transcoder(w).Members(bytes, PlanFor(type), 1);
  w.CloseObject();
  w.Flush();
  if (ok) return true;
  out.Truncate(before);
  return ByDocument(bytes, type, head, out);
}

}  // namespace keelson::api::transcode
