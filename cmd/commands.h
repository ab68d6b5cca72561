// The subcommands of keelson, one file each. `args` without the program's and the command's name.
#pragma once

#include <span>
#include <string>

namespace keelson::cmd {

// Exit codes.
int Backup(std::span<const std::string> args);
int Check(std::span<const std::string> args);
int Envtest(std::span<const std::string> args);
int Kubeconfig(std::span<const std::string> args);
int Migrate(std::span<const std::string> args);
int Restore(std::span<const std::string> args);
int Serve(std::span<const std::string> args);
int ServeAsEtcd(std::span<const std::string> args);
int ServeAsKubeApiserver(std::span<const std::string> args);
int Token(std::span<const std::string> args);
int Version(std::span<const std::string> args);

}  // namespace keelson::cmd
