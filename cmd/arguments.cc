#include "cmd/arguments.h"

#include <algorithm>
#include <iostream>
#include <vector>

#include "base/go_duration.h"
#include "cmd/fail.h"
#include "cmd/flags.h"

namespace keelson::cmd {

std::optional<int> ReadArguments(CLI::App& cli, std::string_view usage, std::span<const std::string> args) {
  cli.set_help_flag("-h,--help", "");
  for (const std::string& arg : args)
    // CLI11 would take the next argument for the value.
    if (arg.starts_with("--") && arg.find('=') == arg.size() - 1)
      return Fail(arg.substr(0, arg.size() - 1) + ": a value is expected");
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    cli.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    std::cout << usage;
    return 0;
  } catch (const CLI::ParseError& error) {
    return Fail(error.what());
  }
  return std::nullopt;
}

base::Result<std::filesystem::path, std::string> DataDirOf(const std::string& given) {
  std::vector<std::string> flags;
  if (!given.empty()) flags = {"--data-dir", given};
  return TRY(ParseServeFlags(flags)).config.data_dir;
}

base::Result<std::chrono::seconds, std::string> PositiveDuration(std::string_view flag,
                                                                 const std::string& text) {
  const auto duration = base::ParseGoDuration(text);
  if (!duration) return base::Err(std::string(flag) + ": " + duration.error() + " (720h, 90m, ...)");
  if (*duration < std::chrono::seconds(1)) return base::Err(std::string(flag) + ": at least 1s, not " + text);
  return std::chrono::floor<std::chrono::seconds>(*duration);
}

}  // namespace keelson::cmd
