#include "auth/service_account_user.h"

#include <string>

#include "api/validation/names.h"
#include "auth/subject.h"

namespace keelson::auth {

std::optional<ServiceAccountName> ServiceAccountOf(std::string_view user) {
  if (!user.starts_with(kServiceAccountUserPrefix)) return std::nullopt;
  user.remove_prefix(kServiceAccountUserPrefix.size());
  const size_t colon = user.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const ServiceAccountName account{user.substr(0, colon), user.substr(colon + 1)};
  if (!api::NameIsDnsLabel(account.ns, false).empty() ||
      !api::NameIsDnsSubdomain(account.name, false).empty())
    return std::nullopt;
  return account;
}

bool RunsOnNode(const User& user, std::string_view node) {
  static const std::string kNodeName = "authentication.kubernetes.io/node-name";
  if (!ServiceAccountOf(user.name)) return false;
  const auto names = user.extra.find(kNodeName);
  return names != user.extra.end() && names->second.size() == 1 && names->second.front() == node &&
         api::NameIsDnsSubdomain(node, false).empty();
}

}  // namespace keelson::auth
