// Priority: a pod, and a pod group where that is on, gets the priority of its class, and only one class is
// the default.
#pragma once

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

class Priority final : public Plugin {
 public:
  // `objects` outlives the plugin.
  explicit Priority(const client::Client& objects, bool of_pod_groups = false)
      : objects_(objects), of_pod_groups_(of_pod_groups) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  base::Task<Verdict> MutateGroup(Attributes request) const;

  const client::Client& objects_;
  const bool of_pod_groups_;
};

}  // namespace keelson::admission
