// CommandLine: the arguments of serve before CLI11 sees them: flags that keelson has in the form that CLI11
// reads, and everything that is wrong with the others.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::cmd {

class CommandLine {
 public:
  // Requires: `cli` knows its flags, and lives as long.
  explicit CommandLine(const CLI::App& cli) : cli_(cli) {}

  void Read(std::span<const std::string> args);

  std::vector<std::string> known, errors;

 private:
  bool ReadOther(const std::string& arg, const std::string* next);
  std::string Advice(std::string_view name) const;

  const CLI::App& cli_;
};

}  // namespace keelson::cmd
