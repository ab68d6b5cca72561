// OidcProvider: an OpenID provider: where its keys are, and the keys themselves.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "auth/authn/jwt.h"
#include "auth/authn/one_flight.h"
#include "auth/authn/remote.h"
#include "base/clock.h"

namespace keelson::auth {

// Threads: any event loop. Everything is asked for when it is needed: the provider may run on this very
// cluster and start after it.
class OidcProvider {
 public:
  using Done = base::Result<void, std::string>;

  // Borrows `client` and `clock`. `discovery_url`: where the provider's configuration is; empty: at the usual
  // place below `issuer`.
  OidcProvider(std::string issuer, const std::string& discovery_url, net::http::Client& client,
               const base::Clock& clock);

  // Reads the provider's configuration unless that is done. After a failure nobody is asked for a while, and
  // the error stays.
  base::Task<Done> Ready();

  // An error unless one of the provider's keys signed the token. When none that is known did, they may have
  // changed, and are read again, but not every time: whoever sends bad tokens must not make us ask all the
  // time. Requires: Ready() was good. `token` outlives the task.
  base::Task<Done> Verify(const Jwt& token);

 private:
  using Keys = std::shared_ptr<const std::vector<WebKey>>;

  base::Task<Done> Discover();
  base::Task<base::Result<Keys, std::string>> FetchKeys();
  base::Task<base::Result<std::string, std::string>> Get(std::string url);

  const std::string issuer_, discovery_url_;
  net::http::Client& client_;
  const base::Clock& clock_;
  OneFlight<Done> discovery_;
  OneFlight<base::Result<Keys, std::string>> fetching_;
  base::Mutex mu_;
  std::string keys_url_ GUARDED_BY(mu_);  // empty: not discovered yet
  std::string failure_ GUARDED_BY(mu_);   // of the last discovery
  Keys keys_ GUARDED_BY(mu_);
  base::Clock::SteadyTime discover_again_ GUARDED_BY(mu_){}, fetch_again_ GUARDED_BY(mu_){};
};

}  // namespace keelson::auth
