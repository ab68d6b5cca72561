// Protobuf in and out by type, byte for byte what upstream writes, and the `k8s\0`
// envelope around every stored or served object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/types/doc.h"
#include "base/result.h"
#include "base/slice.h"

namespace keelson::api::protobuf {

struct DecodeError {
  std::string message;
};

constexpr std::string_view kMagic("k8s\0", 4);

// A decoded envelope; views point into the input.
struct Envelope {
  std::string_view api_version, kind;
  std::string_view raw;
  std::string_view content_encoding, content_type;
};
base::Result<Envelope, DecodeError> ParseEnvelope(std::string_view bytes);
// Appends magic and runtime.Unknown up to and including the length of raw; exactly
// `raw_size` bytes of message must follow, then EnvelopeTail().
void AppendEnvelopeHead(std::string_view api_version, std::string_view kind, size_t raw_size,
                        base::BufferBuilder& out);
std::string_view EnvelopeTail();  // empty contentEncoding and contentType, as upstream writes

// The message of `type` (no envelope). Unknown fields are dropped, as upstream drops them.
// Strings point into `bytes`, which must live as long as the arena. Values of the field `without`, wherever
// it occurs, are left out and cost nothing.
base::Result<StructNode*, DecodeError> Decode(std::string_view bytes, const TypeDesc& type, Arena& arena,
                                              const FieldDesc* without = nullptr);
// The same of what Encode wrote in this process: JSON in it is known to be JSON.
base::Result<StructNode*, DecodeError> DecodeOwn(std::string_view bytes, const TypeDesc& type, Arena& arena);
void Encode(const StructNode& node, base::BufferBuilder& out);

// Whole objects, envelope included. Of a document its own kind and apiVersion are written.
void EncodeObject(std::string_view api_version, std::string_view kind, const StructNode& root,
                  base::BufferBuilder& out);
void EncodeObject(const Doc& doc, base::BufferBuilder& out);
base::Result<Doc, DecodeError> DecodeObject(base::Slice bytes, const TypeDesc& type,
                                            const FieldDesc* without = nullptr);

// Finds one field without decoding: the bytes of the first occurrence of the path of field
// numbers, e.g. {1, 6} for metadata.resourceVersion. nullopt: absent. Views into `message`.
std::optional<std::string_view> FindBytes(std::string_view message, std::initializer_list<uint32_t> path);

// `message` (a root object: metadata is field 1) with metadata.resourceVersion (6) set.
// Appends the result to `out`; returns false when the message is malformed.
bool SpliceResourceVersion(std::string_view message, std::string_view resource_version,
                           base::BufferBuilder& out);

}  // namespace keelson::api::protobuf
