// How a subcommand ends that could not do what it should: it says why on stderr. Each gives the exit code.
#pragma once

#include <iostream>
#include <string>
#include <string_view>

#include "storage/errors.h"

namespace keelson::cmd {

inline int Fail(std::string_view why) {
  std::cerr << "error: " << why << '\n';
  return 1;
}
inline int Fail(const storage::Error& error) {
  return Fail(error.key.empty() ? error.detail : error.detail + ": " + error.key);
}

}  // namespace keelson::cmd
