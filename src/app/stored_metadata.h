// What the controllers read of a stored object without decoding it.
#pragma once

#include "api/meta/ownership.h"
#include "registry/rest/types.h"

namespace keelson::app {

// The views point into `object`. False: its metadata cannot be read, which is logged.
bool ReadStoredOwnership(const registry::rest::Object& object, api::Ownership& ownership);

}  // namespace keelson::app
