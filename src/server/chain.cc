#include "server/chain.h"

#include <random>

#include "endpoints/respond.h"
#include "endpoints/warnings.h"
#include "server/filters/audit_id.h"
#include "server/filters/deadline.h"
#include "server/filters/long_running.h"
#include "server/filters/request_log.h"
#include "server/tracked_body.h"

namespace keelson::server {
namespace {

// A deletecollection takes as long as there is something to delete: an answer before that
// would end nothing, and make the client ask for the same work again.
constexpr std::chrono::nanoseconds kManyTimeout = std::chrono::hours(24);

// A number in [0, 1).
double Chance() {
  static thread_local std::minstd_rand generator(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

// Whoever has not said who they are gets one request per HTTP/2 connection: the protocol
// makes it cheap to ask for much work.
bool IsFromStranger(const IncomingRequest& incoming) {
  return !incoming.user || incoming.user->name == auth::kAnonymousUser ||
         incoming.user->InGroup(auth::kUnauthenticatedGroup);
}

// What numbers of requests are shares of. Null: flow control is not there.
std::function<InFlightFilter::Capacity()> CapacityOf(const flow_control::FlowControl* control) {
  if (!control) return {};
  return [control] {
    return InFlightFilter::Capacity{.executing = control->most_executing(),
                                    .waiting = control->most_waiting()};
  };
}

// The request has come to the filter of that name.
void Step(IncomingRequest& incoming, std::string_view filter) {
  if (incoming.trace) incoming.trace->Enter(filter);
}

}  // namespace

Chain::Chain(ChainConfig config, auth::Authenticator& authenticator, auth::Authorizer& authorizer,
             const Router& router, RequestMetrics::IsServed is_served, base::Metrics& metrics,
             const base::Clock& clock)
    : config_(std::move(config)),
      draining_(config_.count_for_draining),
      authentication_metrics_(metrics),
      authentication_(authenticator, config_.front_proxy_headers, &authentication_metrics_),
      held_heads_(config_.max_user_head_bytes),
      impersonation_(authorizer),
      authorization_(authorizer, metrics),
      in_flight_(config_.flow_control ? 0 : config_.max_requests_inflight,
                 config_.flow_control ? 0 : config_.max_mutating_requests_inflight, metrics, clock,
                 CapacityOf(config_.flow_control)),
      metrics_(metrics, std::move(is_served)),
      router_(router),
      clock_(clock) {
  if (config_.auditor) audit_.emplace(*config_.auditor, clock_);
  if (config_.flow_control) priority_and_fairness_.emplace(*config_.flow_control, config_.request_timeout);
}

// The order of the filters, upstream's, is the order of the next functions.

base::Task<net::http::Response> Chain::Handle(net::http::Request& request) {
  IncomingRequestPtr incoming(new IncomingRequest(request, clock_.SteadyNow()));
  incoming->audit_id = AuditId(incoming->request);
  const net::http::Request& r = incoming->request;
  incoming->info = endpoints::ParseRequestInfo(r.method, r.path, r.query);
  incoming->long_running = IsLongRunning(incoming->info);

  const std::optional<CountedSlot> under_way = draining_.Take(*incoming);
  net::http::Response response = under_way ? co_await Taken(incoming) : Draining::TurnedAway();
  response.headers.Set("audit-id", incoming->audit_id);
  Account(incoming, response);
  co_return response;
}

base::Task<net::http::Response> Chain::Taken(IncomingRequestPtr incoming) {
  const net::http::Request& r = incoming->request;
  const bool cross_origin = config_.cross_origin.Allows(r);
  const std::string origin(cross_origin ? r.headers.Get("origin").value_or("") : "");
  net::http::Response response;
  if (cross_origin && r.method == "OPTIONS")
    response = CrossOriginFilter::Preflight();
  else
    response = co_await Answer(incoming);
  if (incoming->remarks) endpoints::AddWarnings(incoming->remarks->warnings, response.headers);
  if (cross_origin) CrossOriginFilter::Mark(origin, response);
  if (!response.headers.Get("cache-control")) response.headers.Add("cache-control", "no-cache, private");
  if (!config_.strict_transport_security.empty() && !response.headers.Get("strict-transport-security"))
    response.headers.Add("strict-transport-security", config_.strict_transport_security);
  if (EndsConnection(*incoming)) response.headers.Set("connection", "close");
  co_return response;
}

bool Chain::EndsConnection(const IncomingRequest& incoming) const {
  const auto& connection = incoming.request.connection;
  if (!connection || !connection->protocol.starts_with("HTTP/2")) return false;
  return IsFromStranger(incoming) || (config_.goaway_chance > 0 && Chance() < config_.goaway_chance);
}

base::Task<net::http::Response> Chain::Answer(IncomingRequestPtr incoming) {
  base::Task<net::http::Response> work = audit_ ? Audited(incoming) : Serve(incoming);
  if (incoming->long_running) co_return co_await std::move(work);

  const bool many = incoming->info.verb == "deletecollection";
  const auto timeout = RequestTimeout(incoming->request.query, many ? kManyTimeout : config_.request_timeout);
  if (!timeout) {
    net::http::Response refused = endpoints::StatusResponse(timeout.error(), incoming->accept());
    if (audit_) co_await audit_->Refused(*incoming, refused);
    co_return refused;
  }
  if (!many) incoming->timeout = *timeout;
  const auto deadline = incoming->received + *timeout;
  incoming->deadline = deadline;
  auto answer = co_await WithDeadline(std::move(work), incoming->body, deadline, clock_);
  // Who waited for somebody else until the deadline says so, too; the client is told the same in any case.
  const bool late = answer && answer->status == 504 && clock_.SteadyNow() + kTick >= deadline;
  if (answer && !late) co_return std::move(*answer);

  metrics_.Terminated(*incoming, 504);
  co_return endpoints::StatusResponse(api::Timeout("request did not complete within the allotted timeout", 0),
                                      incoming->accept());
}

// An answer past its deadline is audited as well, though nobody gets it.
base::Task<net::http::Response> Chain::Audited(IncomingRequestPtr incoming) {
  net::http::Response response = co_await Serve(incoming);
  if (!incoming->user) {
    co_await audit_->Refused(*incoming, response);
  } else if (incoming->audit) {
    audit_->Answered(incoming, response);
    if (!incoming->audit->owed.empty()) co_await audit::Auditor::Settled(*incoming->audit);
  }
  co_return response;
}

base::Task<net::http::Response> Chain::Serve(IncomingRequestPtr incoming) {
  IncomingRequest& x = *incoming;
  if (config_.tracing) config_.tracing->Arrived(x);
  if (auto refused = co_await authentication_.Apply(x)) co_return std::move(*refused);
  if (config_.tracing) config_.tracing->Authenticated(x);
  Step(x, "audit");
  if (audit_) audit_->Received(x);
  if (audit_ && audit_->strict())
    if (auto refused = co_await audit_->Kept(x)) co_return std::move(*refused);
  if (auto refused = held_heads_.Apply(x)) co_return std::move(*refused);
  Step(x, "constrainedimpersonation");
  if (auto refused = co_await impersonation_.Apply(x)) co_return std::move(*refused);
  if (!priority_and_fairness_) {
    if (auto refused = in_flight_.Apply(x, x.received)) {
      metrics_.Terminated(x, refused->status);
      co_return std::move(*refused);
    }
  } else {
    Step(x, "priorityandfairness");
    using Admission = PriorityAndFairnessFilter::Admission;
    Admission admission = priority_and_fairness_->Start(x);
    auto begins = x.received;
    if (admission == Admission::kWaits) {
      const auto queued = clock_.SteadyNow();
      const TimedSlot waiting = in_flight_.CountWaiting(x, queued);
      admission =
          co_await PriorityAndFairnessFilter::Wait(incoming) ? Admission::kExecutes : Admission::kRefused;
      begins = clock_.SteadyNow();
      x.notes.queued = begins - queued;
    }
    if (admission == Admission::kRefused) co_return TurnAway(x);
    in_flight_.Apply(x, begins);
    priority_and_fairness_->Started(x);
  }
  Step(x, "authorization");
  net::http::Response response;
  if (auto refused = co_await authorization_.Apply(x)) {
    response = std::move(*refused);
  } else {
    if (!x.long_running) x.deadline = WorkDeadline(x.info.verb, x.deadline, clock_.SteadyNow());
    response = co_await router_.Route(x);
    x.served = true;
  }
  PriorityAndFairnessFilter::Mark(x, response);
  co_return response;
}

net::http::Response Chain::TurnAway(const IncomingRequest& x) {
  in_flight_.CountDropped(x);
  metrics_.Terminated(x, 429);
  net::http::Response response = PriorityAndFairnessFilter::Refusal(x);
  PriorityAndFairnessFilter::Mark(x, response);
  return response;
}

// Counts and logs the request when its response is through.
void Chain::Account(const IncomingRequestPtr& incoming, net::http::Response& response) {
  const int code = response.status;
  const auto size = response.body ? response.body->Size() : std::optional<uint64_t>(0);
  // What is passed on may still be read from the request while it is answered.
  const bool through = !response.body || (size && *size <= kSmallBody && !incoming->long_running);
  if (through) return Finished(*incoming, code, size.value_or(0));
  if (incoming->served) incoming->ShedHead();
  if (incoming->ticket) incoming->ticket->Sends();
  base::Gauge* const long_running = incoming->long_running ? &metrics_.LongRunning(*incoming) : nullptr;
  if (long_running) long_running->Add(1);
  // A watch has sent its initial events when it has nothing more to send.
  TrackedBody::Idle initialised;
  if (incoming->long_running && incoming->ticket) initialised = [incoming] { incoming->ticket.reset(); };
  response.body = std::make_unique<TrackedBody>(
      std::move(response.body),
      [this, incoming, code, long_running](uint64_t bytes) {
        if (long_running) long_running->Add(-1);
        Finished(*incoming, code, bytes);
      },
      std::move(initialised));
}

void Chain::Finished(IncomingRequest& incoming, int code, uint64_t response_bytes) {
  const auto now = clock_.SteadyNow();
  const auto took = now - incoming.received;
  // A handler that was given up still works.
  if (incoming.served) incoming.in_flight.GiveBack(now);
  metrics_.Finished(incoming, code, took, response_bytes);
  LogFinished(incoming, code, took);
  if (incoming.trace) TracingFilter::Finished(incoming, code, response_bytes);
}

}  // namespace keelson::server
