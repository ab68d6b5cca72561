#include "server/filters/audit.h"

#include "api/codec/time_format.h"
#include "audit/encoding.h"
#include "endpoints/request_attributes.h"
#include "endpoints/respond.h"
#include "server/filters/source_ips.h"
#include "server/text_response.h"
#include "server/tracked_body.h"

namespace keelson::server {
namespace {

using audit::Level;
using audit::Stage;
using std::chrono::nanoseconds;

constexpr size_t kMostUserAgentBytes = 1024;
constexpr nanoseconds kTellsLatency = std::chrono::milliseconds(500);

std::string UserAgentOf(const net::http::Headers& headers) {
  const std::string_view agent = headers.Get("user-agent").value_or("");
  if (agent.size() <= kMostUserAgentBytes) return std::string(agent);
  return std::string(agent.substr(0, kMostUserAgentBytes)) + "...TRUNCATED";
}

std::string UriOf(const net::http::Request& request) {
  return request.query.empty() ? request.path : request.path + "?" + request.query;
}

void SetStatus(audit::Event& event, const net::http::Response& response) {
  if (const api::Status* const status = endpoints::StatusOf(response)) {
    event.status = *status;
    event.status->continue_token.clear();
    if (event.Wants(Level::kRequestResponse)) event.response_object = base::Slice::Copy(status->ToJson());
  }
  event.SetStatusCode(response.status);
}

// `took`: the request until now.
void AnnotateLatencies(audit::Event& event, const IncomingRequest& incoming, nanoseconds took) {
  const base::RequestNotes& notes = incoming.notes;
  const auto add = [&](std::string_view part, nanoseconds latency) {
    if (latency.count() == 0) return;
    char text[api::kMaxDurationSize];
    event.Annotate("apiserver.latency.k8s.io/" + std::string(part),
                   std::string(text, api::FormatDuration(latency.count(), text)));
  };
  add("authentication", event.latencies.authentication);
  add("authorization", event.latencies.authorization);
  add("impersonation", event.latencies.impersonation);
  add("apf-queue-wait", notes.queued);
  add("mutating-webhook", notes.mutating_webhooks);
  add("validating-webhook", notes.validating_webhooks);
  add("etcd", notes.storage);
  add("decode-response-object", notes.decoding);
  // As upstream's, it has the time in which the answer was sent.
  if (notes.answering) add("serialize-response-object", incoming.received + took - *notes.answering);
  add("total", took);
}

}  // namespace

std::unique_ptr<audit::Event> AuditFilter::MakeEvent(const IncomingRequest& incoming) const {
  const endpoints::RequestInfo& info = incoming.info;
  const endpoints::RequestAttributes attributes(info, "", incoming.user.get());
  const audit::Decision decision = auditor_.Decide(*attributes);
  if (decision.level == Level::kNone) return nullptr;
  auto event = std::make_unique<audit::Event>(decision);
  event->audit_id = incoming.audit_id;
  event->uri = UriOf(incoming.request);
  event->verb = info.verb;
  event->user_agent = UserAgentOf(incoming.request.headers);
  event->source_ips = SourceIps(incoming.request);
  event->user = incoming.user;
  if (info.resource_request)
    event->object = {.resource = info.resource,
                     .ns = info.ns,
                     .name = info.name,
                     .group = info.group,
                     .version = info.version,
                     .subresource = info.subresource};
  const nanoseconds so_far = clock_.SteadyNow() - incoming.received;
  event->received = clock_.Now() - std::chrono::duration_cast<base::Clock::WallTime::duration>(so_far);
  event->latencies.authentication = so_far;
  if (incoming.remarks)
    for (const auto& annotation : incoming.remarks->annotations)
      event->Annotate(annotation.key, annotation.value);
  return event;
}

void AuditFilter::Received(IncomingRequest& incoming) const {
  incoming.audit = MakeEvent(incoming);
  if (incoming.audit) auditor_.Tell(*incoming.audit, Stage::kRequestReceived);
}

base::Task<std::optional<net::http::Response>> AuditFilter::Kept(IncomingRequest& incoming) const {
  if (!incoming.audit || co_await audit::Auditor::Settled(*incoming.audit)) co_return std::nullopt;
  auditor_.Rejected();
  incoming.audit.reset();
  incoming.failure_is_told = true;
  co_return InternalErrorText(incoming.request, "failed to store audit event");
}

base::Task<void> AuditFilter::Refused(IncomingRequest& incoming, const net::http::Response& response) const {
  const auto event = MakeEvent(incoming);
  if (!event) co_return;
  SetStatus(*event, response);
  auditor_.Tell(*event, Stage::kResponseStarted);
  co_await audit::Auditor::Settled(*event);
}

void AuditFilter::Answered(const IncomingRequestPtr& incoming, net::http::Response& response) const {
  audit::Event& event = *incoming->audit;
  SetStatus(event, response);
  const auto size = response.body ? response.body->Size() : std::optional<uint64_t>(0);
  if (incoming->long_running)
    auditor_.Tell(event, Stage::kResponseStarted);
  else if (size && *size <= kSmallBody)
    return Complete(*incoming);
  if (!response.body) return Complete(*incoming);
  response.body = std::make_unique<TrackedBody>(std::move(response.body),
                                                [this, incoming](uint64_t) { Complete(*incoming); });
}

void AuditFilter::Complete(const IncomingRequest& incoming) const {
  audit::Event& event = *incoming.audit;
  if (event.deprecated) {
    event.Annotate("k8s.io/deprecated", "true");
    if (!event.removed_release.empty())
      event.Annotate("k8s.io/removed-release", std::string(event.removed_release));
  }
  if (const nanoseconds took = clock_.SteadyNow() - incoming.received; took > kTellsLatency)
    AnnotateLatencies(event, incoming, took);
  auditor_.Tell(event, Stage::kResponseComplete);
}

}  // namespace keelson::server
