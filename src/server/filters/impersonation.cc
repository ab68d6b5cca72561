#include "server/filters/impersonation.h"

#include <chrono>

#include "api/validation/quote.h"
#include "endpoints/respond.h"
#include "net/http/url.h"

namespace keelson::server {
namespace {

constexpr std::string_view kUser = "impersonate-user", kGroup = "impersonate-group", kUid = "impersonate-uid";
constexpr std::string_view kExtraPrefix = "impersonate-extra-";

bool IsImpersonation(std::string_view header) {
  return header == kUser || header == kGroup || header == kUid || header.starts_with(kExtraPrefix);
}

// What the headers say, and nothing else.
auth::User ReadHeaders(const net::http::Headers& headers) {
  auth::User wanted;
  wanted.name = headers.Get(kUser).value_or("");
  wanted.uid = headers.Get(kUid).value_or("");
  for (const auto& field : headers) {
    if (field.name == kGroup) {
      wanted.groups.push_back(field.value);
    } else if (field.name.starts_with(kExtraPrefix)) {
      const std::string_view encoded = std::string_view(field.name).substr(kExtraPrefix.size());
      wanted.extra[net::http::PathUnescape(encoded).value_or(std::string(encoded))].push_back(field.value);
    }
  }
  return wanted;
}

// As Go prints a slice of strings.
std::string GoText(const std::vector<std::string>& strings) {
  if (strings.empty()) return "[]string(nil)";
  std::string text = "[]string{";
  for (size_t i = 0; i < strings.size(); ++i) text.append(i ? ", " : "").append(api::Quoted(strings[i]));
  return text + "}";
}

// As Go prints the struct, which upstream shows to the client.
std::string GoText(const auth::User& user) {
  std::string extra;
  for (const auto& [key, values] : user.extra)
    extra += (extra.empty() ? "" : ", ") + api::Quoted(key) + ":" + GoText(values);
  return "{Name:" + api::Quoted(user.name) + ", UID:" + api::Quoted(user.uid) +
         ", Groups:" + GoText(user.groups) + ", Extra:map[string][]string" +
         (user.extra.empty() ? "(nil)" : "{" + extra + "}") + "}";
}

// All modes, `first` first.
std::vector<ImpersonationMode> ModesFrom(std::optional<ImpersonationMode> first) {
  std::vector<ImpersonationMode> modes;
  if (first) modes.push_back(*first);
  for (size_t i = 0; i < kImpersonationModes; ++i)
    if (const auto mode = static_cast<ImpersonationMode>(i); mode != first) modes.push_back(mode);
  return modes;
}

}  // namespace

base::Task<std::optional<net::http::Response>> ImpersonationFilter::Apply(IncomingRequest& incoming) {
  net::http::Headers& headers = incoming.request.headers;
  bool any = false;
  for (const auto& field : headers) any = any || IsImpersonation(field.name);
  if (!any) co_return std::nullopt;

  const auth::User wanted = ReadHeaders(headers);
  if (wanted.name.empty()) {
    if (wanted.uid.empty() && wanted.groups.empty() && wanted.extra.empty()) co_return std::nullopt;
    const api::Status status = api::BadRequest("requested &user.DefaultInfo" + GoText(wanted) +
                                               " without impersonating a user name");
    co_return endpoints::StatusResponse(status, incoming.accept());
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string requester = incoming.user->name;
  std::optional<net::http::Response> refused;
  for (const ImpersonationMode mode : ModesFrom(last_modes_.Get(requester))) {
    ImpersonationOutcome outcome = co_await TryImpersonation(authorizer_, incoming, wanted, mode);
    if (outcome.user) {
      last_modes_.Set(requester, mode);
      incoming.user = std::make_shared<const auth::User>(*std::move(outcome.user));
      if (incoming.audit) {
        incoming.audit->impersonated = incoming.user;
        incoming.audit->impersonation_constraint = ConstraintOf(mode);
        incoming.audit->latencies.impersonation = std::chrono::steady_clock::now() - start;
      }
      headers.RemoveIf(IsImpersonation);
      co_return std::nullopt;
    }
    if (!refused) refused = std::move(outcome.refused);
  }
  co_return refused;
}

}  // namespace keelson::server
