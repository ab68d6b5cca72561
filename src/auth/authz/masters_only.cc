#include <span>

#include "auth/authz/authorizers.h"

namespace keelson::auth {
namespace {

// A path, or with a final '*' every path that starts so; as in a role's nonResourceURLs.
bool PathMatches(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with('*')) return path == pattern;
  pattern.remove_suffix(1);
  return path.starts_with(pattern);
}

constexpr std::string_view kPublicInfo[] = {"/healthz", "/livez", "/readyz", "/version", "/version/"};
constexpr std::string_view kDiscovery[] = {"/api",     "/api/*",   "/apis",    "/apis/*",
                                           "/healthz", "/livez",   "/openapi", "/openapi/*",
                                           "/readyz",  "/version", "/version/"};
constexpr std::string_view kIssuerDiscovery[] = {"/.well-known/openid-configuration",
                                                 "/.well-known/openid-configuration/", "/openid/v1/jwks",
                                                 "/openid/v1/jwks/"};
constexpr std::string_view kMonitoring[] = {"/healthz/*", "/livez/*", "/readyz/*", "/metrics",
                                            "/metrics/slis"};

// What a role that every cluster has lets a group read; its binding has the role's name.
struct Rule {
  std::string_view role, group;
  std::span<const std::string_view> paths;
};
constexpr std::string_view kBasicUser = "system:basic-user";
constexpr Rule kRules[] = {
    {"system:public-info-viewer", kAuthenticatedGroup, kPublicInfo},
    {"system:public-info-viewer", kUnauthenticatedGroup, kPublicInfo},
    {"system:discovery", kAuthenticatedGroup, kDiscovery},
    {"system:service-account-issuer-discovery", "system:serviceaccounts", kIssuerDiscovery},
    {"system:monitoring", kMonitoringGroup, kMonitoring},
};

Verdict AllowedBy(std::string_view role, std::string_view group) {
  const std::string quoted = "\"" + std::string(role) + "\"";
  return {Decision::kAllow, "RBAC: allowed by ClusterRoleBinding " + quoted + " of ClusterRole " + quoted +
                                " to Group \"" + std::string(group) + "\""};
}

Verdict MayRead(const User& user, std::string_view path) {
  for (const Rule& rule : kRules) {
    if (!user.InGroup(rule.group)) continue;
    for (const std::string_view pattern : rule.paths)
      if (PathMatches(pattern, path)) return AllowedBy(rule.role, rule.group);
  }
  return {Decision::kNoOpinion, {}};
}

// Everybody with credentials may ask who they are and what they may do.
bool AsksAboutSelf(const Attributes& a) {
  if (!a.resource_request || a.verb != "create" || !a.user->InGroup(kAuthenticatedGroup)) return false;
  return (a.group == "authorization.k8s.io" &&
          (a.resource == "selfsubjectaccessreviews" || a.resource == "selfsubjectrulesreviews")) ||
         (a.group == "authentication.k8s.io" && a.resource == "selfsubjectreviews");
}

// The roles that every cluster binds to groups of everybody's.
class BootstrapRolesAuthorizer final : public Authorizer {
 public:
  base::Task<Verdict> Authorize(const Attributes& a) override {
    if (a.user && AsksAboutSelf(a)) co_return AllowedBy(kBasicUser, kAuthenticatedGroup);
    if (a.user && !a.resource_request && a.verb == "get") co_return MayRead(*a.user, a.path);
    co_return Verdict{Decision::kNoOpinion, {}};
  }
  base::Task<Rules> RulesFor(const User& user, std::string_view) override {
    Rules rules;
    if (user.InGroup(kMastersGroup)) rules = EverythingAllowed();
    if (user.InGroup(kAuthenticatedGroup)) {
      rules.resources.push_back({.verbs = {"create"},
                                 .groups = {"authorization.k8s.io"},
                                 .resources = {"selfsubjectaccessreviews", "selfsubjectrulesreviews"}});
      rules.resources.push_back(
          {.verbs = {"create"}, .groups = {"authentication.k8s.io"}, .resources = {"selfsubjectreviews"}});
    }
    for (const Rule& rule : kRules)
      if (user.InGroup(rule.group))
        rules.non_resources.push_back({.verbs = {"get"}, .paths = {rule.paths.begin(), rule.paths.end()}});
    co_return rules;
  }
};

}  // namespace

std::unique_ptr<Authorizer> MastersOnly() {
  return MastersFirst(std::make_unique<BootstrapRolesAuthorizer>());
}

}  // namespace keelson::auth
