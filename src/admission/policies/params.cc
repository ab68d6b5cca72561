#include "admission/policies/params.h"

#include "api/conversion/conversion.h"
#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"
#include "api/types/resource_desc.h"
#include "api/validation/label_selector_match.h"

namespace keelson::admission {

using namespace api::admissionregistration_v1;

ParamResource ResourceOfParamKind(ParamKindView kind, const client::Client& objects) {
  const std::string_view api_version = kind.api_version();
  const size_t slash = api_version.find('/');
  const bool grouped = slash != std::string_view::npos;
  const std::string_view group = grouped ? api_version.substr(0, slash) : "";
  const std::string_view version = grouped ? api_version.substr(slash + 1) : api_version;
  const auto is_it = [&](const api::ResourceDesc& resource) {
    return resource.group == group && resource.version == version && resource.kind == kind.kind();
  };
  for (const api::ResourceDesc& resource : api::BuiltinResources())
    if (resource.storage_type && is_it(resource) && objects.Serves(resource)) return {&resource, nullptr};
  for (client::SourcePtr& source : objects.Sources()) {
    if (!api::IsCustom(*source->desc) || source->desc->group != group) continue;
    for (const api::ResourceDesc* const served : source->desc->served_versions)
      if (is_it(*served)) return {served, std::move(source)};
  }
  return {};
}

base::Task<Params> CollectParams(ParamKindView kind, ParamRefView ref, std::string ns,
                                 const client::Client& objects) {
  ParamList params;
  std::vector<api::Doc>& docs = params.docs;
  if (!kind || !ref) {
    docs.emplace_back();
    co_return params;
  }
  auto [resource, source] = ResourceOfParamKind(kind, objects);
  params.source = std::move(source);
  if (!resource)
    co_return base::Err("paramKind kind `&ParamKind{APIVersion:" + std::string(kind.api_version()) +
                        ",Kind:" + std::string(kind.kind()) + ",}` not known");
  if (resource->namespaced) {
    if (!ref.namespace_().empty()) ns = std::string(ref.namespace_());
    if (ns.empty())
      co_return base::Err(std::string(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"));
  } else {
    if (!ref.namespace_().empty())
      co_return base::Err(
          std::string("paramRef.namespace must not be provided for a cluster-scoped `paramKind`"));
    ns.clear();
  }
  const api::GroupResource where{resource->group, resource->plural};
  std::vector<api::Doc> stored;
  if (!ref.name().empty()) {
    auto found = co_await objects.Get(where, ns, std::string(ref.name()), client::Fresh::kAbsenceIsSure);
    if (!found) co_return base::Err(found.error().message);
    if (*found) stored.push_back(std::move(**found));
  } else if (ref.selector()) {
    auto list = co_await objects.List(where, ns);
    if (!list) co_return base::Err(list.error().message);
    for (const api::Doc& doc : **list)
      if (api::SelectorMatches(ref.selector(), api::MetadataOf(doc).labels())) stored.push_back(doc.Clone());
  }
  // The definition was replaced while its objects were read: they may be of the new one.
  if (params.source && objects.Find(where) != params.source)
    co_return base::Err("the definition of the paramKind " + std::string(kind.kind()) + " has changed");
  for (api::Doc& doc : stored) docs.push_back(api::ToServed(std::move(doc), *resource));
  if (docs.empty() && ref.parameter_not_found_action() == "Deny")
    co_return base::Err(
        std::string("no params found for policy binding with `Deny` parameterNotFoundAction"));
  co_return params;
}

}  // namespace keelson::admission
