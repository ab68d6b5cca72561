// PodSecurity: pods keep to the level that the labels of their namespace set, workloads are
// warned when their pods would not, and the labels themselves make sense.
#pragma once

#include <utility>

#include "admission/plugin.h"
#include "admission/plugins/pod_security_config.h"
#include "client/client.h"

namespace keelson::admission {

class PodSecurity final : public Plugin {
 public:
  explicit PodSecurity(const client::Client& objects, PodSecurityConfig config = {})
      : objects_(objects), config_(std::move(config)) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  base::Task<Verdict> ValidateNamespace(Attributes request) const;
  base::Task<Verdict> ValidatePods(Attributes request) const;

  const client::Client& objects_;
  const PodSecurityConfig config_;
};

}  // namespace keelson::admission
