// Lets a request execute when its priority level has seats for it, makes it wait in its queue, or turns it
// away.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "server/flow_control/flow_control.h"
#include "server/incoming_request.h"

namespace keelson::server {

// Threads: any.
class PriorityAndFairnessFilter {
 public:
  using Admission = flow_control::FlowControl::Admission;

  // Borrows all but the timeout, which is that of requests that name none.
  PriorityAndFairnessFilter(flow_control::FlowControl& control, std::chrono::nanoseconds request_timeout)
      : control_(control), request_timeout_(request_timeout) {}

  // kWaits: Wait comes next. Long-running requests pass, but for watches, which hold their seats until they
  // are initialised. Requires: incoming.user.
  Admission Start(IncomingRequest& incoming);
  // Whether it executes then. A client that leaves ends the wait.
  static base::Task<bool> Wait(IncomingRequestPtr incoming);
  // It executes from now on.
  void Started(IncomingRequest& incoming);
  // 429, with the time after which to come again.
  static net::http::Response Refusal(const IncomingRequest& incoming);
  // Every answer says which flow schema and priority level it went through, by their uids.
  static void Mark(const IncomingRequest& incoming, net::http::Response& response);

 private:
  flow_control::FlowControl& control_;
  const std::chrono::nanoseconds request_timeout_;
};

}  // namespace keelson::server
