// Subject: whom a role binding is for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "auth/user.h"

namespace keelson::auth {

inline constexpr std::string_view kServiceAccountUserPrefix = "system:serviceaccount:";

struct Subject {
  enum class Kind : uint8_t { kUser, kGroup, kServiceAccount, kOther };
  Kind kind = Kind::kOther;
  std::string name;
  std::string ns;  // of a service account; empty: it is nobody

  // A service account without a namespace is in that of its binding, which is empty in the cluster.
  static Subject Of(std::string_view kind, std::string_view ns, std::string_view name,
                    std::string_view binding_ns) {
    Subject subject{.name = std::string(name)};
    if (kind == "User") subject.kind = Kind::kUser;
    if (kind == "Group") subject.kind = Kind::kGroup;
    if (kind == "ServiceAccount") {
      subject.kind = Kind::kServiceAccount;
      subject.ns = ns.empty() ? binding_ns : ns;
    }
    return subject;
  }

  bool AppliesTo(const User& user) const {
    switch (kind) {
      case Kind::kUser: return user.name == name;
      case Kind::kGroup: return user.InGroup(name);
      case Kind::kServiceAccount: return !ns.empty() && IsAccount(user.name);
      case Kind::kOther: return false;
    }
    return false;
  }

 private:
  bool IsAccount(std::string_view user) const {
    if (!user.starts_with(kServiceAccountUserPrefix)) return false;
    user.remove_prefix(kServiceAccountUserPrefix.size());
    return user.size() == ns.size() + 1 + name.size() && user.starts_with(ns) && user[ns.size()] == ':' &&
           user.ends_with(name);
  }
};

}  // namespace keelson::auth
