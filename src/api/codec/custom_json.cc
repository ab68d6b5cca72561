#include "api/codec/custom_json.h"

#include "api/codec/json.h"
#include "api/codec/passes.h"
#include "api/codec/protobuf.h"
#include "api/generated/meta_v1.h"
#include "api/types/custom_type.h"

namespace keelson::api::json {
namespace {

// Writes an object whose members come in order of name, putting apiVersion, kind and metadata in between.
class CustomWriter {
 public:
  CustomWriter(const StructNode* metadata, std::string_view kind, std::string_view api_version,
               base::BufferBuilder& out)
      : metadata_(metadata), kind_(kind), api_version_(api_version), out_(out) {}

  // Begins the member `name`, which is none of the three. The names come in order.
  void Begin(std::string_view name) {
    WriteOwn(name);
    Key(name);
  }
  void End() {
    WriteOwn({});
    out_.Append('}');
  }

 private:
  // Those of the three that come before `name`; without a name all that are left.
  void WriteOwn(std::string_view name) {
    const auto due = [&](int place, std::string_view own) {
      if (next_ != place || (name.data() && name < own)) return false;
      ++next_;
      return true;
    };
    if (due(0, kApiVersion)) Text(kApiVersion, api_version_);
    if (due(1, kKind)) Text(kKind, kind_);
    if (due(2, kMetadata) && metadata_) {
      Key(kMetadata);
      EncodeByName(*metadata_, out_);
    }
  }
  void Text(std::string_view name, std::string_view text) {
    Key(name);
    EncodeString(text, out_);
  }
  void Key(std::string_view name) {
    out_.Append(first_ ? '{' : ',');
    first_ = false;
    EncodeString(name, out_);
    out_.Append(':');
  }

  static constexpr std::string_view kApiVersion = "apiVersion", kKind = "kind", kMetadata = "metadata";

  const StructNode* const metadata_;
  const std::string_view kind_, api_version_;
  base::BufferBuilder& out_;
  int next_ = 0;  // of the three, the next to be written
  bool first_ = true;
};

// The end of the JSON value that begins at `at`. Requires: `json` is well-formed and compact.
size_t EndOfValue(std::string_view json, size_t at) {
  int depth = 0;
  for (; at < json.size(); ++at) {
    switch (json[at]) {
      case '"':
        for (++at; at < json.size() && json[at] != '"'; ++at)
          if (json[at] == '\\') ++at;
        break;
      case '{':
      case '[': ++depth; break;
      case '}':
      case ']':
        if (depth == 0) return at;
        --depth;
        break;
      case ',':
        if (depth == 0) return at;
        break;
      default: break;
    }
  }
  return json.size();
}

// Calls `take(name, value)` for each member of an object, both as they are written, the name in its quotes.
// Requires: as EndOfValue. False: a name has an escape, and might be in another place than it seems.
template <class Take>
bool ForEachMember(std::string_view object, Take&& take) {
  size_t at = 1;
  while (at < object.size() && object[at] == '"') {
    const size_t quote = object.find('"', at + 1);
    if (quote == object.npos) return false;
    const std::string_view name = object.substr(at + 1, quote - at - 1);
    if (name.find('\\') != name.npos) return false;
    const size_t value = quote + 2;
    const size_t end = EndOfValue(object, value);
    take(name, object.substr(value, end - value));
    at = end + 1;
  }
  return true;
}

}  // namespace

void EncodeCustom(const StructNode& root, std::string_view kind, std::string_view api_version,
                  base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  constexpr size_t kMetadata = 2;  // ordinal
  CustomWriter writer(root.slot(kMetadata).node(), kind, api_version, out);
  if (const MapNode* content = ContentOf(root)) {
    for (const auto& entry : content->entries()) {
      writer.Begin(entry.key);
      EncodeAny(entry.value, out);
    }
  }
  writer.End();
}

bool RewriteCustom(std::string_view message, std::string_view kind, std::string_view api_version,
                   base::BufferBuilder& out) {
  const auto pass = codec::Pass::Transcode();
  const size_t before = out.size();
  Arena arena;
  const StructNode* metadata = nullptr;
  if (const auto bytes = protobuf::FindBytes(message, {1})) {
    const auto decoded = protobuf::DecodeOwn(*bytes, meta_v1::kObjectMetaType, arena);
    if (!decoded) return false;
    metadata = *decoded;
  }
  CustomWriter writer(metadata, kind, api_version, out);
  const std::string_view content = protobuf::FindBytes(message, {2}).value_or("{}");
  const bool whole = ForEachMember(content, [&](std::string_view name, std::string_view value) {
    writer.Begin(name);
    out.Append(value);
  });
  writer.End();
  if (!whole) out.Truncate(before);
  return whole;
}

}  // namespace keelson::api::json
