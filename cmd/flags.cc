#include "cmd/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "cmd/command_line.h"
#include "cmd/interpret_flags.h"
#include "cmd/missing_flags.h"
#include "cmd/raw_flags.h"
#include "server/routes/version.h"

namespace keelson::cmd {
namespace {

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

// The value of every flag, of kube-apiserver's and of Keelson's own, by its name without dashes, for /flagz.
// Lists are in brackets, as pflag shows them.
std::map<std::string, std::string> FlagValues(CLI::App& cli) {
  std::map<std::string, std::string> values;
  for (const MissingFlag& flag : MissingFlags()) values.emplace(flag.name, flag.as_is);
  for (CLI::Option* const option : cli.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string& last = option->get_lnames().back();
    if (last == "help") continue;
    if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll) {
      std::string joined;
      for (const std::string& item : option->results()) joined += (joined.empty() ? "" : ",") + item;
      values[last] = "[" + (joined == kEmptyValue ? std::string() : joined) + "]";
    } else {
      values[last] = option->capture_default_str()->get_default_str();
    }
  }
  return values;
}

}  // namespace

base::Result<Parsed, std::string> ParseServeFlags(std::span<const std::string> args, CalledAs called) {
  const bool bare = called == CalledAs::kKubeApiserver;
  CLI::App cli("Serves the Kubernetes API.", bare ? "kube-apiserver" : "keelson serve");
  RawFlags raw;
  if (bare) raw.config.controllers.clear();
  if (bare) raw.logging_format = "text";
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
  raw.config.flags = FlagValues(cli);
  auto config = InterpretFlags(std::move(raw));
  if (!config) arguments.errors.push_back(std::move(config.error()));
  if (!arguments.errors.empty()) return base::Err(Joined(arguments.errors));
  return Parsed{.config = std::move(*config)};
}

}  // namespace keelson::cmd
