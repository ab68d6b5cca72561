// Regex: patterns in RE2's syntax, which is Go's; matching takes time linear in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::base {

// Threads: const calls from any.
class Regex {
 public:
  // The error is what Go says of the pattern.
  static Result<Regex, std::string> Compile(std::string_view pattern);

  // Whether it matches anywhere in the text.
  bool Matches(std::string_view text) const;
  // Whether it matches the text from its beginning to its end.
  bool MatchesWhole(std::string_view text) const;
  // The leftmost match; empty where there is none.
  std::string_view Find(std::string_view text) const;
  // At most `limit` matches that do not overlap; all where it is negative.
  std::vector<std::string_view> FindAll(std::string_view text, int64_t limit) const;

 private:
  struct Compiled;
  explicit Regex(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace keelson::base
