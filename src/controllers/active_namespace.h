// Whether a namespace takes new objects.
#pragma once

#include <string>

#include "client/client.h"

namespace keelson::controllers {

// False: it is not there, or is to go.
base::Task<client::Result<bool>> IsActive(const client::Client& client, std::string name);

// A namespace began to go, or another made the object first: nothing is left to do.
bool IsBenign(const api::Status& status);

}  // namespace keelson::controllers
