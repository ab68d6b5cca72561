// AuditFilter: tells the auditor of a request at its stages.
//
// Threads: any loop. Borrows the auditor.
#pragma once

#include <optional>

#include "audit/auditor.h"
#include "base/clock.h"
#include "base/task.h"
#include "net/http/message.h"
#include "server/incoming_request.h"

namespace keelson::server {

class AuditFilter {
 public:
  AuditFilter(audit::Auditor& auditor, const base::Clock& clock) : auditor_(auditor), clock_(clock) {}

  // The request has a user: makes its event, where the policy wants one.
  void Received(IncomingRequest& incoming) const;
  // Whether requests wait until that event is kept.
  bool strict() const { return auditor_.strict(); }
  // An answer: the event could not be kept, and without it nothing may be served. Requires: strict.
  base::Task<std::optional<net::http::Response>> Kept(IncomingRequest& incoming) const;
  // The request was refused before it had a user.
  base::Task<void> Refused(IncomingRequest& incoming, const net::http::Response& response) const;
  // There is an answer, which may be sent when what the event owes is settled. One that goes on for longer is
  // told of again when it is through.
  void Answered(const IncomingRequestPtr& incoming, net::http::Response& response) const;

 private:
  std::unique_ptr<audit::Event> MakeEvent(const IncomingRequest& incoming) const;
  void Complete(const IncomingRequest& incoming) const;

  audit::Auditor& auditor_;
  const base::Clock& clock_;
};

}  // namespace keelson::server
