#include "admission/json_patching.h"

#include <utility>

#include "api/codec/json.h"
#include "api/defaulting/defaulting.h"
#include "api/patch/lazy_json.h"
#include "api/types/custom_type.h"

namespace keelson::admission {

base::Result<api::Doc, PatchError> ApplyJsonPatch(const api::JsonPatch& patch, std::string_view json,
                                                  const api::TypeDesc& type, api::Arena& arena) {
  const auto no_object = [](std::string why) { return base::Err(PatchError{true, std::move(why)}); };
  const auto patched = patch.Apply(api::LazyJson::FromText(json), arena);
  if (!patched) return base::Err(PatchError{false, patched.error().message});
  base::BufferBuilder text;
  api::LazyJson::Encode(*patched, text);

  api::Arena made;
  const std::string_view held = made.Hold(text.Take());
  const auto root = api::json::Decode(held, type, made, nullptr);
  if (!root) return no_object(root.error().message);
  if (const api::CustomType* const custom = api::CustomOf(type))
    if (auto coerced = custom->Coerce(**root, made, nullptr); !coerced) return no_object(coerced.error());
  api::Doc doc(std::move(made), *root);
  api::SetDefaults(doc);
  return doc;
}

}  // namespace keelson::admission
