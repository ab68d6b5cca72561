// PodNodeSelector: pods get the node selector of their namespace, and no other than it allows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "admission/plugin.h"
#include "base/result.h"
#include "client/client.h"

namespace keelson::admission {

// The selector that namespaces have by default under "clusterDefaultNodeSelector", and the labels that pods
// of a namespace may select under its name.
using NodeSelectors = std::map<std::string, std::string, std::less<>>;
// nullopt: there is no configuration.
base::Result<NodeSelectors, std::string> ParseNodeSelectors(const std::optional<std::string>& text);

class PodNodeSelector final : public Plugin {
 public:
  PodNodeSelector(const client::Client& objects, NodeSelectors selectors)
      : objects_(objects), selectors_(std::move(selectors)) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  using Labels = std::map<std::string, std::string, std::less<>>;
  // The selector of a namespace; an error if the pod's own contradicts it.
  base::Task<base::Result<Labels, api::Status>> SelectorFor(Attributes request) const;
  // Refuses a pod that selects labels its namespace may not.
  Verdict CheckAllowed(const Attributes& request) const;
  std::string_view Configured(std::string_view name) const;

  const client::Client& objects_;
  const NodeSelectors selectors_;
};

}  // namespace keelson::admission
