#include "registry/core/kept_fields.h"

namespace keelson::registry::core {

void KeepFieldOf(api::StructNode* now, const api::StructNode* was, std::string_view name, api::Arena& arena) {
  const size_t ordinal = now->type->FindMember(name).field->ordinal;
  now->slot(ordinal) = was ? api::DeepCopy(was->slot(ordinal), arena) : api::Value();
}

void KeepAnnotation(api::meta_v1::ObjectMetaEditor now, api::meta_v1::ObjectMetaView was,
                    std::string_view key) {
  if (const api::Value* before = was.annotations().Find(key)) {
    now.put_annotations(key, before->string());
  } else if (now.annotations().Find(key)) {
    now.mutable_annotations().Erase(key);
  }
}

}  // namespace keelson::registry::core
