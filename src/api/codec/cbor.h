// CBOR in and out, by type, as upstream reads and writes it: strings are byte strings, maps
// are sorted and have a length, and a document begins with the tag that says it is CBOR.
#pragma once

#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "base/slice.h"

namespace keelson::api::cbor {

using json::DecodeError;
using json::StrictErrors;
using json::TypeMeta;

// The tag "self-described CBOR", which every document begins with and any may.
constexpr std::string_view kSelfDescribed = "\xd9\xd9\xf7";

// Decodes `bytes` into `arena`. Fields the type does not know are dropped, and the first is
// reported in `strict`, when that is given; a key that a map has twice is an error.
// Strings may point into `bytes`, which must live as long as the arena.
base::Result<StructNode*, DecodeError> Decode(std::string_view bytes, const TypeDesc& type, Arena& arena,
                                              StrictErrors* strict);
// Any CBOR that JSON could say as a kAny tree. Byte strings are text, in the encoding that
// their tag asks for; times are text, too.
base::Result<Value, DecodeError> DecodeAny(std::string_view bytes, Arena& arena);

// kind and apiVersion of a document. Errors are those of the whole document's form.
base::Result<TypeMeta, DecodeError> PeekTypeMeta(std::string_view bytes);

// Appends `node` without the leading tag. `kind` and `api_version` stand for those that the
// node lacks. Requires: its type lives as long as the process.
void Encode(const StructNode& node, std::string_view kind, std::string_view api_version,
            base::BufferBuilder& out);
void EncodeAny(const Value& v, base::BufferBuilder& out);
// Appends what a JSON text says. Requires: it is valid JSON.
void EncodeJson(std::string_view json, base::BufferBuilder& out);

// Appends the `type` message in `bytes`, as Encode does. False, with `out` as it was, when
// the message is malformed.
bool ProtobufToCbor(std::string_view bytes, const TypeDesc& type, std::string_view kind,
                    std::string_view api_version, base::BufferBuilder& out);

// The pieces of a document that is written by hand. Keys of a map must come by their length,
// then by their bytes.
void AppendMapHead(size_t members, base::BufferBuilder& out);
void AppendArrayHead(size_t elements, base::BufferBuilder& out);
void AppendString(std::string_view s, base::BufferBuilder& out);

}  // namespace keelson::api::cbor
