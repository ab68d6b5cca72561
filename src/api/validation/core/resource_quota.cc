#include "api/validation/core/resource_quota.h"

#include <algorithm>
#include <array>
#include <set>

#include "api/codec/json_writer.h"
#include "api/validation/core/resource_names.h"
#include "api/validation/names.h"
#include "api/validation/render.h"

namespace keelson::api::core {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using Scope = core_v1::ResourceQuotaScope;
using Scopes = std::set<std::string_view>;

bool IsStandardScope(std::string_view scope) {
  constexpr std::array kScopes = {Scope::kTerminating,
                                  Scope::kNotTerminating,
                                  Scope::kBestEffort,
                                  Scope::kNotBestEffort,
                                  Scope::kPriorityClass,
                                  Scope::kVolumeAttributesClass,
                                  Scope::kCrossNamespacePodAffinity};
  return std::ranges::find(kScopes, scope) != kScopes.end();
}

// Whether objects in `scope` can use `resource` at all.
bool ScopeCovers(std::string_view scope, std::string_view resource) {
  constexpr std::array<std::string_view, 6> kCompute = {"cpu",           "memory",       "limits.cpu",
                                                        "limits.memory", "requests.cpu", "requests.memory"};
  const bool pods = resource == "pods";
  if (scope == Scope::kBestEffort) return pods;
  if (scope == Scope::kVolumeAttributesClass) {
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  }
  if (!IsStandardScope(scope)) return true;
  return pods || std::ranges::find(kCompute, resource) != kCompute.end();
}

bool ScopesConflict(const Scopes& scopes) {
  return (scopes.contains(Scope::kBestEffort) && scopes.contains(Scope::kNotBestEffort)) ||
         (scopes.contains(Scope::kTerminating) && scopes.contains(Scope::kNotTerminating));
}

size_t CountUncovered(std::string_view scope, MapView hard) {
  return std::ranges::count_if(hard, [&](const MapNode::Entry& entry) {
    return IsStandardQuotaResourceName(entry.key) && !ScopeCovers(scope, entry.key);
  });
}

ErrorList ValidateResources(MapView list, const Path& path) {
  ErrorList errors;
  for (const auto& [resource, quantity] : list) {
    const Path at = path.Key(resource);
    errors.Append(ValidateQuotaResourceName(resource, at));
    errors.Append(ValidateResourceQuantity(resource, quantity.string(), at));
  }
  return errors;
}

ErrorList ValidateScopes(core_v1::ResourceQuotaSpecView spec, const Path& path) {
  ErrorList errors;
  Scopes seen;
  const auto refuse = [&](std::string_view why) {
    errors.Add(field::Invalid(path, field::RenderField(spec.node(), "scopes"), why));
  };
  for (const Value& scope : spec.scopes()) {
    if (!IsStandardScope(scope.string())) refuse("unsupported scope");
    for (size_t n = CountUncovered(scope.string(), spec.hard()); n > 0; --n) {
      refuse("unsupported scope applied to resource");
    }
    seen.insert(scope.string());
  }
  if (ScopesConflict(seen)) refuse("conflicting scopes");
  return errors;
}

// The selector as upstream's messages show it: by the names of its internal type.
std::string RenderSelector(core_v1::ScopeSelectorView selector) {
  base::BufferBuilder bytes;
  json::JsonWriter out(bytes);
  out.BeginObject().Key("MatchExpressions").BeginArray();
  for (const auto requirement : selector.match_expressions()) {
    out.BeginObject()
        .Member("ScopeName", requirement.scope_name())
        .Member("Operator", requirement.operator_());
    out.Key("Values");
    if (requirement.values().empty()) {
      out.Raw("null");
    } else {
      out.BeginArray();
      for (const Value& value : requirement.values()) out.String(value.string());
      out.EndArray();
    }
    out.EndObject();
  }
  out.EndArray().EndObject();
  return std::string(bytes.view());
}

void ValidateOperator(core_v1::ScopedResourceSelectorRequirementView requirement, const Path& path,
                      ErrorList& errors) {
  const std::string_view scope = requirement.scope_name(), op = requirement.operator_();
  const bool takes_values = scope == Scope::kPriorityClass || scope == Scope::kVolumeAttributesClass;
  if (IsStandardScope(scope) && !takes_values && op != "Exists") {
    errors.Add(field::Invalid(path.Child("operator"), RenderValue(op),
                              "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                              "ResourceQuotaScopeNotTerminating, "
                              "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
                              "ResourceQuotaScopeCrossNamespacePodAffinity"));
  }
  if (op == "In" || op == "NotIn") {
    if (requirement.values().empty()) {
      errors.Add(field::Required(
          path.Child("values"),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values().empty()) {
      errors.Add(
          field::Invalid(path.Child("values"), field::RenderField(requirement.node(), "values"),
                         "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"));
    }
  } else {
    errors.Add(field::Invalid(path.Child("operator"), RenderValue(op), "not a valid selector operator"));
  }
}

ErrorList ValidateScopeSelector(core_v1::ResourceQuotaSpecView spec, const Path& path) {
  ErrorList errors;
  const Path expressions = path.Child("matchExpressions");
  Scopes seen;
  for (const auto requirement : spec.scope_selector().match_expressions()) {
    const std::string_view scope = requirement.scope_name();
    if (!IsStandardScope(scope)) {
      errors.Add(field::Invalid(expressions.Child("scopeName"), RenderValue(scope), "unsupported scope"));
    }
    for (size_t n = CountUncovered(scope, spec.hard()); n > 0; --n) {
      errors.Add(field::Invalid(expressions, RenderSelector(spec.scope_selector()),
                                "unsupported scope applied to resource"));
    }
    ValidateOperator(requirement, expressions, errors);
    seen.insert(scope);
  }
  if (ScopesConflict(seen)) {
    errors.Add(field::Invalid(expressions, field::RenderField(spec.node(), "scopes"), "conflicting scopes"));
  }
  return errors;
}

ErrorList ValidateSpec(core_v1::ResourceQuotaSpecView spec) {
  const Path path("spec");
  ErrorList errors = ValidateResources(spec.hard(), path.Child("hard"));
  errors.Append(ValidateScopes(spec, path.Child("scopes")));
  errors.Append(ValidateScopeSelector(spec, path.Child("scopeSelector")));
  return errors;
}

Scopes ScopesOf(core_v1::ResourceQuotaSpecView spec) {
  Scopes out;
  for (const Value& scope : spec.scopes()) out.insert(scope.string());
  return out;
}

}  // namespace

ErrorList ValidateResourceQuota(core_v1::ResourceQuotaView quota) {
  ErrorList errors = ValidateSpec(quota.spec());
  errors.Append(ValidateResourceQuotaStatus(quota.status(), Path("status")));
  return errors;
}

ErrorList ValidateResourceQuotaUpdate(core_v1::ResourceQuotaView now, core_v1::ResourceQuotaView was) {
  ErrorList errors = ValidateSpec(now.spec());
  if (ScopesOf(now.spec()) != ScopesOf(was.spec())) {
    const Path spec("spec");
    errors.Add(field::Invalid(spec.Child("scopes"), field::RenderField(now.spec().node(), "scopes"),
                              kFieldImmutable));
  }
  return errors;
}

ErrorList ValidateResourceQuotaStatus(core_v1::ResourceQuotaStatusView status, const Path& path) {
  ErrorList errors = ValidateResources(status.hard(), path.Child("hard"));
  errors.Append(ValidateResources(status.used(), path.Child("used")));
  return errors;
}

}  // namespace keelson::api::core
