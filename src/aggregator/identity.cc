#include "aggregator/identity.h"

#include <string>
#include <string_view>

namespace keelson::aggregator {
namespace {

constexpr std::string_view kName = "x-remote-user", kUid = "x-remote-uid", kGroup = "x-remote-group";
constexpr std::string_view kExtra = "x-remote-extra-";

// A key of the extra fields as the end of a field's name: what may not stand there is percent-encoded.
std::string FieldKey(std::string_view key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kPlain = "!#$&'*+-.^_`|~";
  std::string field;
  for (const char c : key) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (c >= 'A' && c <= 'Z') {
      field += static_cast<char>(c - 'A' + 'a');
    } else if (letter || kPlain.find(c) != kPlain.npos) {
      field += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      field.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return field;
}

}  // namespace

void SetIdentity(const auth::User& user, net::http::Headers& headers) {
  headers.RemoveIf([](std::string_view name) {
    return name == kName || name == kUid || name == kGroup || name.starts_with(kExtra);
  });
  headers.Add(kName, user.name);
  if (!user.uid.empty()) headers.Add(kUid, user.uid);
  for (const std::string& group : user.groups) headers.Add(kGroup, group);
  for (const auto& [key, values] : user.extra)
    for (const std::string& value : values) headers.Add(std::string(kExtra) + FieldKey(key), value);
}

const auth::User& AggregatorUser() {
  static const auth::User user{
      .name = "system:kube-aggregator", .uid = {}, .groups = {std::string(auth::kMastersGroup)}, .extra = {}};
  return user;
}

const auth::User& DescriptionReader() {
  static const auth::User user{.name = "system:aggregator", .uid = {}, .groups = {}, .extra = {}};
  return user;
}

}  // namespace keelson::aggregator
