#include "api/validation/long_name.h"

namespace keelson::api {
namespace {

// The first message is of the length, if that is wrong.
Messages InBytes(Messages messages, std::string_view name, size_t max) {
  if (name.size() > max) messages.front() = "must be no more than " + std::to_string(max) + " bytes";
  return messages;
}

}  // namespace

Messages NameIsLongName(std::string_view name, bool prefix) { return prefix ? Messages() : IsLongName(name); }

Messages IsLongName(std::string_view name) {
  return InBytes(IsDns1123Subdomain(name), name, kDns1123SubdomainMaxLength);
}

Messages IsLongNameCaseless(std::string_view name) {
  return InBytes(IsDns1123SubdomainCaseless(name), name, kDns1123SubdomainMaxLength);
}

Messages IsShortName(std::string_view name) {
  return InBytes(IsDns1123Label(name), name, kDns1123LabelMaxLength);
}

}  // namespace keelson::api
