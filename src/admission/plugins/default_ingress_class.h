// DefaultIngressClass: an ingress that names no class gets the default one.
#pragma once

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

class DefaultIngressClass final : public Plugin {
 public:
  // `objects` outlives the plugin.
  explicit DefaultIngressClass(const client::Client& objects) : objects_(objects) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;

 private:
  const client::Client& objects_;
};

}  // namespace keelson::admission
