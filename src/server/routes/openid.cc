#include "server/routes/openid.h"

#include <set>

#include "api/codec/json_writer.h"
#include "endpoints/respond.h"

namespace keelson::server {
namespace {

constexpr std::string_view kKeysPath = "/openid/v1/jwks";

net::http::Response Document(std::string_view body, std::string_view type) {
  net::http::Response response = endpoints::JsonResponse(200, std::string(body));
  response.headers.Set("content-type", type);
  response.headers.Set("cache-control", "public, max-age=3600");
  return response;
}

std::string Configuration(const OpenIdProvider& provider) {
  std::set<std::string_view> algorithms;
  for (const auto& key : provider.keys) algorithms.insert(key.algorithm());
  base::BufferBuilder out;
  api::json::JsonWriter json(out);
  json.BeginObject();
  json.Member("issuer", provider.issuer);
  json.Member("jwks_uri",
              provider.keys_uri.empty() ? provider.server_url() + std::string(kKeysPath) : provider.keys_uri);
  json.Member("response_types_supported", std::vector<std::string_view>{"id_token"});
  json.Member("subject_types_supported", std::vector<std::string_view>{"public"});
  json.Member("id_token_signing_alg_values_supported", algorithms);
  json.EndObject();
  return std::string(out.view());
}

std::string KeySet(const OpenIdProvider& provider) {
  std::string keys;
  for (const auto& key : provider.keys) keys.append(keys.empty() ? "" : ",").append(key.Jwk());
  return "{\"keys\":[" + keys + "]}";
}

}  // namespace

void InstallOpenId(Router& router, OpenIdProvider provider) {
  router.AddPage(std::string(kKeysPath), [keys = KeySet(provider)](const IncomingRequest&) {
    return Document(keys, "application/jwk-set+json");
  });
  router.AddPage("/.well-known/openid-configuration",
                 [provider = std::move(provider)](const IncomingRequest&) {
                   return Document(Configuration(provider), "application/json");
                 });
}

}  // namespace keelson::server
