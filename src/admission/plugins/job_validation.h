// JobValidation: a job whose pods are scheduled as one gang keeps its parallelism.
#pragma once

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

class JobValidation final : public Plugin {
 public:
  // `objects` outlives the plugin.
  explicit JobValidation(const client::Client& objects) : objects_(objects) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  const client::Client& objects_;
};

}  // namespace keelson::admission
