#include "server/routes/version.h"

#include <iostream>

#include "cmd/commands.h"

namespace keelson::cmd {

int Version(std::span<const std::string> args) {
  if (!args.empty() && args.front() == "--json") {
    std::cout << server::VersionJson() << '\n';
    return 0;
  }
  if (!args.empty()) {
    std::cerr << "keelson version: unexpected argument: " << args.front() << '\n';
    return 1;
  }
  std::cout << "keelson " << server::GitVersion() << '\n';
  return 0;
}

}  // namespace keelson::cmd
