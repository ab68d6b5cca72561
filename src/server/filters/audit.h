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

  // The request has a user: makes its event, where the policy wants one. An answer: the event could not be
  // kept, and without it nothing may be served.
  base::Task<std::optional<net::http::Response>> Received(IncomingRequest& incoming) const;
  // The request was refused before it had a user.
  base::Task<void> Refused(IncomingRequest& incoming, const net::http::Response& response) const;
  // There is an answer. What must be kept before it may be sent is kept when the task ends. An answer that
  // goes on for longer is told of again when it is through.
  base::Task<void> Answered(IncomingRequestPtr incoming, net::http::Response& response) const;

 private:
  std::unique_ptr<audit::Event> MakeEvent(const IncomingRequest& incoming) const;
  void Complete(const IncomingRequest& incoming) const;

  audit::Auditor& auditor_;
  const base::Clock& clock_;
};

}  // namespace keelson::server
