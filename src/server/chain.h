// Chain: what every request passes through before it is served, and after.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "auth/authenticator.h"
#include "auth/authorizer.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "net/http/message.h"
#include "server/draining.h"
#include "server/filters/audit.h"
#include "server/filters/authentication.h"
#include "server/filters/authorization.h"
#include "server/filters/cross_origin.h"
#include "server/filters/held_heads.h"
#include "server/filters/impersonation.h"
#include "server/filters/in_flight.h"
#include "server/filters/priority_and_fairness.h"
#include "server/filters/request_metrics.h"
#include "server/filters/tracing.h"
#include "server/router.h"

namespace keelson::server {

struct ChainConfig {
  int64_t max_requests_inflight = 400;           // 0: no limit
  int64_t max_mutating_requests_inflight = 200;  // 0: no limit
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(60);
  size_t max_user_head_bytes = size_t{4} << 20;  // of the heads of one user's requests under way
  auth::FrontProxyHeaders front_proxy_headers;   // besides the usual ones
  audit::Auditor* auditor = nullptr;             // null: nothing is audited. Borrowed.
  const TracingFilter* tracing = nullptr;        // null: requests are not traced. Borrowed.
  // Borrowed. Null: the two limits above hold; else it has them as seats.
  flow_control::FlowControl* flow_control = nullptr;
  CrossOriginFilter cross_origin = {};    // allows nothing unless it is given origins
  std::string strict_transport_security;  // a header of every answer; empty: it has none
  double goaway_chance = 0;               // that an answer ends its connection, of HTTP/2
  bool count_for_draining = false;        // Draining::under_way is going to be asked for
};

// Threads: Handle on any loop. Borrows everything it is made of, and outlives every
// response it gave.
class Chain final : public net::http::Handler {
 public:
  Chain(ChainConfig config, auth::Authenticator& authenticator, auth::Authorizer& authorizer,
        const Router& router, RequestMetrics::IsServed is_served, base::Metrics& metrics,
        const base::Clock& clock = base::Clock::Real());

  base::Task<net::http::Response> Handle(net::http::Request& request) override;

  Draining& draining() { return draining_; }

 private:
  base::Task<net::http::Response> Taken(IncomingRequestPtr incoming);
  bool EndsConnection(const IncomingRequest& incoming) const;
  base::Task<net::http::Response> Answer(IncomingRequestPtr incoming);
  base::Task<net::http::Response> Audited(IncomingRequestPtr incoming);
  base::Task<net::http::Response> Serve(IncomingRequestPtr incoming);
  net::http::Response TurnAway(const IncomingRequest& x);
  void Account(const IncomingRequestPtr& incoming, net::http::Response& response);
  void Finished(IncomingRequest& incoming, int code, uint64_t response_bytes);

  const ChainConfig config_;
  Draining draining_;
  AuthenticationMetrics authentication_metrics_;
  const AuthenticationFilter authentication_;
  std::optional<AuditFilter> audit_;
  HeldHeadsFilter held_heads_;
  ImpersonationFilter impersonation_;
  const AuthorizationFilter authorization_;
  InFlightFilter in_flight_;
  std::optional<PriorityAndFairnessFilter> priority_and_fairness_;
  RequestMetrics metrics_;
  const Router& router_;
  const base::Clock& clock_;
};

}  // namespace keelson::server
