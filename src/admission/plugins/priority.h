// Priority: a pod gets the priority of its class, and only one class is the default.
#pragma once

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

class Priority final : public Plugin {
 public:
  // `objects` outlives the plugin.
  explicit Priority(const client::Client& objects) : objects_(objects) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  const client::Client& objects_;
};

}  // namespace keelson::admission
