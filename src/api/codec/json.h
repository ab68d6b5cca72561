// JSON in and out, by type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"
#include "base/result.h"
#include "base/slice.h"

namespace keelson::api::json {

// A document that is no valid object of the type: 400. The text is upstream's where a
// client is likely to see it.
struct DecodeError {
  std::string message;
  bool syntax = false;  // the text is not JSON at all; else a value has the wrong type
};

// What strict decoding found, e.g. `unknown field "spec.foo"`, `duplicate field "data"`.
using StrictErrors = std::vector<std::string>;

// Upstream's limit for nesting is 10,000. What is stored may have come to it, with some
// levels more for its managed fields and the list it is shown in.
constexpr int kMaxDepth = 10'064;

// Decodes `text` into `arena`. Fields the type does not know are dropped and, when
// `strict` is given, reported there, as are duplicates. Names match exactly first, then
// are unknown (upstream is case-sensitive). Bad UTF-8 is an error.
// Strings may point into `text`, which must live as long as the arena.
base::Result<StructNode*, DecodeError> Decode(std::string_view text, const TypeDesc& type, Arena& arena,
                                              StrictErrors* strict);
// Any JSON value as a kAny tree, for merge patches and other schema-less input. Duplicate
// keys are reported in `strict`, when it is given; the last value wins.
base::Result<Value, DecodeError> DecodeAny(std::string_view text, Arena& arena,
                                           StrictErrors* strict = nullptr);

// Whether `text` is one well-formed JSON value in good UTF-8.
bool IsValid(std::string_view text);

// kind and apiVersion of a document without decoding the rest: what follows both in the
// text is not looked at.
struct TypeMeta {
  std::string api_version, kind;
};
base::Result<TypeMeta, DecodeError> PeekTypeMeta(std::string_view text);

// Appends the JSON of `v` (compact, no newline).
void Encode(const Value& v, const TypeDesc& type, base::BufferBuilder& out);
void Encode(const StructNode& node, base::BufferBuilder& out);
void EncodeAny(const Value& v, base::BufferBuilder& out);
// The same as Encode with the members of every struct in order of name, as Go writes what it holds in maps.
// Requires: none of the types inlines another.
void EncodeByName(const StructNode& node, base::BufferBuilder& out);
// Appends `s` quoted and escaped as Go's encoder does (HTML characters escaped too).
void EncodeString(std::string_view s, base::BufferBuilder& out);

// The document reindented by two spaces (?pretty=true).
std::string Indent(std::string_view compact);

}  // namespace keelson::api::json
