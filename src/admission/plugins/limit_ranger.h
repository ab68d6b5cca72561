// LimitRanger: containers get the amounts a namespace gives by default, and pods and claims
// stay within its bounds.
#pragma once

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

class LimitRanger final : public Plugin {
 public:
  explicit LimitRanger(const client::Client& objects) : objects_(objects) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  const client::Client& objects_;
};

}  // namespace keelson::admission
