// NamespaceLifecycle: nothing is put into a namespace that is not there or on its way out,
// and the namespaces the cluster itself lives in stay.
#pragma once

#include <cstdint>
#include <string_view>

#include "admission/plugin.h"

namespace keelson::admission {

enum class NamespaceState : uint8_t { kAbsent, kActive, kTerminating };

// Threads: any loop; resumes where it was awaited.
class NamespaceStates {
 public:
  virtual ~NamespaceStates() = default;
  virtual base::Task<base::Result<NamespaceState, api::Status>> Find(std::string_view ns) const = 0;
};

class NamespaceLifecycle final : public Plugin {
 public:
  // `namespaces` outlives the plugin.
  explicit NamespaceLifecycle(const NamespaceStates& namespaces) : namespaces_(namespaces) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;

 private:
  const NamespaceStates& namespaces_;
};

}  // namespace keelson::admission
