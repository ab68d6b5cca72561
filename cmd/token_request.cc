#include "cmd/token_request.h"

#include <iostream>
#include <utility>

#include "api/codec/config_reader.h"
#include "api/codec/json_writer.h"
#include "api/codec/time_format.h"
#include "api/validation/names.h"
#include "api/validation/quote.h"
#include "app/data_dir.h"
#include "app/remote_authentication.h"
#include "auth/authn/remote.h"
#include "base/base64.h"
#include "base/slice.h"
#include "net/loop/event_loop.h"
#include "net/outbound/resolver.h"

namespace keelson::cmd {
namespace {

constexpr int kCreated = 201;
constexpr std::chrono::seconds kClockTolerance{60};

std::string TokenRequestJson(const TokenDemand& demand) {
  base::BufferBuilder out;
  api::json::JsonWriter json(out);
  json.BeginObject().Member("apiVersion", "authentication.k8s.io/v1").Member("kind", "TokenRequest");
  json.Key("spec").BeginObject().Member("audiences", demand.audiences);
  if (demand.lifetime) json.Key("expirationSeconds").Int(demand.lifetime->count());
  json.EndObject().EndObject();
  return std::string(out.view());
}

// The token in a TokenRequest that the server has answered.
base::Result<IssuedToken, std::string> ReadIssuedToken(std::string_view json) {
  IssuedToken issued;
  api::ConfigReader reader(json, /*strict=*/false);
  const bool read = reader.Object([&](std::string_view name) {
    if (name != "status") return reader.Skip();
    return reader.Object([&](std::string_view member) {
      if (member == "token") return reader.Text(issued.token);
      if (member == "expirationTimestamp") return reader.Text(issued.expires);
      return reader.Skip();
    });
  });
  if (!read || !reader.AtEnd())
    return base::Err("the answer of the server cannot be read: " + reader.error());
  if (issued.token.empty()) return base::Err(std::string("the server answers without a token"));
  return issued;
}

// Returns the message of a Status; empty when the server sent something else.
std::string MessageOfStatus(std::string_view json) {
  std::string message;
  api::ConfigReader reader(json, /*strict=*/false);
  const bool read = reader.Object(
      [&](std::string_view name) { return name == "message" ? reader.Text(message) : reader.Skip(); });
  return read ? message : "";
}

auth::RemoteRequest TokenPost(const auth::pki::KubeconfigClient& as, auth::RemoteUrl url,
                              const TokenDemand& demand) {
  while (url.target.ends_with('/')) url.target.pop_back();
  url.target +=
      "/api/v1/namespaces/" + demand.account.ns + "/serviceaccounts/" + demand.account.name + "/token";
  auth::RemoteRequest request{.method = "POST",
                              .url = std::move(url),
                              .headers = {},
                              .body = base::Slice::Copy(TokenRequestJson(demand))};
  request.headers.Set("content-type", "application/json");
  request.headers.Set("accept", "application/json");
  request.headers.Set("user-agent", "keelson");
  if (!as.bearer_token.empty())
    request.headers.Set("authorization", "Bearer " + as.bearer_token);
  else if (!as.username.empty())
    request.headers.Set("authorization", "Basic " + base::Base64(as.username + ":" + as.password));
  return request;
}

using RemoteResult = base::Result<auth::RemoteAnswer, auth::RemoteError>;

base::Task<void> AskAndStop(net::http::Client& client, auth::RemoteRequest request, net::EventLoop& loop,
                            std::optional<RemoteResult>& result) {
  result = co_await auth::AskRemote(client, std::move(request));
  loop.Post([&loop] { loop.Stop(); });  // after what the connection has left to do
}

// The answer to one request, on a loop of its own.
base::Result<auth::RemoteAnswer, std::string> AskOnce(const auth::pki::KubeconfigClient& as,
                                                      auth::RemoteRequest request) {
  net::EventLoop loop;
  net::outbound::Resolver resolver({});
  auto client = TRY(app::RemoteClients(resolver)({.ca_pem = as.ca_pem,
                                                  .certificate_pem = as.certificate_pem,
                                                  .private_key_pem = as.key_pem,
                                                  .verify = !as.insecure_skip_tls_verify}));
  std::optional<RemoteResult> result;
  loop.Post([&] { base::Spawn(AskAndStop(*client, std::move(request), loop, result)); });
  loop.Run();
  if (!*result) return base::Err((*result).error().message);
  return **std::move(result);
}

}  // namespace

base::Result<ServiceAccountName, std::string> ParseServiceAccount(std::string_view text) {
  const auto bad = [&](const std::string& why) {
    return base::Err("--service-account " + api::Quoted(text) + ": " + why);
  };
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return bad("it is said as namespace/name");
  ServiceAccountName account{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
  if (const auto wrong = api::IsDns1123Label(account.ns); !wrong.empty())
    return bad("the namespace: " + wrong.front());
  if (const auto wrong = api::IsDns1123Subdomain(account.name); !wrong.empty())
    return bad("the name: " + wrong.front());
  return account;
}

base::Result<auth::pki::KubeconfigClient, std::string> ReadAdminKubeconfig(
    const std::filesystem::path& data_dir) {
  const std::filesystem::path file = app::KubeconfigIn(data_dir);
  std::error_code error;
  if (std::filesystem::exists(file, error)) return auth::pki::ReadKubeconfig(file);
  return base::Err(
      file.string() +
      " does not exist: keelson serve writes it on its first start, unless --client-ca-file leaves "
      "users to another authority");
}

base::Result<IssuedToken, std::string> RequestToken(const auth::pki::KubeconfigClient& as,
                                                    const TokenDemand& demand) {
  auto url = TRY(auth::ParseRemoteUrl(as.server_url));
  const auto answer = AskOnce(as, TokenPost(as, std::move(url), demand));
  if (!answer)
    return base::Err(answer.error() + ": the server issues tokens, so it must run (keelson serve)");
  if (answer->status == kCreated) return ReadIssuedToken(answer->body);
  const std::string message = MessageOfStatus(answer->body);
  return base::Err("the server answers " + std::to_string(answer->status) +
                   (message.empty() ? "" : ": " + message));
}

void WarnOfShorterLife(const TokenDemand& demand, const IssuedToken& issued) {
  const auto expires = api::ParseTime(issued.expires);
  if (!demand.lifetime || !expires) return;
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (expires->seconds - now + kClockTolerance.count() >= demand.lifetime->count()) return;
  std::cerr << "warning: the server lets tokens live less long: this one expires at " << issued.expires
            << '\n';
}

}  // namespace keelson::cmd
