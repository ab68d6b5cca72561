// A schema and an object in one input, divided by the first newline: never a crash, an object that was pruned
// and defaulted is pruned and defaulted again to the same, and its rules come to an end.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/codec/json.h"
#include "extensions/rules/rule_tree.h"
#include "extensions/schema/defaults.h"
#include "extensions/schema/list_types.h"
#include "extensions/schema/prune.h"
#include "extensions/schema/render.h"
#include "extensions/schema/schema.h"
#include "extensions/schema/validate.h"

using namespace keelson;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t divide = text.find('\n');
  if (divide == text.npos) return 0;
  api::Arena arena;
  auto schema =
      api::json::Decode(text.substr(0, divide), api::apiextensions_v1::kJSONSchemaPropsType, arena, nullptr);
  auto object = api::json::DecodeAny(text.substr(divide + 1), arena);
  if (!schema || !object || !object->map()) return 0;
  const extensions::SchemaTree tree(api::apiextensions_v1::JSONSchemaPropsView(*schema), false);
  const extensions::Schema& root = tree.root();
  std::vector<std::string> unknown;
  const auto settle = [&] {
    api::MapNode& content = *object->map();
    extensions::PruneContent(content, root, &unknown);
    extensions::PruneNulls(content, root);
    if (!extensions::CoerceEmbedded(content, root, arena, &unknown)) return false;
    extensions::FillDefaults(content, root, arena);
    return true;
  };
  if (!settle()) return 0;
  (void)extensions::ValidateValue(*object, root, "", nullptr);
  (void)extensions::ValidateListTypes(*object->map(), root);
  (void)extensions::ValidateEmbedded(*object->map(), root);
  extensions::Declarations declarations;
  if (const auto rules = extensions::RuleTree::Compile(root, true, declarations)) {
    (void)rules->Check({.now = &*object});
    (void)rules->Check({.now = &*object, .was = &*object, .ratchets = true});
  }
  // Defaults may bring in what is pruned; after that nothing changes any more.
  if (!settle()) return 0;
  const std::string once = extensions::TreeJson(*object);
  if (settle() && extensions::TreeJson(*object) != once) std::abort();
  return 0;
}
