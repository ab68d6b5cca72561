// NamespaceExists: nothing is written or deleted in a namespace that is not there.
#pragma once

#include "admission/plugin.h"
#include "admission/plugins/namespace_lifecycle.h"

namespace keelson::admission {

class NamespaceExists final : public Plugin {
 public:
  // `namespaces` outlives the plugin.
  explicit NamespaceExists(const NamespaceStates& namespaces) : namespaces_(namespaces) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  const NamespaceStates& namespaces_;
};

}  // namespace keelson::admission
