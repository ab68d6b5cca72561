// The authorizers, one file each beside this one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/authorizer.h"

namespace keelson::auth {

// The rules of one who may do everything.
Rules EverythingAllowed();

std::unique_ptr<Authorizer> AlwaysAllow();
std::unique_ptr<Authorizer> AlwaysDeny();

// system:masters may do everything, whatever `next` would say; others are left to `next`.
std::unique_ptr<Authorizer> MastersFirst(std::unique_ptr<Authorizer> next);

// system:masters may do everything. Others may read what upstream's default roles open to
// everybody: health and version without credentials, discovery and questions about oneself
// with them, and the details of health and the metrics in system:monitoring.
std::unique_ptr<Authorizer> MastersOnly();

// What upstream tells a client that may not do this, after the "... is forbidden: " part.
std::string ForbiddenMessage(const Attributes& attributes, std::string_view reason);

}  // namespace keelson::auth
