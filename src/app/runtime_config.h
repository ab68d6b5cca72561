// RuntimeConfig: which of the built-in APIs are served, as --runtime-config says.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/result.h"

namespace keelson::app {

class RuntimeConfig {
 public:
  RuntimeConfig() = default;  // everything there is

  // From pairs `group/version[/resource]=bool` and `api/{all,ga,beta,alpha}=bool`; the more
  // specific wins. Errors are upstream's, and one for versions that only upstream has.
  static base::Result<RuntimeConfig, std::string> Parse(const std::vector<std::string>& pairs);

  bool Serves(const api::ResourceDesc& resource) const {
    return Serves(resource.group, resource.version, resource.plural);
  }
  bool Serves(std::string_view group, std::string_view version, std::string_view resource) const;

 private:
  bool ga_ = true;                                      // all that Keelson has is generally available
  std::map<std::string, bool, std::less<>> versions_;   // "group/version"
  std::map<std::string, bool, std::less<>> resources_;  // "group/version/resource"
};

}  // namespace keelson::app
