// NodeDeclaredFeatureValidator: what an update of a running pod needs of its node, the node must
// have declared.
#pragma once

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

class NodeDeclaredFeatures final : public Plugin {
 public:
  // `objects` outlives the plugin.
  explicit NodeDeclaredFeatures(const client::Client& objects) : objects_(objects) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  const client::Client& objects_;
};

}  // namespace keelson::admission
