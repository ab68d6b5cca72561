// RuntimeConfig: which of the built-in APIs are served, as --runtime-config and --feature-gates say.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "app/feature_gates.h"
#include "base/result.h"

namespace keelson::app {

class RuntimeConfig {
 public:
  RuntimeConfig() = default;  // what is generally available

  // From pairs `group/version[/resource]=bool` and `api/{all,ga,beta,alpha}=bool`; the more specific wins,
  // and of the others the later in this order. Errors are upstream's, and one for a version or resource that
  // is asked for by its name and would serve nothing: it says what to use instead.
  static base::Result<RuntimeConfig, std::string> Parse(const std::vector<std::string>& pairs,
                                                        const FeatureGates& gates);

  bool Serves(const api::ResourceDesc& resource) const {
    return Serves(resource.group, resource.version, resource.plural);
  }
  bool Serves(std::string_view group, std::string_view version, std::string_view resource) const;
  // Whether the objects of `resource` are loaded. Those of a preview are if it is served in any version.
  bool Stores(const api::ResourceDesc& resource) const;

 private:
  bool ServesByName(std::string_view group, std::string_view version, std::string_view resource) const;

  bool ga_ = true, beta_ = false, alpha_ = false;
  std::map<std::string, bool, std::less<>> versions_;   // "group/version"
  std::map<std::string, bool, std::less<>> resources_;  // "group/version/resource"
  FeatureGates gates_;
};

}  // namespace keelson::app
