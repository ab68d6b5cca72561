// PodTolerationRestriction: pods get the default tolerations of their namespace, and no other than it allows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admission/plugin.h"
#include "api/generated/core_v1.h"
#include "base/result.h"
#include "client/client.h"

namespace keelson::admission {

// PodTolerationRestrictionConfiguration: what holds for namespaces without annotations. Null: nothing.
using TolerationRestrictions = std::shared_ptr<const api::Doc>;
// nullopt: there is no configuration. Errors are in upstream's words.
base::Result<TolerationRestrictions, std::string> ParseTolerationRestrictions(
    const std::optional<std::string>& text);

class PodTolerationRestriction final : public Plugin {
 public:
  PodTolerationRestriction(const client::Client& objects, TolerationRestrictions restrictions)
      : objects_(objects), restrictions_(std::move(restrictions)) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  const client::Client& objects_;
  const TolerationRestrictions restrictions_;
};

}  // namespace keelson::admission
