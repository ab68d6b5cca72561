#include "server/filters/priority_and_fairness.h"

#include <algorithm>
#include <string>

#include "server/text_response.h"

namespace keelson::server {
namespace {

constexpr std::chrono::minutes kMaxWait{1};

}  // namespace

PriorityAndFairnessFilter::Admission PriorityAndFairnessFilter::Start(IncomingRequest& x) {
  if (x.long_running && x.info.verb != "watch") return Admission::kExecutes;
  const std::chrono::nanoseconds timeout = x.timeout ? *x.timeout : request_timeout_;
  auto ticket = std::make_unique<flow_control::Ticket>();
  const auto admission =
      control_.Admit({.info = x.info,
                      .query = x.request.query,
                      .user = *x.user,
                      .wait_until = x.received + std::min<std::chrono::nanoseconds>(timeout / 4, kMaxWait)},
                     *ticket);
  x.ticket = std::move(ticket);
  return admission;
}

base::Task<bool> PriorityAndFairnessFilter::Wait(IncomingRequestPtr incoming) {
  // It may be told late, when the request executes, or is a watch that has given its seats back.
  incoming->body.WhenGone([incoming] {
    if (incoming->ticket) incoming->ticket->GiveUp();
  });
  const bool executes = co_await incoming->ticket->Decision();
  incoming->body.WhenGone({});
  co_return executes;
}

void PriorityAndFairnessFilter::Started(IncomingRequest& incoming) {
  if (incoming.info.verb == "watch" && incoming.ticket)
    incoming.counted_watch = control_.CountWatch(incoming.info, incoming.request.query);
}

net::http::Response PriorityAndFairnessFilter::Refusal(const IncomingRequest& incoming) {
  net::http::Response response = TooManyRequests();
  response.headers.Set("retry-after", std::to_string(incoming.ticket->level().NextRetry()));
  return response;
}

void PriorityAndFairnessFilter::Mark(const IncomingRequest& incoming, net::http::Response& response) {
  if (!incoming.ticket) return;
  response.headers.Set("x-kubernetes-pf-flowschema-uid", incoming.ticket->schema_uid());
  response.headers.Set("x-kubernetes-pf-prioritylevel-uid", incoming.ticket->level_uid());
}

}  // namespace keelson::server
