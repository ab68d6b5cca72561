// The authorizers of an AuthorizationConfiguration, joined; and their replacement when the file changes.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "auth/authn/remote.h"
#include "auth/authorizer.h"
#include "auth/authz/authorization_config.h"
#include "base/metrics.h"
#include "base/published.h"

namespace keelson::auth {

struct ChainDependencies {
  // By type: those that are made once, whatever the files say later. Webhooks are not among them.
  std::map<std::string, std::shared_ptr<Authorizer>, std::less<>> made_once;
  MakeRemoteClient make_client;
  base::Metrics& metrics;
};

// Requires: `config` is valid. The error says which authorizer cannot be made, and why.
base::Result<std::unique_ptr<Authorizer>, std::string> MakeAuthorizerChain(
    const AuthorizationConfig& config, const ChainDependencies& dependencies);

// An authorizer that another one can take the place of.
//
// Threads: any; one at a time replaces. Requests that are being decided keep the authorizer they began with.
class ReplaceableAuthorizer final : public Authorizer {
 public:
  explicit ReplaceableAuthorizer(std::unique_ptr<Authorizer> first) : current_(new Held(std::move(first))) {}

  void Replace(std::unique_ptr<Authorizer> next) { current_.Replace(new Held(std::move(next))); }

  base::Task<Verdict> Authorize(const Attributes& attributes) override;
  std::optional<Verdict> AuthorizeNow(const Attributes& attributes) override;
  base::Task<Rules> RulesFor(const User& user, std::string_view ns) override;

 private:
  struct Held : base::Publishable<Held> {
    explicit Held(std::unique_ptr<Authorizer> a) : authorizer(std::move(a)) {}
    const std::unique_ptr<Authorizer> authorizer;
  };

  base::Published<Held> current_;
};

}  // namespace keelson::auth
