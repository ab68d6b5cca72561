#include "registry/core/forwarding.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/validation/field.h"
#include "base/ascii.h"
#include "net/http/text.h"
#include "net/http/websocket.h"
#include "registry/core/kubelet_location.h"
#include "registry/core/rewritten_page.h"

namespace keelson::registry::core {
namespace {

using net::http::ClientError;
using net::http::ClientRequest;
using net::http::Headers;
using net::http::Request;
using net::http::Response;

// Fields that speak of one connection only, or of who the client is to us.
constexpr std::string_view kOfThisHop[] = {
    "connection", "keep-alive", "proxy-connection",  "proxy-authenticate", "proxy-authorization",
    "te",         "trailer",    "transfer-encoding", "authorization",      "upgrade"};

// Fields by which a backend would grant pages of other origins what only this server may grant.
constexpr std::string_view kGrants[] = {"access-control-allow-credentials", "access-control-allow-headers",
                                        "access-control-allow-methods", "access-control-allow-origin"};

bool IsOfThisHop(std::string_view name) {
  return std::ranges::find(kOfThisHop, name) != std::end(kOfThisHop);
}

// The fields that the Connection field says are meant for this hop, in small letters.
std::unordered_set<std::string> FieldsNamedByConnection(const Headers& headers) {
  std::unordered_set<std::string> named;
  net::http::VisitList(headers.Joined("connection"), [&](std::string_view item) {
    std::string name(item);
    std::ranges::transform(name, name.begin(), net::http::LowerCase);
    if (!name.empty()) named.insert(std::move(name));
  });
  return named;
}

Headers ForwardedHeaders(const Request& request, bool upgrade) {
  Headers headers;
  const auto named = FieldsNamedByConnection(request.headers);
  for (const auto& [name, value] : request.headers) {
    if (IsOfThisHop(name) || name.starts_with("impersonate-") || (!upgrade && named.contains(name))) continue;
    headers.Add(name, value);
  }
  if (upgrade) {
    headers.Add("connection", "Upgrade");
    headers.Add("upgrade", request.headers.Get("upgrade").value_or(""));
  }
  std::string hops = request.headers.Joined("x-forwarded-for");
  if (request.connection) hops.append(hops.empty() ? "" : ", ").append(request.connection->remote_address);
  if (!hops.empty()) headers.Set("x-forwarded-for", hops);
  return headers;
}

// Makes the head of an answer that is no tunnel fit for the client.
rest::Result<void> ShowOutside(Headers& headers, const std::optional<ProxiedLinks>& links) {
  const auto named = FieldsNamedByConnection(headers);
  headers.RemoveIf(
      [&](std::string_view name) { return IsOfThisHop(name) || named.contains(std::string(name)); });
  if (!links) return {};
  headers.RemoveIf(
      [](std::string_view name) { return std::ranges::find(kGrants, name) != std::end(kGrants); });
  const auto said = headers.Get("location");
  if (!said || said->empty()) return {};
  auto location = links->Location(*said);
  if (!location)
    return base::Err(api::InternalError("error trying to parse Location header: parse " +
                                        api::field::RenderValue(*said) + ": " + location.error()));
  headers.Set("location", *location);
  return {};
}

// The links of a page lead through the proxy, as a redirect does.
void ShowPageOutside(Response& response, const ProxiedLinks& links) {
  const std::string_view type = response.headers.Get("content-type").value_or("");
  if (base::Trimmed(type.substr(0, type.find(';'))) != "text/html") return;
  if (!response.headers.Get("location").value_or("").empty()) return;
  const auto encoding = PageEncodingOf(response.headers.Get("content-encoding").value_or(""));
  if (!encoding) return;
  response.headers.Remove("content-length");
  if (response.body) response.body = RewrittenPage(std::move(response.body), *encoding, links);
}

api::Status Failed(const ClientError& error, bool upgrade) {
  if (auto refused = Refused(error)) return *std::move(refused);
  if (upgrade || error.kind == ClientError::Kind::kUnasked)
    return PlainFailure(error.kind == ClientError::Kind::kUnreachable
                            ? "error dialing backend: " + error.message
                            : error.message);
  api::Status status;
  status.code = 503;
  status.reason = "ServiceUnavailable";
  status.message = "error trying to reach service: " + error.message;
  return status;
}

}  // namespace

std::optional<api::Status> Refused(const ClientError& error) {
  using Kind = ClientError::Kind;
  if (error.kind != Kind::kNotAllowed && error.kind != Kind::kMalformed) return std::nullopt;
  return api::BadRequest(error.message);
}

base::Task<rest::Result<Response>> Forward(net::http::Client& client, Request& request,
                                           Forwarding forwarding) {
  const bool upgrade = net::http::IsUpgradeRequest(request);
  if (!upgrade && forwarding.upgrade_required)
    co_return base::Err(api::BadRequest("Upgrade request required"));
  if (upgrade) forwarding.links.reset();
  Headers headers = ForwardedHeaders(request, upgrade);
  if (forwarding.links) {
    const std::string_view target = forwarding.target;
    headers.Set("x-forwarded-uri", forwarding.links->ForwardedUri(target.substr(0, target.find('?'))));
  }
  ClientRequest passed_on{.method = request.method,
                          .target = std::move(forwarding.target),
                          .headers = std::move(headers),
                          .body = request.body,
                          .on_behalf_of = request.body,
                          .head_timeout = kBackendHeadTimeout};
  auto response = co_await client.Send(std::move(forwarding.destination), std::move(passed_on));
  if (!response) co_return base::Err(Failed(response.error(), upgrade));
  if (upgrade && response->status != 101 && response->status < 400)
    co_return base::Err(
        PlainFailure("invalid upgrade response: status code " + std::to_string(response->status)));
  if (response->status != 101) CO_TRY(ShowOutside(response->headers, forwarding.links));
  if (forwarding.links) ShowPageOutside(*response, *forwarding.links);
  co_return *std::move(response);
}

base::Task<std::string> ReadText(std::unique_ptr<net::http::BodySource> body, size_t limit) {
  using State = net::http::BodySource::State;
  std::string text;
  while (body && text.size() < limit) {
    base::Completion<bool> woken;
    body->set_waker([woken, once = false]() mutable {
      if (!std::exchange(once, true)) woken.Set(true);
    });
    std::vector<base::Slice> slices;
    const State state = body->Next(limit - text.size(), slices);
    for (const base::Slice& slice : slices) text.append(slice.view());
    if (state == State::kEnd || state == State::kFailed) break;
    if (state == State::kSleep) co_await woken;
  }
  co_return text;
}

}  // namespace keelson::registry::core
