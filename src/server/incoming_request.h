// IncomingRequest: one request on its way through the chain, with what the filters found out.
//
// Threads: belongs to the loop of its connection. It is shared by whatever still works on
// the request: the chain, a handler that outlived its deadline, the response's body.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "audit/event.h"
#include "auth/remarks.h"
#include "auth/user.h"
#include "base/clock.h"
#include "base/intrusive_ptr.h"
#include "base/number_times.h"
#include "base/occupancy.h"
#include "base/request_notes.h"
#include "base/trace.h"
#include "endpoints/request_info.h"
#include "net/http/message.h"
#include "server/body_with_deadline.h"
#include "server/flow_control/flow_control.h"

namespace keelson::server {

// A share of a counter, given back when it goes.
class CountedSlot {
 public:
  CountedSlot() = default;
  explicit CountedSlot(std::atomic<int64_t>& counter) : counter_(&counter) {}
  CountedSlot(CountedSlot&& o) noexcept : counter_(std::exchange(o.counter_, nullptr)) {}
  CountedSlot& operator=(CountedSlot&& o) noexcept {
    std::swap(counter_, o.counter_);
    return *this;
  }
  ~CountedSlot() {
    if (counter_) counter_->fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<int64_t>* counter_ = nullptr;
};

// The same of a number whose times are counted: see base::SharedNumberTimes.
class TimedSlot {
 public:
  TimedSlot() = default;
  // One has been added to `number`. Borrows both.
  TimedSlot(base::SharedNumberTimes& number, const base::Clock& clock) : number_(&number), clock_(&clock) {}
  TimedSlot(TimedSlot&& o) noexcept : number_(std::exchange(o.number_, nullptr)), clock_(o.clock_) {}
  TimedSlot& operator=(TimedSlot&& o) noexcept {
    std::swap(number_, o.number_);
    std::swap(clock_, o.clock_);
    return *this;
  }
  ~TimedSlot() {
    if (number_) GiveBack(clock_->SteadyNow());
  }
  // For who knows the time.
  void GiveBack(base::Clock::SteadyTime now) {
    if (number_) std::exchange(number_, nullptr)->Add(-1, now);
  }

 private:
  base::SharedNumberTimes* number_ = nullptr;
  const base::Clock* clock_ = nullptr;
};

struct IncomingRequest;

// What the log tells of the head where every request has a line; within bounds.
struct LoggedHead {
  explicit LoggedHead(const IncomingRequest& incoming);
  std::string uri;  // with those parameters that cannot carry secrets
  std::string user_agent;
};

// Its occupancy are its seats of flow control.
struct IncomingRequest final : base::RefCounted<IncomingRequest>, base::Occupancy {
  // Takes the request over, so that a handler past its deadline still has it. What the
  // connection looks at again stays in `r`: the method and whether the client expects a
  // word before it sends its body.
  IncomingRequest(net::http::Request& r, base::Clock::SteadyTime now)
      : request(std::move(r)), body(request.body), received(now) {
    request.body = &body;
    // NOLINTBEGIN(bugprone-use-after-move): what the connection needs is put back.
    r.method = request.method;
    r.headers = {};
    if (const auto expect = request.headers.Get("expect")) r.headers.Add("expect", *expect);
    // NOLINTEND(bugprone-use-after-move)
  }

  // Lets go of the request's head but for what metrics and the log tell of it at the end: an answer may go
  // on for hours, and a head be a megabyte. Requires: nobody works on the request any more.
  void ShedHead();

  net::http::Request request;
  BodyWithDeadline body;
  const base::Clock::SteadyTime received;

  // Each is set by the filter of that name and read by those after it.
  std::string audit_id;
  endpoints::RequestInfo info;
  bool long_running = false;
  std::optional<std::chrono::nanoseconds>
      timeout;                             // nullopt: it is long-running, or takes as long as it takes
  auth::UserPtr user;                      // null until authenticated
  std::unique_ptr<auth::Remarks> remarks;  // of its credential; null: there are none
  std::unique_ptr<audit::Event> audit;     // null: the request is not audited
  base::RequestNotes notes;
  std::unique_ptr<const LoggedHead> logged_head;  // of a head that is gone; null: nobody will ask
  std::unique_ptr<base::Trace> trace;             // null: requests are not traced
  base::Span* server_span = nullptr;  // the request's own, a part of `trace`; null: it is not recorded
  bool served = false;                // the handler has answered; false when it was given up
  // What a large head counts for its user; goes with the head, or with the audit event where that has much of
  // it.
  std::shared_ptr<void> held_head;
  // Both are held until nothing works on the request any more; a watch gives its seats back when it is
  // initialised.
  TimedSlot in_flight;
  std::unique_ptr<flow_control::Ticket> ticket;  // null without flow control; borrows info and user
  flow_control::WatchCounter::Counted counted_watch;
  // Set by who answers: what is wrong has been logged, or is as it should be, such as a store that is being
  // loaded; a failure needs no line for each request.
  bool failure_is_told = false;

  std::string_view accept() const { return request.headers.Get("accept").value_or(std::string_view()); }

 private:
  void Vacate() override {
    if (ticket) ticket->StepOut();
  }
  void Reoccupy() override {
    if (ticket) ticket->StepIn();
  }
};
using IncomingRequestPtr = base::IntrusivePtr<IncomingRequest>;

}  // namespace keelson::server
