#include "admission/policies/matching.h"

#include <algorithm>

#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"
#include "api/validation/label_selector_match.h"

namespace keelson::admission {
namespace {

using namespace api::admissionregistration_v1;

bool Has(api::ScalarList list, std::string_view wanted) {
  return std::ranges::any_of(list,
                             [&](const api::Value& v) { return v.string() == "*" || v.string() == wanted; });
}

bool ScopeMatches(RuleView rule, const MatchedRequest& request) {
  const std::string_view scope = rule.scope();
  const bool cluster = request.IsNamespace() || request.request().ns.empty();
  if (scope.empty() || scope == "*") return true;
  return scope == "Cluster" ? cluster : scope == "Namespaced" && !cluster;
}

bool ResourceMatches(RuleView rule, const Attributes& request, const api::ResourceDesc& as) {
  return std::ranges::any_of(rule.resources(), [&](const api::Value& v) {
    const std::string_view both = v.string();
    const size_t slash = both.find('/');
    const std::string_view resource = both.substr(0, slash);
    const std::string_view sub = slash == std::string_view::npos ? "" : both.substr(slash + 1);
    return (resource == "*" || resource == as.plural) && (sub == "*" || sub == request.subresource);
  });
}

// Whether a rule names the request's resource in a certain version.
bool VersionMatches(RuleView rule, const MatchedRequest& request, const api::ResourceDesc& as) {
  return Has(rule.api_groups(), as.group) && Has(rule.api_versions(), as.version) &&
         ResourceMatches(rule, request.request(), as);
}

// Whether a rule is for what the request does, whatever the resource.
bool ActionMatches(RuleWithOperationsView rule, const MatchedRequest& request) {
  return ScopeMatches(rule.rule(), request) && Has(rule.operations(), NameOf(request.request().operation));
}
bool ActionMatches(NamedRuleWithOperationsView rule, const MatchedRequest& request) {
  const auto names = rule.resource_names();
  return ActionMatches(rule.rule_with_operations(), request) &&
         (names.empty() || std::ranges::any_of(names, [&](const api::Value& named) {
            return named.string() == request.request().name;
          }));
}

RuleView RuleOf(RuleWithOperationsView rule) { return rule.rule(); }
RuleView RuleOf(NamedRuleWithOperationsView rule) { return rule.rule_with_operations().rule(); }

// The version that a rule is for: the one that the client speaks, else, unless the match is to be exact, the
// first of the others that a rule names. Null: no rule is for the request.
template <class Rule>
const api::ResourceDesc* VersionOfRules(api::ListView<Rule> rules, const MatchedRequest& request,
                                        bool exactly) {
  const api::ResourceDesc& requested = request.request().requested_resource();
  bool acted = false;  // a rule is for the action: the other versions are worth finding
  for (const Rule rule : rules) {
    if (!ActionMatches(rule, request)) continue;
    if (VersionMatches(RuleOf(rule), request, requested)) return &requested;
    acted = true;
  }
  if (exactly || !acted) return nullptr;
  for (const Rule rule : rules)
    for (const api::ResourceDesc* const other : request.equivalents())
      if (VersionMatches(RuleOf(rule), request, *other) && ActionMatches(rule, request)) return other;
  return nullptr;
}

bool IsEmpty(api::meta_v1::LabelSelectorView selector) {
  return selector.match_labels().empty() && selector.match_expressions().empty();
}

}  // namespace

bool MatchedRequest::IsNamespace() const {
  return request_.resource->group.empty() && request_.resource->plural == "namespaces";
}

ResourceKind KindOf(const api::ResourceDesc& resource, std::string_view subresource) {
  for (const api::SubresourceDesc& sub : resource.subresources)
    if (sub.name == subresource && !sub.kind.empty() && sub.kind != resource.kind)
      return {sub.group, sub.version, sub.kind};
  return {resource.group, resource.version, resource.kind};
}

const std::vector<const api::ResourceDesc*>& MatchedRequest::equivalents() const {
  if (!equivalents_) {
    const api::ResourceDesc& requested = request_.requested_resource();
    equivalents_ = api::EquivalentResources(requested);
    std::erase_if(*equivalents_, [&](const api::ResourceDesc* other) {
      return other == &requested || !objects_.Serves(*other);
    });
  }
  return *equivalents_;
}

bool MatchedRequest::HasSchema() const {
  const Kind of = kind();
  return request_.operation != Operation::kConnect && of.group == request_.resource->group &&
         of.version == request_.resource->version;
}

base::Task<base::Result<const api::Doc*, api::Status>> MatchedRequest::Namespace() {
  if (request_.ns.empty() || IsNamespace()) co_return nullptr;
  if (!asked_) {
    auto found = CO_TRY(co_await objects_.Get({"", "namespaces"}, "", std::string(request_.ns),
                                              client::Fresh::kAbsenceIsSure));
    if (!found) co_return base::Err(api::NotFound({"", "namespaces"}, request_.ns));
    namespace_ = std::move(*found);
    asked_ = true;
  }
  co_return &namespace_;
}

const api::ResourceDesc* MatchedVersion(api::ListView<RuleWithOperationsView> rules,
                                        const MatchedRequest& request, bool exactly) {
  return VersionOfRules(rules, request, exactly);
}

bool ObjectMatches(api::meta_v1::LabelSelectorView selector, const Attributes& request) {
  if (IsEmpty(selector)) return true;
  for (const api::Doc* object : std::initializer_list<const api::Doc*>{request.object, request.old_object})
    if (object && api::MetadataOf(*object) &&
        api::SelectorMatches(selector, api::MetadataOf(*object).labels()))
      return true;
  return false;
}

base::Task<base::Result<bool, api::Status>> NamespaceMatches(api::meta_v1::LabelSelectorView selector,
                                                             MatchedRequest& matched) {
  const Attributes& request = matched.request();
  if (IsEmpty(selector) || (request.ns.empty() && !matched.IsNamespace())) co_return true;
  // A namespace is judged by the labels it is about to have.
  if (matched.IsNamespace() && request.object && request.subresource.empty())
    co_return api::SelectorMatches(selector, api::MetadataOf(*request.object).labels());
  if (matched.IsNamespace())
    co_return (request.old_object &&
               api::SelectorMatches(selector, api::MetadataOf(*request.old_object).labels()));
  const api::Doc* const found = CO_TRY(co_await matched.Namespace());
  co_return api::SelectorMatches(selector, api::MetadataOf(*found).labels());
}

base::Task<MatchResult> Matches(MatchResourcesView match, MatchedRequest& request) {
  const api::ResourceDesc* version = &request.request().requested_resource();
  if (!match) co_return version;
  const auto in_namespace = co_await NamespaceMatches(match.namespace_selector(), request);
  if (in_namespace && !*in_namespace) co_return nullptr;
  if (!ObjectMatches(match.object_selector(), request.request())) co_return nullptr;
  const bool exactly = match.match_policy() == "Exact";
  if (VersionOfRules(match.exclude_resource_rules(), request, exactly)) co_return nullptr;
  if (!match.resource_rules().empty()) version = VersionOfRules(match.resource_rules(), request, exactly);
  if (version && !in_namespace) co_return base::Err(in_namespace.error().message);
  co_return version;
}

}  // namespace keelson::admission
