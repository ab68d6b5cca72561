#include "api/codec/custom_json.h"

#include "api/codec/json.h"
#include "api/codec/passes.h"
#include "api/types/custom_type.h"

namespace keelson::api::json {

void EncodeCustom(const StructNode& root, std::string_view kind, std::string_view api_version,
                  base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  constexpr size_t kMetadata = 2;  // ordinal
  Arena arena;
  MapNode& whole = *MapNode::New(nullptr, arena);
  whole.Set("apiVersion", Value::String(api_version), arena);
  whole.Set("kind", Value::String(kind), arena);
  base::BufferBuilder metadata;
  if (const StructNode* node = root.slot(kMetadata).node()) {
    Encode(*node, metadata);
    if (auto tree = DecodeAny(metadata.view(), arena)) whole.Set("metadata", *tree, arena);
  }
  if (const MapNode* content = ContentOf(root))
    for (const auto& entry : content->entries()) whole.Set(entry.key, entry.value, arena);
  EncodeAny(Value::Of(&whole), out);
}

}  // namespace keelson::api::json
