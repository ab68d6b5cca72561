// PodTopologyLabels: a pod that is assigned to a node carries the labels for its zone and region.
#pragma once

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

class PodTopologyLabels final : public Plugin {
 public:
  // `objects` outlives the plugin.
  explicit PodTopologyLabels(const client::Client& objects) : objects_(objects) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;

 private:
  const client::Client& objects_;
};

}  // namespace keelson::admission
