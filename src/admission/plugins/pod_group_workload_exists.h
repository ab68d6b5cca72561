// PodGroupWorkloadExists: a pod group that names a template of a workload is made from one that there is.
#pragma once

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

class PodGroupWorkloadExists final : public Plugin {
 public:
  // `objects` outlives the plugin.
  explicit PodGroupWorkloadExists(const client::Client& objects) : objects_(objects) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  const client::Client& objects_;
};

}  // namespace keelson::admission
