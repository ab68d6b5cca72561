#include "registry/rest/apply.h"

#include "api/codec/json.h"

namespace keelson::registry::rest {

base::Result<ApplyConfiguration, std::string> ApplyConfiguration::FromJson(
    const api::ResourceDesc& body_desc, base::Slice json, std::vector<std::string>* duplicates) {
  auto arena = std::make_shared<api::Arena>();
  const auto tree = api::json::DecodeAny(arena->Hold(std::move(json)), *arena, duplicates);
  if (!tree) return base::Err(tree.error().message);
  ApplyConfiguration made;
  made.body_desc = &body_desc;
  made.config = *tree;
  made.keepalive = std::move(arena);
  return made;
}

}  // namespace keelson::registry::rest
