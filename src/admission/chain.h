// The plugins of a server, in upstream's order, and how a write passes them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/plugin.h"
#include "admission/plugins/namespace_lifecycle.h"
#include "auth/authorizer.h"
#include "base/result.h"
#include "client/client.h"

namespace keelson::admission {

// What the plugins work with; borrowed pointers outlive the chain.
struct Environment {
  const client::Client* objects = nullptr;  // writes as the server itself
  const NamespaceStates* namespaces = nullptr;
  auth::Authorizer* authorizer = nullptr;  // null: whoever must ask it may do nothing
  int64_t not_ready_toleration_seconds = 300;
  int64_t unreachable_toleration_seconds = 300;
};

// The names in the flags, as upstream has them.
struct Selection {
  std::vector<std::string> enabled;   // besides those that are on by default
  std::vector<std::string> disabled;  // of those that are on by default
};
// What is wrong with it; an error is fit for the command line.
base::Result<void, std::string> CheckSelection(const Selection& selection);

class Chain {
 public:
  // Requires: CheckSelection(selection).
  Chain(const Selection& selection, const Environment& environment);

  // The plugins that change or check writes of a resource; borrowed.
  using Plugins = std::vector<const Plugin*>;
  Plugins Mutating(const api::ResourceDesc& resource, std::string_view subresource) const;
  Plugins Validating(const api::ResourceDesc& resource, std::string_view subresource) const;

 private:
  std::vector<std::unique_ptr<const Plugin>> plugins_;
};

// One after the other; the first that refuses ends it. `plugins` outlive the task.
base::Task<Verdict> Mutate(const Chain::Plugins& plugins, Attributes request);
base::Task<Verdict> Validate(const Chain::Plugins& plugins, Attributes request);

}  // namespace keelson::admission
