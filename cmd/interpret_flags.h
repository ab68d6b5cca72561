// InterpretFlags: checks the values of the flags of serve and makes the configuration of a server from them.
#pragma once

#include <string>

#include "app/config.h"
#include "base/result.h"
#include "cmd/raw_flags.h"

namespace keelson::cmd {

// The error names everything that is wrong, one a line.
base::Result<app::Config, std::string> InterpretFlags(RawFlags raw);

}  // namespace keelson::cmd
