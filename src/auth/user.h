// User: who a request is from, as authentication found out.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace keelson::auth {

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool InGroup(std::string_view group) const {
    for (const auto& g : groups)
      if (g == group) return true;
    return false;
  }
};

inline constexpr std::string_view kAnonymousUser = "system:anonymous";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kMastersGroup = "system:masters";

}  // namespace keelson::auth
