#include "admission/plugins/limited_resources.h"

#include <algorithm>
#include <set>

#include "admission/configuration.h"
#include "api/validation/field.h"

namespace keelson::admission {
namespace {

using api::admission_config::ResourceQuotaConfigurationView;

constexpr ConfigurationKind kResourceQuotaKinds[] = {
    {"apiserver.config.k8s.io/v1", "ResourceQuotaConfiguration"},
    {"resourcequota.admission.k8s.io/v1beta1", "Configuration"},
    {"resourcequota.admission.k8s.io/v1alpha1", "Configuration"},
};

}  // namespace

base::Result<LimitedResources, std::string> LimitedResources::Parse(const std::optional<std::string>& text) {
  LimitedResources limited;
  if (!text) return limited;
  auto decoded = DecodeConfiguration(
      *text, {.type = ResourceQuotaConfigurationView::Type(), .kinds = kResourceQuotaKinds, .strict = true});
  const std::string failed = "couldn't init admission plugin \"ResourceQuota\": ";
  if (!decoded) return base::Err(failed + decoded.error().message);
  limited.doc_ = std::make_shared<const api::Doc>(*std::move(decoded));
  const api::field::Path path("limitedResources");
  api::field::ErrorList errors;
  for (size_t i = 0; i < limited.list().size(); ++i)
    if (limited.list()[i].resource().empty())
      errors.Add(api::field::Required(path.Index(i).Child("resource"), ""));
  if (!errors.empty()) return base::Err(failed + errors.Aggregate());
  return limited;
}

std::vector<std::string_view> LimitedResources::LimitedNames(api::GroupResource resource,
                                                             const quota::Usage& usage) const {
  std::set<std::string_view> names;
  for (const auto limited : list()) {
    if (limited.resource() != resource.resource || limited.api_group() != resource.group) continue;
    for (const auto& [name, amount] : usage) {
      const auto contained = [&](const api::Value& part) { return name.contains(part.string()); };
      if (amount.Sign() > 0 && std::ranges::any_of(limited.match_contains(), contained)) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

std::vector<quota::Scope> LimitedResources::LimitedScopes(const quota::Evaluator& evaluator,
                                                          const api::Doc& object) const {
  std::vector<quota::Scope> scopes;
  for (const auto limited : list())
    for (const auto match : limited.match_scopes()) {
      const quota::Scope scope{match.scope_name(), match.operator_(), match.values()};
      if (evaluator.Matches(scope, object)) scopes.push_back(scope);
    }
  return scopes;
}

std::string ScopeText(const quota::Scope& scope) {
  std::string text = "{" + std::string(scope.name) + " " + std::string(scope.op) + " [";
  for (size_t i = 0; i < scope.values.size(); ++i)
    text.append(i > 0 ? " " : "").append(scope.values[i].string());
  return text + "]}";
}

}  // namespace keelson::admission
