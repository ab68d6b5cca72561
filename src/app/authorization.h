// Who decides what a request may do, as --authorization-config or the --authorization-* flags say.
#pragma once

#include <memory>

#include "app/config.h"
#include "app/config_reloader.h"
#include "auth/authn/remote.h"
#include "auth/authorizer.h"
#include "auth/authz/node/node_authorizer.h"
#include "auth/authz/rbac/rbac_authorizer.h"
#include "base/metrics.h"
#include "base/result.h"

namespace keelson::app {

struct Authorization {
  std::unique_ptr<auth::Authorizer> authorizer;
  // Parts of `authorizer`; null: that mode is not asked.
  auth::rbac::RbacAuthorizer* rbac = nullptr;
  auth::node::NodeAuthorizer* node = nullptr;
  std::unique_ptr<ConfigReloader> reloader;  // borrows from `authorizer`; null: nothing to do
};

// `metrics` must outlive the result.
base::Result<Authorization, std::string> MakeAuthorization(const Config& config,
                                                           auth::MakeRemoteClient make_client,
                                                           base::Metrics& metrics);

}  // namespace keelson::app
