// What the messages of the checks are put together from.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admission/pod_security/checks.h"
#include "api/pods/pod_spec.h"

namespace keelson::admission::pod_security {

using Names = std::vector<std::string_view>;
using Values = std::set<std::string, std::less<>>;

using api::pods::EachContainer;

template <class Strings>
std::string Join(const Strings& parts, std::string_view separator) {
  std::string out;
  for (const char* next = ""; const auto& part : parts) {
    if (*next) out += separator;
    out += part;
    next = "x";
  }
  return out;
}

// "a", "b"
template <class Strings>
std::string Quoted(const Strings& parts) {
  return parts.empty() ? "" : "\"" + Join(parts, "\", \"") + "\"";
}

inline std::string_view Plural(std::string_view one, std::string_view many, size_t count) {
  return count == 1 ? one : many;
}

// containers "a", "b"
inline std::string Containers(const Names& names) {
  return std::string(Plural("container", "containers", names.size())) + " " + Quoted(names);
}

// pod and containers "a", "b"; empty when it is neither.
inline std::string Setters(bool pod, const Names& containers) {
  std::vector<std::string> setters;
  if (pod) setters.emplace_back("pod");
  if (!containers.empty()) setters.push_back(Containers(containers));
  return Join(setters, " and ");
}

inline bool IsWindows(const Subject& subject) { return subject.spec.os().name() == "windows"; }
inline bool HasOwnUsers(const Subject& subject) {
  return subject.spec.has_host_users() && !subject.spec.host_users();
}
inline bool IsConfined(std::string_view seccomp_type) {
  return seccomp_type == "Localhost" || seccomp_type == "RuntimeDefault";
}

}  // namespace keelson::admission::pod_security
