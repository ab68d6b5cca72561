#include "auth/authn/authentication_config.h"

#include "api/codec/config_reader.h"
#include "api/codec/yaml.h"

namespace keelson::auth {
namespace {

constexpr std::string_view kConfigGroup = "apiserver.config.k8s.io/";

class AuthenticationConfigParser {
 public:
  explicit AuthenticationConfigParser(std::string_view json) : reader_(json, /*strict=*/true) {}

  base::Result<AuthenticationConfig, std::string> Run() {
    AuthenticationConfig config;
    std::string api_version, kind;
    const bool read = reader_.Object([&](std::string_view name) {
      if (name == "apiVersion") return reader_.Text(api_version);
      if (name == "kind") return reader_.Text(kind);
      if (name == "jwt") return reader_.List([&] { return Issuer(config.jwt.emplace_back()); });
      if (name == "anonymous") return reader_.Null() || Anonymous(config.anonymous.emplace());
      return reader_.Unknown();
    });
    if (!read || !reader_.AtEnd()) return base::Err("strict decoding error: " + reader_.error());
    if (kind != "AuthenticationConfiguration" || (api_version != std::string(kConfigGroup) + "v1" &&
                                                  api_version != std::string(kConfigGroup) + "v1beta1" &&
                                                  api_version != std::string(kConfigGroup) + "v1alpha1"))
      return base::Err("no kind \"" + kind + "\" is registered for version \"" + api_version +
                       "\": AuthenticationConfiguration of apiserver.config.k8s.io/v1 is expected");
    return config;
  }

 private:
  bool Issuer(JwtIssuerConfig& jwt) {
    return reader_.Object([&](std::string_view name) {
      if (name == "issuer") return IssuerFields(jwt);
      if (name == "claimValidationRules")
        return reader_.List([&] { return ClaimRule(jwt.claim_validation_rules.emplace_back()); });
      if (name == "claimMappings") return Mappings(jwt);
      if (name == "userValidationRules")
        return reader_.List([&] { return UserRule(jwt.user_validation_rules.emplace_back()); });
      return reader_.Unknown();
    });
  }

  bool IssuerFields(JwtIssuerConfig& jwt) {
    return reader_.Object([&](std::string_view name) {
      if (name == "url") return reader_.Text(jwt.url);
      if (name == "discoveryURL") return reader_.Text(jwt.discovery_url);
      if (name == "certificateAuthority") return reader_.Text(jwt.certificate_authority);
      if (name == "audiences")
        return reader_.List([&] { return reader_.Text(jwt.audiences.emplace_back()); });
      if (name == "audienceMatchPolicy") return reader_.Text(jwt.audience_match_policy);
      if (name == "egressSelectorType") return reader_.Text(jwt.egress_selector_type);
      return reader_.Unknown();
    });
  }

  bool ClaimRule(ClaimValidationRule& rule) {
    return reader_.Object([&](std::string_view name) {
      if (name == "claim") return reader_.Text(rule.claim);
      if (name == "requiredValue") return reader_.Text(rule.required_value);
      if (name == "expression") return reader_.Text(rule.expression);
      if (name == "message") return reader_.Text(rule.message);
      return reader_.Unknown();
    });
  }

  bool UserRule(UserValidationRule& rule) {
    return reader_.Object([&](std::string_view name) {
      if (name == "expression") return reader_.Text(rule.expression);
      if (name == "message") return reader_.Text(rule.message);
      return reader_.Unknown();
    });
  }

  bool Mappings(JwtIssuerConfig& jwt) {
    return reader_.Object([&](std::string_view name) {
      if (name == "username") return Mapping(jwt.username, /*prefixed=*/true);
      if (name == "groups") return Mapping(jwt.groups, /*prefixed=*/true);
      if (name == "uid") return Mapping(jwt.uid, /*prefixed=*/false);
      if (name == "extra") return reader_.List([&] { return Extra(jwt.extra.emplace_back()); });
      return reader_.Unknown();
    });
  }

  bool Mapping(ClaimMapping& mapping, bool prefixed) {
    return reader_.Object([&](std::string_view name) {
      if (name == "claim") return reader_.Text(mapping.claim);
      if (name == "expression") return reader_.Text(mapping.expression);
      if (name == "prefix" && prefixed) return reader_.Text(mapping.prefix);
      return reader_.Unknown();
    });
  }

  bool Extra(ExtraMapping& extra) {
    return reader_.Object([&](std::string_view name) {
      if (name == "key") return reader_.Text(extra.key);
      if (name == "valueExpression") return reader_.Text(extra.value_expression);
      return reader_.Unknown();
    });
  }

  bool Anonymous(AnonymousConfig& anonymous) {
    return reader_.Object([&](std::string_view name) {
      if (name == "enabled") return reader_.Bool(anonymous.enabled);
      if (name != "conditions") return reader_.Unknown();
      return reader_.List([&] {
        std::string& path = anonymous.paths.emplace_back();
        return reader_.Object([&](std::string_view member) {
          return member == "path" ? reader_.Text(path) : reader_.Unknown();
        });
      });
    });
  }

  api::ConfigReader reader_;
};

}  // namespace

base::Result<AuthenticationConfig, std::string> ParseAuthenticationConfig(std::string_view text) {
  const auto json = api::yaml::ToJson(text);
  if (!json) return base::Err(json.error().message);
  return AuthenticationConfigParser(*json).Run();
}

}  // namespace keelson::auth
