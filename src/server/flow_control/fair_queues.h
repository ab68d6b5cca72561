// FairQueues: which request of a priority level runs next.
//
// Requests wait in queues, and each queue that has something to do gets the same share of the seats. A fluid
// server would give every queue its share at every moment; here a request gets all its seats or none, so the
// server runs what the fluid one would finish first.
//
// The meter R tells how much work the fluid server has done for each busy queue: it advances by
// min(seats wanted, seats there are) / busy queues in a second. Each queue has a dispatch mark, the reading
// of R at which the fluid server begins its next request. A request that runs moves its queue's mark on by
// its estimated work; when it ends, the mark is corrected by what the estimate was wrong. Nothing is
// dispatched in the fluid world before it has arrived: the mark is never behind the R at which the oldest
// waiting request came.
//
// Example: one seat, estimates of 3 ms. At R = 0 three requests arrive for queue A and one for queue B. A's
// first runs at once: A's mark is 3 ms, B's 0. It takes 10 ms, the seat is wanted all the time, two queues
// share it: R is 5 ms, A's mark 3 + (10 - 3) = 10 ms. Now A's next would finish at 10 + 3 = 13 ms, B's at 0 +
// 3 = 3 ms: B runs, although two of A came before.
//
// A queue is chosen by shuffle sharding: of the flow's hand, the one with the least work waiting.
//
// A list of many seats whose answer is being sent needs little of the server at any moment, but has its seats
// until the last byte is out. Requests of one seat need not wait for that: they execute beside it, as many as
// it has seats. What has more seats waits as if they were not there.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "server/flow_control/seat_seconds.h"
#include "server/flow_control/work_estimate.h"

namespace keelson::server::flow_control {

struct QueuingConfig {
  int queues = 0;  // 0: nobody waits
  int hand_size = 1;
  int queue_length_limit = 1;
};

// Threads: one at a time. Time does not go backwards from call to call.
class FairQueues {
 public:
  using Time = base::Clock::SteadyTime;
  struct Queue;
  static constexpr int kNoQueue = -1;

  // What the queues know of a request, a part of its owner's. It stays where it is from Arrive to the end:
  // kQueueFull and kNoSeats, Leave or Finish.
  struct Request {
    enum class State : uint8_t { kOutside, kWaiting, kExecuting, kAway };
    State state = State::kOutside;
    WorkEstimate work;
    Time arrived{}, started{};

   private:
    friend class FairQueues;
    SeatSeconds total_work = 0, final_work = 0;
    SeatSeconds arrival_r = 0;
    Time seated{};           // since when it has its seats
    Queue* queue = nullptr;  // null: it did not wait
    int away_from = kNoQueue;
    bool sends = false, beside = false;  // see Sends, DispatchBeside
    Request *previous = nullptr, *next = nullptr;
  };

  // Requests in the order they came.
  struct RequestList {
    Request *first = nullptr, *last = nullptr;
    size_t size = 0;
    void Append(Request& request);
    void Remove(Request& request);
    static Request* Next(const Request& request) { return request.next; }
  };

  struct Queue {
    int index = 0;
    RequestList waiting, executing;
    SeatSeconds dispatch_mark = 0;
    SeatSeconds waiting_work = 0;
    int waiting_initial_seats = 0, waiting_seats = 0;  // of those that wait
    int seats_in_use = 0;

    bool busy() const { return waiting.size != 0 || executing.size != 0; }
  };

  // Requests that wait no longer and execute from now on.
  using Started = std::vector<Request*>;

  FairQueues(const QueuingConfig& config, int seat_limit, Time now);
  FairQueues(const FairQueues&) = delete;
  FairQueues& operator=(const FairQueues&) = delete;

  // Queues beyond the new number take nothing new and go when they are done.
  void Configure(const QueuingConfig& config, int seat_limit, Time now, Started& started);

  enum class Arrival : uint8_t { kExecutes, kWaits, kQueueFull, kNoSeats };
  // `hash` is the flow's; `request.work` is set. `started`: others.
  Arrival Arrive(Request& request, uint64_t hash, Time now, Started& started);

  // The request waits no longer. Requires: it waits.
  void Leave(Request& request, Time now, Started& started);

  // Seats that stay taken after their request has ended, for what it still causes.
  struct Lingering {
    Queue* queue;
    int seats;
    std::chrono::nanoseconds duration;
    bool beside = false;
  };
  // The request has ended. What it gives is to be given to Release after that time. Requires: it executes.
  std::optional<Lingering> Finish(Request& request, Time now, Started& started);
  void Release(const Lingering& lingering, Time now, Started& started);

  // The answer of the request is being sent from now on. Requires: it executes.
  void Sends(Request& request, Time now, Started& started);

  // The request needs no seats for a while: others get them, and the time is not its queue's. Requires: it
  // executes.
  void StepOut(Request& request, Time now, Started& started);
  // It takes its seats again at once, also where all are taken; who waits has to wait for one more then.
  // Requires: it has stepped out.
  void StepIn(Request& request, Time now);

  int requests_waiting() const { return requests_waiting_; }
  int requests_executing() const { return requests_executing_; }
  int seats_in_use() const { return seats_in_use_; }
  int seats_beside() const { return seats_beside_; }  // not among those in use
  int seats_waiting() const { return seats_waiting_; }
  int seat_limit() const { return seat_limit_; }
  bool idle() const { return requests_waiting_ == 0 && requests_executing_ == 0 && away_.size == 0; }
  const QueuingConfig& config() const { return config_; }
  // Null: nothing has ever come to that one.
  const std::vector<std::unique_ptr<Queue>>& queues() const { return queues_; }
  const RequestList& executing_without_queue() const { return executing_without_queue_; }
  // Those that have stepped out. They are not among those that execute.
  const RequestList& away() const { return away_; }
  SeatSeconds meter() const { return meter_; }
  // Requires: it waits.
  static size_t LengthOfQueueOf(const Request& request) { return request.queue->waiting.size; }

  // The last dispatch from a queue: marks of the queue, and of all that had something waiting, at the time;
  // discounted by the estimate of what they have under way.
  struct DispatchMarks {
    SeatSeconds meter = 0, mark = 0, least = 0, greatest = 0, least_discounted = 0, greatest_discounted = 0;
  };
  const DispatchMarks& last_dispatch() const { return last_dispatch_; }
  // The request that was next, and for which there were too few seats, since this was last asked. It still
  // waits. Null: there was none, or it waits no longer.
  const Request* TakeUnaccommodated() { return std::exchange(unaccommodated_, nullptr); }

 private:
  void AdvanceMeter(Time now);
  bool HasSeatsFor(int seats) const;
  Queue& ChooseQueue(uint64_t hash);
  Queue& QueueAt(int index);
  void Enqueue(Request& request, Queue& queue);
  void RemoveWaiting(Request& request);
  bool HasSeatBeside(const Request& request) const {
    return request.work.MaxSeats() == 1 && seats_beside_ < sending_seats_;
  }
  void Execute(Request& request, Queue* queue, Time now);
  void Unseat(Request& request, Time now);
  enum class Among : bool { kAll, kOneSeat };
  Queue* FindNext(Among among, DispatchMarks& marks);
  void DispatchAll(Time now, Started& started);
  bool DispatchOne(Time now, Started& started);
  bool DispatchBeside(Time now, Started& started);
  void Dispatch(Queue& queue, Time now, Started& started);
  void Bound(Queue& queue) const;
  void SetWaiting(const Queue& queue, bool waiting);
  void DropExcessQueues();

  QueuingConfig config_;
  int seat_limit_ = 0;
  std::vector<std::unique_ptr<Queue>> queues_;  // may be more than config_ says, while the rest is busy
  std::vector<uint64_t> with_waiting_;          // a bit for each queue
  RequestList executing_without_queue_, away_;
  SeatSeconds meter_ = 0;
  Time meter_read_;
  int last_served_ = 0;  // queue
  uint64_t arrivals_ = 0;
  int busy_queues_ = 0, queued_seats_in_use_ = 0;  // of queues_
  int requests_waiting_ = 0, requests_executing_ = 0, seats_in_use_ = 0, seats_waiting_ = 0;
  int sending_seats_ = 0, seats_beside_ = 0;  // the first are in use, too
  DispatchMarks last_dispatch_;
  const Request* arriving_ = nullptr;  // who starts at once is not told
  const Request* unaccommodated_ = nullptr;
};

}  // namespace keelson::server::flow_control
