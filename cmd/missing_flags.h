// The flags of kube-apiserver v1.36 that keelson does not implement, and those of earlier ones that old test
// frameworks still give. One that is set to what keelson does
// anyway is taken; any other is an error that says what to do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace keelson::cmd {

struct MissingFlag {
  enum class Kind { kBool, kDuration, kValue };
  std::string_view name;
  Kind kind;
  const char* as_is;  // the value that says what keelson does, "" for not set
};

// Sorted by name.
std::span<const MissingFlag> MissingFlags();
// Null: kube-apiserver has no such flag, or keelson has it too.
const MissingFlag* FindMissingFlag(std::string_view name);
// Why `value` is refused and what to do instead; nullopt: it says what keelson does.
std::optional<std::string> WhyRefused(const MissingFlag& flag, std::string_view value);

}  // namespace keelson::cmd
