#include "cmd/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "cmd/command_line.h"
#include "cmd/interpret_flags.h"
#include "cmd/raw_flags.h"
#include "server/routes/version.h"

namespace keelson::cmd {
namespace {

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace

base::Result<Parsed, std::string> ParseServeFlags(std::span<const std::string> args, CalledAs called) {
  const bool bare = called == CalledAs::kKubeApiserver;
  CLI::App cli("Serves the Kubernetes API.", bare ? "kube-apiserver" : "keelson serve");
  RawFlags raw;
  if (bare) raw.config.controllers.clear();
  AddServeFlags(cli, raw);
  CommandLine arguments(cli);
  arguments.Read(args);
  std::vector<std::string> reversed = std::move(arguments.known);
  std::reverse(reversed.begin(), reversed.end());
  try {
    cli.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return Parsed{.help = cli.help()};
  } catch (const CLI::ParseError& error) {
    arguments.errors.emplace_back(error.what());
    return base::Err(Joined(arguments.errors));
  }
  for (const CLI::Option* const option : cli.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_name();
    raw.oidc_given = raw.oidc_given || name.starts_with("--oidc-");
    raw.authorization_flags_given = raw.authorization_flags_given || name == "--authorization-mode" ||
                                    name.starts_with("--authorization-webhook-");
    raw.config.anonymous_auth_given = raw.config.anonymous_auth_given || name == "--anonymous-auth";
  }
  if (raw.version) return Parsed{.help = "Kubernetes " + std::string(server::GitVersion()) + "\n"};
  auto config = InterpretFlags(std::move(raw));
  if (!config) arguments.errors.push_back(std::move(config.error()));
  if (!arguments.errors.empty()) return base::Err(Joined(arguments.errors));
  return Parsed{.config = std::move(*config)};
}

}  // namespace keelson::cmd
