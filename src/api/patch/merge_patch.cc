#include "api/patch/merge_patch.h"

#include "api/patch/lazy_json.h"

namespace keelson::api {
namespace {

// Nulls of a patch remove something, so there is nothing to them where nothing was.
void PruneNulls(Value& v, LazyJson& json) {
  // Text without the word has no null in it and need not be opened.
  if (v.is(Value::Tag::kBytes) && v.string().find("null") == std::string_view::npos) return;
  if (!json.Open(v)) return;
  if (MapNode* map = v.map()) {
    uint32_t kept = 0;
    for (MapNode::Entry& e : map->entries()) {
      if (e.value.is(Value::Tag::kNull)) continue;
      PruneNulls(e.value, json);
      map->data[kept++] = e;
    }
    map->size = kept;
  } else {
    for (Value& item : v.list()->items()) PruneNulls(item, json);
  }
}

bool IsObject(Value& v, LazyJson& json) { return json.Open(v) && v.map(); }

Value Merge(Value target, Value patch, LazyJson& json) {
  if (!IsObject(target, json)) {
    PruneNulls(patch, json);
    return patch;
  }
  if (!IsObject(patch, json)) return patch;
  // Both are sorted: one pass over the two.
  const MapNode& was = *target.map();
  MapNode* merged = MapNode::New(nullptr, json.arena());
  merged->data = json.arena().NewArray<MapNode::Entry>(was.size + patch.map()->size);
  uint32_t i = 0, n = 0;
  for (const MapNode::Entry& change : patch.map()->entries()) {
    while (i < was.size && was.data[i].key < change.key) merged->data[n++] = was.data[i++];
    const bool present = i < was.size && was.data[i].key == change.key;
    const Value member = present ? was.data[i++].value : Value::Null();
    if (change.value.is(Value::Tag::kNull)) continue;
    merged->data[n++] = {change.key, Merge(member, change.value, json)};
  }
  while (i < was.size) merged->data[n++] = was.data[i++];
  merged->size = n;
  merged->capacity = was.size + patch.map()->size;
  return Value::Of(merged);
}

}  // namespace

Value MergePatch(Value target, Value patch, Arena& arena) {
  LazyJson json(arena);
  return Merge(target, patch, json);
}

}  // namespace keelson::api
