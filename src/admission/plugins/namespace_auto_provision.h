// NamespaceAutoProvision: a namespace is created with the first object in it.
#pragma once

#include "admission/plugin.h"
#include "admission/plugins/namespace_lifecycle.h"
#include "client/client.h"

namespace keelson::admission {

class NamespaceAutoProvision final : public Plugin {
 public:
  // Both outlive the plugin. `objects` writes as the server itself.
  NamespaceAutoProvision(const NamespaceStates& namespaces, const client::Client& objects)
      : namespaces_(namespaces), objects_(objects) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;

 private:
  const NamespaceStates& namespaces_;
  const client::Client& objects_;
};

}  // namespace keelson::admission
