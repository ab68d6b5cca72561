#include "tracing/otlp.h"

#include "api/codec/protobuf_message.h"
#include "base/version.h"

namespace keelson::tracing {
namespace {

using api::protobuf::MessageWriter;

// The numbers of the messages' fields.
namespace field {
constexpr uint32_t kResourceSpans = 1;
constexpr uint32_t kResource = 1, kScopeSpans = 2;
constexpr uint32_t kResourceAttributes = 1;
constexpr uint32_t kScope = 1, kSpans = 2;
constexpr uint32_t kScopeName = 1, kScopeVersion = 2;
constexpr uint32_t kTraceId = 1, kSpanId = 2, kTraceState = 3, kParent = 4, kName = 5, kKind = 6, kStart = 7,
                   kEnd = 8, kAttributes = 9, kEvents = 11, kLinks = 13, kStatus = 15, kFlags = 16;
constexpr uint32_t kEventTime = 1, kEventName = 2, kEventAttributes = 3;
constexpr uint32_t kLinkFlags = 6;
constexpr uint32_t kStatusMessage = 2, kStatusCode = 3;
constexpr uint32_t kKey = 1, kValue = 2;
constexpr uint32_t kString = 1, kInt = 3;
constexpr uint32_t kPartialSuccess = 1, kRejected = 1, kWhy = 2;
}  // namespace field

constexpr uint64_t kStatusError = 2;
// Besides the flag "sampled".
constexpr uint32_t kKnowsRemote = 0x100, kIsRemote = 0x200;

template <class Bytes>
std::string_view View(const Bytes& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

uint32_t Flags(bool sampled, bool remote) {
  return (sampled ? 1U : 0U) | kKnowsRemote | (remote ? kIsRemote : 0U);
}

std::string Encoded(const base::SpanAttribute& attribute) {
  MessageWriter value;
  if (const auto* const text = std::get_if<std::string>(&attribute.value))
    value.PresentText(field::kString, *text);
  else
    value.PresentNumber(field::kInt, static_cast<uint64_t>(std::get<int64_t>(attribute.value)));
  MessageWriter pair;
  pair.Text(field::kKey, attribute.key);
  pair.PresentText(field::kValue, value.Take());
  return pair.Take();
}

void WriteAttributes(uint32_t number, std::span<const base::SpanAttribute> attributes, MessageWriter& out) {
  for (const base::SpanAttribute& attribute : attributes) out.PresentText(number, Encoded(attribute));
}

std::string Encoded(const base::SpanEvent& event) {
  MessageWriter out;
  out.Fixed64(field::kEventTime, static_cast<uint64_t>(event.unix_nanos));
  out.Text(field::kEventName, event.name);
  WriteAttributes(field::kEventAttributes, event.attributes, out);
  return out.Take();
}

std::string EncodedLink(const base::SpanContext& link) {
  MessageWriter out;
  out.Text(field::kTraceId, View(link.trace_id));
  out.Text(field::kSpanId, View(link.span_id));
  out.Text(field::kTraceState, link.trace_state);
  out.Fixed32(field::kLinkFlags, Flags(link.sampled, link.remote));
  return out.Take();
}

std::string EncodedStatus(const base::Span& span) {
  MessageWriter out;
  out.Text(field::kStatusMessage, span.failure);
  if (span.failed) out.Number(field::kStatusCode, kStatusError);
  return out.Take();
}

std::string Encoded(const base::Span& span) {
  MessageWriter out(span.Bytes());
  out.Text(field::kTraceId, View(span.context.trace_id));
  out.Text(field::kSpanId, View(span.context.span_id));
  out.Text(field::kTraceState, span.context.trace_state);
  if (span.parent != base::SpanId{}) out.Text(field::kParent, View(span.parent));
  out.Text(field::kName, span.name);
  out.Number(field::kKind, static_cast<uint64_t>(span.kind));
  out.Fixed64(field::kStart, static_cast<uint64_t>(span.start_unix_nanos));
  out.Fixed64(field::kEnd, static_cast<uint64_t>(span.end_unix_nanos));
  WriteAttributes(field::kAttributes, span.attributes, out);
  for (const base::SpanEvent& event : span.events) out.PresentText(field::kEvents, Encoded(event));
  if (span.link.valid()) out.PresentText(field::kLinks, EncodedLink(span.link));
  out.PresentText(field::kStatus, EncodedStatus(span));
  out.Fixed32(field::kFlags, Flags(span.context.sampled, span.parent_remote));
  return out.Take();
}

// Calls `take(number, bytes)` for each field of bytes and `count(number, value)` for each number.
template <class Take, class Count>
bool ReadFields(std::string_view message, const Take& take, const Count& count) {
  api::protobuf::WireReader reader(message);
  while (!reader.done()) {
    uint32_t number, type;
    std::string_view bytes;
    uint64_t value;
    if (!reader.Tag(&number, &type)) return false;
    if (type == api::protobuf::kBytes) {
      if (!reader.Bytes(&bytes) || !take(number, bytes)) return false;
    } else if (type == api::protobuf::kVarint) {
      if (!reader.Varint(&value)) return false;
      count(number, value);
    } else if (!reader.Skip(type)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string EncodeExport(const Resource& resource, std::span<const base::SpanPtr> spans) {
  size_t size = 256;
  for (const base::SpanPtr& span : spans) size += span->Bytes();
  MessageWriter scope;
  scope.Text(field::kScopeName, "keelson");
  scope.Text(field::kScopeVersion, KEELSON_VERSION);
  MessageWriter scope_spans(size);
  scope_spans.PresentText(field::kScope, scope.Take());
  for (const base::SpanPtr& span : spans) scope_spans.PresentText(field::kSpans, Encoded(*span));

  const base::SpanAttribute attributes[] = {{"service.instance.id", resource.instance_id},
                                            {"service.name", resource.service_name}};
  MessageWriter described;
  WriteAttributes(field::kResourceAttributes, attributes, described);
  MessageWriter resource_spans(size);
  resource_spans.PresentText(field::kResource, described.Take());
  resource_spans.PresentText(field::kScopeSpans, scope_spans.Take());
  MessageWriter request(size);
  request.PresentText(field::kResourceSpans, resource_spans.Take());
  return request.Take();
}

std::optional<PartialSuccess> DecodeExported(std::string_view message) {
  PartialSuccess result;
  const auto ignored = [](uint32_t, uint64_t) {};
  const bool whole = ReadFields(
      message,
      [&](uint32_t number, std::string_view bytes) {
        if (number != field::kPartialSuccess) return true;
        return ReadFields(
            bytes,
            [&](uint32_t inner, std::string_view text) {
              if (inner == field::kWhy) result.why = text;
              return true;
            },
            [&](uint32_t inner, uint64_t value) {
              if (inner == field::kRejected) result.rejected = static_cast<int64_t>(value);
            });
      },
      ignored);
  if (!whole) return std::nullopt;
  return result;
}

}  // namespace keelson::tracing
