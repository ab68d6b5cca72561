#include "registry/core/forwarding.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "net/http/text.h"
#include "net/http/websocket.h"
#include "registry/core/kubelet_location.h"

namespace keelson::registry::core {
namespace {

using net::http::ClientError;
using net::http::ClientRequest;
using net::http::Headers;
using net::http::Request;
using net::http::Response;

// Fields that speak of one connection only, or of who the client is to us.
constexpr std::string_view kOfThisHop[] = {
    "connection",        "keep-alive",    "proxy-connection", "proxy-authorization", "te", "trailer",
    "transfer-encoding", "authorization", "upgrade"};

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
    const bool of_hop = std::ranges::find(kOfThisHop, name) != std::end(kOfThisHop);
    if (of_hop || name.starts_with("impersonate-") || (!upgrade && named.contains(name))) continue;
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
  ClientRequest passed_on{.method = request.method,
                          .target = std::move(forwarding.target),
                          .headers = ForwardedHeaders(request, upgrade),
                          .body = request.body,
                          .on_behalf_of = request.body,
                          .head_timeout = kBackendHeadTimeout};
  auto response = co_await client.Send(std::move(forwarding.destination), std::move(passed_on));
  if (!response) co_return base::Err(Failed(response.error(), upgrade));
  if (upgrade && response->status != 101 && response->status < 400)
    co_return base::Err(
        PlainFailure("invalid upgrade response: status code " + std::to_string(response->status)));
  if (response->status != 101)
    for (std::string_view name : kOfThisHop) response->headers.Remove(name);
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
