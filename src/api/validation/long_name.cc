#include "api/validation/long_name.h"

namespace keelson::api {

Messages NameIsLongName(std::string_view name, bool prefix) {
  if (prefix) return {};
  Messages out = IsDns1123Subdomain(name);
  if (name.size() > kDns1123SubdomainMaxLength)
    out.front() = "must be no more than " + std::to_string(kDns1123SubdomainMaxLength) + " bytes";
  return out;
}

}  // namespace keelson::api
