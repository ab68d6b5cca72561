#include "endpoints/merge_patch.h"

namespace keelson::endpoints {

api::Value MergePatch(api::Value target, const api::Value& patch, api::Arena& arena) {
  const api::MapNode* changes = patch.map();
  if (!changes) return patch;
  api::MapNode* object = target.map();
  if (!object) object = api::MapNode::New(nullptr, arena);
  for (const api::MapNode::Entry& change : changes->entries()) {
    if (change.value.is(api::Value::Tag::kNull)) {
      object->Erase(change.key);
      continue;
    }
    const api::Value* member = object->Find(change.key);
    object->Set(change.key, MergePatch(member ? *member : api::Value(), change.value, arena), arena);
  }
  return api::Value::Of(object);
}

}  // namespace keelson::endpoints
