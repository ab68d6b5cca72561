#include "admission/kind_mapping.h"

#include <optional>
#include <utility>

#include "api/generated/apiextensions_v1.h"
#include "api/types/resource_desc.h"
#include "api/validation/quote.h"
#include "client/definitions.h"

namespace keelson::admission {
namespace {

using Mappings = base::Result<std::vector<KindResource>, std::string>;

// nullopt: the resource is gone, or does not serve that version.
base::Task<base::Result<std::optional<KindResource>, std::string>> MapCustom(const api::ResourceDesc& desc,
                                                                             std::string version,
                                                                             const client::Client& objects) {
  const std::string name = std::string(desc.plural) + "." + std::string(desc.group);
  const auto found = co_await objects.GetObject(client::kDefinitions, "", name, client::Fresh::kCached);
  if (!found) co_return base::Err(found.error().message);
  std::optional<KindResource> mapped;
  if (!*found) co_return mapped;
  const auto outline = client::DecodeOutline(**found);
  if (!outline) co_return base::Err(outline.error().message);
  for (const auto served : api::apiextensions_v1::CustomResourceDefinitionView(*outline).spec().versions())
    if (served.name() == version && served.served())
      mapped = {std::string(desc.group), version, std::string(desc.plural), desc.namespaced};
  co_return mapped;
}

}  // namespace

base::Task<Mappings> ResourcesOfKind(std::string api_version, std::string kind,
                                     const client::Client& objects) {
  const size_t slash = api_version.find('/');
  if (slash != std::string::npos && api_version.find('/', slash + 1) != std::string::npos)
    co_return base::Err("unexpected GroupVersion string: " + api_version);
  const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
  const std::string version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);

  std::vector<KindResource> mapped;
  for (const api::ResourceDesc& desc : api::BuiltinResources())
    if (desc.group == group && desc.version == version && desc.kind == kind && objects.Serves(desc))
      mapped.push_back({group, version, std::string(desc.plural), desc.namespaced});
  if (mapped.empty()) {
    for (const client::SourcePtr& source : objects.Sources()) {
      if (source->desc->group != group || source->desc->kind != kind) continue;
      if (auto custom = CO_TRY(co_await MapCustom(*source->desc, version, objects)))
        mapped.push_back(*std::move(custom));
    }
  }
  if (mapped.empty())
    co_return base::Err("no matches for kind " + api::Quoted(kind) + " in version " +
                        api::Quoted(api_version));
  co_return mapped;
}

}  // namespace keelson::admission
