#include <random>

#include "endpoints/request_scope.h"
#include "endpoints/verb_spans.h"
#include "endpoints/watch_source.h"
#include "net/http/websocket.h"

namespace keelson::endpoints {
namespace {

// Watches without a timeout end at different times, so that they do not all come back at once.
std::chrono::nanoseconds RandomBetween(std::chrono::nanoseconds least, std::chrono::nanoseconds most) {
  thread_local std::minstd_rand random(std::random_device{}());
  return std::chrono::nanoseconds(
      std::uniform_int_distribution<int64_t>(least.count(), most.count())(random));
}

Answer Begin(RequestScope& scope, WatchFraming framing, std::unique_ptr<net::http::BodySource> events) {
  if (framing == WatchFraming::kWebSocket) {
    auto protocol = net::http::NegotiateWebSocket(scope.request, {.needs_origin = true});
    if (!protocol) return std::move(protocol.error());
    return net::http::WebSocketResponse(scope.request, *protocol, std::move(events));
  }
  net::http::Response response;
  response.headers.Add("content-type", WatchContentType(scope.output.media));
  response.body = std::move(events);
  return response;
}

CountedWatch Counted(const RequestScope& scope) {
  WatchMetrics* const metrics = scope.options.watch_metrics;
  if (!metrics) return {};
  using Scope = WatchMetrics::Scope;
  return {.metrics = metrics,
          .series = &metrics->Of(scope.desc()),
          .scope = !scope.info.name.empty() ? Scope::kResource
                   : scope.info.ns.empty()  ? Scope::kCluster
                                            : Scope::kNamespace};
}

// What upstream tells of a version it cannot start from: in the stream, not as its status.
bool ToldInStream(const api::Status& status) { return status.code == 410 || status.code == 504; }

}  // namespace

base::Task<Answer> Watch(RequestScope& scope) {
  auto parameters = CO_TRY(ParseListParameters(scope.query, /*watch=*/true, scope.info.name, scope.desc()));
  Media media = scope.output.media;
  if (media == Media::kYaml) co_return base::Err(NoSuchStream(scope.options.media));
  auto format = CO_TRY(FormatOf(scope));

  registry::rest::WatchOptions options{scope.ns(),
                                       std::move(parameters.resource_version),
                                       std::move(parameters.selection),
                                       parameters.allow_bookmarks,
                                       parameters.send_initial_events,
                                       parameters.match,
                                       scope.output.metadata_only(),
                                       scope.trace(),
                                       scope.notes};
  const bool streams_list = parameters.allow_bookmarks && parameters.send_initial_events;
  if (streams_list) EnterVerb(scope, "WatchList");
  auto stream = co_await scope.verbs.watch->Watch(std::move(options));
  const auto framing =
      net::http::IsWebSocketRequest(scope.request) ? WatchFraming::kWebSocket : WatchFraming::kStream;
  if (!stream) {
    if (!ToldInStream(stream.error())) co_return base::Err(std::move(stream.error()));
    co_return Begin(scope, framing, net::http::FixedBody(ErrorFrame(stream.error(), media, framing)));
  }
  WatchTiming timing{.bookmarks = parameters.allow_bookmarks};
  timing.timeout = parameters.timeout.value_or(std::chrono::seconds(0));
  std::chrono::seconds least = scope.options.min_request_timeout;
  if (timing.timeout == std::chrono::nanoseconds(0)) timing.timeout = RandomBetween(least, 2 * least);
  timing.bookmark_interval = RandomBetween(std::chrono::seconds(50), std::chrono::seconds(65));
  // As upstream: of another watch the request's own span tells the same.
  if (streams_list) EnterAnswer(scope, kWatchAnswer);
  scope.answering = true;
  auto events = WatchBody(std::move(format), *std::move(stream), timing, framing, scope.clock(),
                          *base::Executor::Current(), Counted(scope));
  co_return Begin(scope, framing, std::move(events));
}

}  // namespace keelson::endpoints
