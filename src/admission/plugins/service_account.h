// ServiceAccount: every pod runs as an account of its namespace and is given a token of it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

class ServiceAccount final : public Plugin {
 public:
  // Waits for as long as it is told.
  using Pause = std::function<base::Task<void>(std::chrono::milliseconds)>;

  explicit ServiceAccount(const client::Client& objects, Pause pause = PauseOnLoop)
      : objects_(objects), pause_(std::move(pause)) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  // On the loop this runs on.
  static base::Task<void> PauseOnLoop(std::chrono::milliseconds pause);

  // The account `name` of the request's namespace, or why the pod cannot run as it. The
  // default one is waited for: it is made soon after its namespace.
  base::Task<base::Result<api::Doc, api::Status>> Find(const Attributes& request, std::string name) const;

  const client::Client& objects_;
  const Pause pause_;
};

}  // namespace keelson::admission
