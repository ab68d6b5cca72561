// The user as which the server itself writes.
#pragma once

#include "auth/user.h"

namespace keelson::registry {

const auth::User& ServerUser();

}  // namespace keelson::registry
