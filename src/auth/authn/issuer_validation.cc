#include <set>

#include "auth/authn/claim_rules.h"
#include "auth/pki/certificate.h"

namespace keelson::auth {
namespace {

namespace field = api::field;
using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr size_t kMostIssuers = 64;

void CheckIssuerUrl(const std::string& url, const Path& path, ErrorList& errors) {
  const auto invalid = [&](std::string_view why) { errors.Add(field::Invalid(path, RenderValue(url), why)); };
  for (const char c : url)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      return invalid("parse " + RenderValue(url) + ": net/url: invalid control character in URL");
  if (!url.starts_with("https://")) invalid("URL scheme must be https");
  const size_t scheme = url.find("://");
  std::string_view rest = std::string_view(url).substr(scheme == std::string::npos ? 0 : scheme + 3);
  const size_t fragment = rest.find('#');
  const bool has_fragment = fragment != std::string_view::npos && fragment + 1 < rest.size();
  rest = rest.substr(0, fragment);
  const size_t query = rest.find('?');
  const bool has_query = query != std::string_view::npos && query + 1 < rest.size();
  const std::string_view authority = rest.substr(0, std::min(rest.find_first_of("/?"), rest.size()));
  if (authority.find('@') != std::string_view::npos) invalid("URL must not contain a username or password");
  if (has_query) invalid("URL must not contain a query");
  if (has_fragment) invalid("URL must not contain a fragment");
}

std::string_view WithoutSlashes(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

void CheckAudiences(const JwtIssuerConfig& jwt, const Path& issuer, ErrorList& errors) {
  const Path path = issuer.Child("audiences");
  if (jwt.audiences.empty())
    return errors.Add(field::Required(path, "at least one " + path.ToString() + " is required"));
  std::set<std::string> seen;
  for (size_t i = 0; i < jwt.audiences.size(); ++i) {
    if (jwt.audiences[i].empty()) errors.Add(field::Required(path.Index(i), ""));
    if (!seen.insert(jwt.audiences[i]).second)
      errors.Add(field::Duplicate(path.Index(i), RenderValue(jwt.audiences[i])));
  }
  const std::string& policy = jwt.audience_match_policy;
  const Path at = issuer.Child("audienceMatchPolicy");
  if (jwt.audiences.size() > 1 && policy != "MatchAny")
    errors.Add(field::Invalid(at, RenderValue(policy),
                              "audienceMatchPolicy must be MatchAny for multiple audiences"));
  if (jwt.audiences.size() == 1 && !policy.empty() && policy != "MatchAny")
    errors.Add(field::Invalid(at, RenderValue(policy),
                              "audienceMatchPolicy must be empty or MatchAny for single audience"));
}

void CheckIssuer(const JwtIssuerConfig& jwt, const std::vector<std::string>& disallowed, const Path& path,
                 ErrorList& errors) {
  const Path url = path.Child("url"), discovery = path.Child("discoveryURL");
  if (jwt.url.empty()) {
    errors.Add(field::Required(url, ""));
  } else {
    if (std::ranges::find(disallowed, jwt.url) != disallowed.end()) {
      std::string all;
      for (const std::string& issuer : std::set<std::string>(disallowed.begin(), disallowed.end()))
        all.append(all.empty() ? "" : " ").append(issuer);
      errors.Add(field::Invalid(url, RenderValue(jwt.url),
                                "URL must not overlap with disallowed issuers: [" + all + "]"));
    }
    CheckIssuerUrl(jwt.url, url, errors);
  }
  if (!jwt.discovery_url.empty()) {
    if (!jwt.url.empty() && WithoutSlashes(jwt.url) == WithoutSlashes(jwt.discovery_url))
      errors.Add(field::Invalid(discovery, RenderValue(jwt.discovery_url),
                                "discoveryURL must be different from URL"));
    CheckIssuerUrl(jwt.discovery_url, discovery, errors);
  }
  CheckAudiences(jwt, path, errors);
  if (!jwt.certificate_authority.empty() && !pki::HasCertificate(jwt.certificate_authority))
    errors.Add(field::Invalid(path.Child("certificateAuthority"), RenderValue("<omitted>"),
                              "data does not contain any valid RSA or ECDSA certificates"));
  if (!jwt.egress_selector_type.empty())
    errors.Add(field::Invalid(path.Child("egressSelectorType"), RenderValue(jwt.egress_selector_type),
                              "egress selectors are not implemented by keelson"));
}

}  // namespace

base::Result<std::vector<std::shared_ptr<const ClaimRules>>, std::string> CompileAuthenticationConfig(
    const AuthenticationConfig& config, const std::vector<std::string>& disallowed_issuers) {
  ErrorList errors;
  std::vector<std::shared_ptr<const ClaimRules>> rules;
  const Path root("jwt");
  if (config.jwt.size() > kMostIssuers) errors.Add(field::TooMany(root, config.jwt.size(), kMostIssuers));
  std::set<std::string> urls, discovery_urls;
  for (size_t i = 0; i < config.jwt.size() && i < kMostIssuers; ++i) {
    const JwtIssuerConfig& jwt = config.jwt[i];
    const Path at = root.Index(i);
    const Path issuer = at.Child("issuer");
    CheckIssuer(jwt, disallowed_issuers, issuer, errors);
    rules.push_back(ClaimRules::Compile(jwt, at, errors));
    if (!urls.insert(jwt.url).second) errors.Add(field::Duplicate(issuer.Child("url"), RenderValue(jwt.url)));
    if (!jwt.discovery_url.empty() && !discovery_urls.insert(jwt.discovery_url).second)
      errors.Add(field::Duplicate(issuer.Child("discoveryURL"), RenderValue(jwt.discovery_url)));
  }
  if (config.anonymous && !config.anonymous->enabled && !config.anonymous->paths.empty()) {
    const Path anonymous("anonymous");
    std::string shown;
    for (const std::string& path : config.anonymous->paths)
      shown.append(shown.empty() ? "" : ",").append("{\"Path\":" + RenderValue(path) + "}");
    errors.Add(field::Invalid(anonymous.Child("conditions"), "[" + shown + "]",
                              "enabled should be set to true when conditions are defined"));
  }
  if (!errors.empty()) return base::Err("invalid authentication configuration: " + errors.Aggregate());
  return rules;
}

}  // namespace keelson::auth
