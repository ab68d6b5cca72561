// LimitedResources: what may be used only where a quota limits it, as the configuration of ResourceQuota
// says.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/generated/admission_config.h"
#include "api/meta/status.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "quota/evaluator.h"

namespace keelson::admission {

// Threads: any. Copies share the configuration.
class LimitedResources {
 public:
  LimitedResources() = default;  // nothing is limited
  // nullopt: there is no configuration. Errors are in upstream's words.
  static base::Result<LimitedResources, std::string> Parse(const std::optional<std::string>& text);

  bool empty() const { return list().empty(); }
  // The names under which quotas must limit what is used, in order; views into `usage`.
  std::vector<std::string_view> LimitedNames(api::GroupResource resource, const quota::Usage& usage) const;
  // The scopes that match an object and of which a quota must have one. As upstream, those that are meant for
  // other resources count as well.
  std::vector<quota::Scope> LimitedScopes(const quota::Evaluator& evaluator, const api::Doc& object) const;

 private:
  api::ListView<api::admission_config::LimitedResourceView> list() const {
    if (!doc_) return api::ListView<api::admission_config::LimitedResourceView>();
    return api::admission_config::ResourceQuotaConfigurationView(*doc_).limited_resources();
  }

  std::shared_ptr<const api::Doc> doc_;  // null: no configuration
};

// "{PriorityClass In [a b]}", as Go prints it.
std::string ScopeText(const quota::Scope& scope);

}  // namespace keelson::admission
