// User: who a request is from, as authentication found out.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
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

// Made once per credential and shared by all the requests that offer it.
using UserPtr = std::shared_ptr<const User>;

inline constexpr std::string_view kAnonymousUser = "system:anonymous";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kMastersGroup = "system:masters";
inline constexpr std::string_view kMonitoringGroup = "system:monitoring";
inline constexpr std::string_view kCredentialIdKey = "authentication.kubernetes.io/credential-id";

}  // namespace keelson::auth
