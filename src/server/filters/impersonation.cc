#include "server/filters/impersonation.h"

#include <vector>

#include "api/validation/quote.h"
#include "auth/authn/authenticators.h"
#include "endpoints/respond.h"
#include "net/http/url.h"
#include "server/filters/authorization.h"

namespace keelson::server {
namespace {

constexpr std::string_view kUser = "impersonate-user", kGroup = "impersonate-group", kUid = "impersonate-uid";
constexpr std::string_view kExtraPrefix = "impersonate-extra-";
constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";
constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";

bool IsImpersonation(std::string_view header) {
  return header == kUser || header == kGroup || header == kUid || header.starts_with(kExtraPrefix);
}

// One thing to become, as it is authorized.
struct Step {
  std::string_view group, resource;
  std::string subresource, ns, name;
};

struct Wanted {
  auth::User user;
  std::vector<Step> steps;
  bool names_user = false;
};

// "system:serviceaccount:ns:name" taken apart; false when it is not of that form.
bool SplitServiceAccount(std::string_view user, std::string& ns, std::string& name) {
  if (!user.starts_with(kServiceAccountPrefix)) return false;
  user.remove_prefix(kServiceAccountPrefix.size());
  const size_t colon = user.find(':');
  if (colon == std::string_view::npos || user.find(':', colon + 1) != std::string_view::npos) return false;
  ns = user.substr(0, colon);
  name = user.substr(colon + 1);
  return !ns.empty() && !name.empty();
}

void WantUser(std::string_view name, bool groups_given, Wanted& wanted) {
  wanted.names_user = true;
  wanted.user.name = name;
  Step step{.resource = "users", .name = std::string(name)};
  if (SplitServiceAccount(name, step.ns, step.name)) {
    step.resource = "serviceaccounts";
    if (!groups_given)
      wanted.user.groups = {"system:serviceaccounts", "system:serviceaccounts:" + step.ns,
                            std::string(auth::kAuthenticatedGroup)};
  }
  wanted.steps.push_back(std::move(step));
}

Wanted ReadHeaders(const net::http::Headers& headers) {
  Wanted wanted;
  const bool groups_given = headers.Get(kGroup).has_value();
  if (const auto user = headers.Get(kUser); user && !user->empty()) WantUser(*user, groups_given, wanted);
  for (const auto& field : headers) {
    if (field.name == kGroup) {
      wanted.user.groups.push_back(field.value);
      wanted.steps.push_back({.resource = "groups", .name = field.value});
    } else if (field.name.starts_with(kExtraPrefix)) {
      const std::string_view encoded = std::string_view(field.name).substr(kExtraPrefix.size());
      const std::string key = net::http::PathUnescape(encoded).value_or(std::string(encoded));
      wanted.user.extra[key].push_back(field.value);
      wanted.steps.push_back(
          {.group = kAuthenticationGroup, .resource = "userextras", .subresource = key, .name = field.value});
    }
  }
  if (const auto uid = headers.Get(kUid); uid && !uid->empty()) {
    wanted.user.uid = *uid;
    wanted.steps.push_back({.group = kAuthenticationGroup, .resource = "uids", .name = std::string(*uid)});
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

void AddImpliedGroup(auth::User& user) {
  if (user.name != auth::kAnonymousUser) return auth::AddAuthenticatedGroup(user);
  if (!user.InGroup(auth::kUnauthenticatedGroup)) user.groups.emplace_back(auth::kUnauthenticatedGroup);
}

}  // namespace

base::Task<std::optional<net::http::Response>> ImpersonationFilter::Apply(Exchange& exchange) const {
  net::http::Headers& headers = exchange.request.headers;
  bool any = false;
  for (const auto& field : headers) any = any || IsImpersonation(field.name);
  if (!any) co_return std::nullopt;

  Wanted wanted = ReadHeaders(headers);
  if (wanted.steps.empty()) co_return std::nullopt;
  if (!wanted.names_user) {
    const api::Status status = api::BadRequest("requested &user.DefaultInfo" + GoText(wanted.user) +
                                               " without impersonating a user name");
    co_return endpoints::StatusResponse(status, exchange.accept());
  }
  for (const Step& step : wanted.steps) {
    const auth::Attributes attributes{.user = exchange.user.get(),
                                      .verb = "impersonate",
                                      .resource_request = true,
                                      .group = step.group,
                                      .version = step.group.empty() ? "" : "v1",
                                      .resource = step.resource,
                                      .subresource = step.subresource,
                                      .ns = step.ns,
                                      .name = step.name};
    const auth::Verdict verdict = co_await authorizer_.Authorize(attributes);
    if (verdict.decision != auth::Decision::kAllow)
      co_return ForbiddenResponse(attributes, verdict.reason, exchange.accept());
  }
  AddImpliedGroup(wanted.user);
  exchange.user = std::make_shared<const auth::User>(std::move(wanted.user));
  headers.RemoveIf(IsImpersonation);
  co_return std::nullopt;
}

}  // namespace keelson::server
