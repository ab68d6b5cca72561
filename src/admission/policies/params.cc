#include "admission/policies/params.h"

#include "api/meta/object_meta.h"
#include "api/types/resource_desc.h"
#include "api/validation/label_selector_match.h"

namespace keelson::admission {

using namespace api::admissionregistration_v1;

const api::ResourceDesc* ResourceOfParamKind(ParamKindView kind) {
  const std::string_view api_version = kind.api_version();
  const size_t slash = api_version.find('/');
  const bool grouped = slash != std::string_view::npos;
  const std::string_view group = grouped ? api_version.substr(0, slash) : "";
  const std::string_view version = grouped ? api_version.substr(slash + 1) : api_version;
  for (const api::ResourceDesc& resource : api::BuiltinResources())
    if (resource.group == group && resource.version == version && resource.kind == kind.kind() &&
        resource.storage_type)
      return &resource;
  return nullptr;
}

base::Task<Params> CollectParams(ParamKindView kind, ParamRefView ref, std::string ns,
                                 const client::Client& objects) {
  std::vector<api::Doc> docs;
  if (!kind || !ref) {
    docs.emplace_back();
    co_return docs;
  }
  const api::ResourceDesc* const resource = ResourceOfParamKind(kind);
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
  if (!ref.name().empty()) {
    auto found = co_await objects.Get(where, ns, std::string(ref.name()), client::Fresh::kAbsenceIsSure);
    if (!found) co_return base::Err(found.error().message);
    if (*found) docs.push_back(std::move(**found));
  } else if (ref.selector()) {
    auto list = co_await objects.List(where, ns);
    if (!list) co_return base::Err(list.error().message);
    for (const api::Doc& doc : **list)
      if (api::SelectorMatches(ref.selector(), api::MetadataOf(doc).labels())) docs.push_back(doc.Clone());
  }
  if (docs.empty() && ref.parameter_not_found_action() == "Deny")
    co_return base::Err(
        std::string("no params found for policy binding with `Deny` parameterNotFoundAction"));
  co_return docs;
}

}  // namespace keelson::admission
