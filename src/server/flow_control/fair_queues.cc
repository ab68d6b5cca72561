#include "server/flow_control/fair_queues.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "server/flow_control/shuffle_sharding.h"

namespace keelson::server::flow_control {
namespace {

// What a request is thought to take, before it has ended.
constexpr std::chrono::milliseconds kEstimatedDuration{3};

bool IsBefore(SeatSeconds a, SeatSeconds b) { return static_cast<int64_t>(a - b) < 0; }

}  // namespace

void FairQueues::RequestList::Append(Request& request) {
  request.previous = last;
  request.next = nullptr;
  (last ? last->next : first) = &request;
  last = &request;
  ++size;
}

void FairQueues::RequestList::Remove(Request& request) {
  (request.previous ? request.previous->next : first) = request.next;
  (request.next ? request.next->previous : last) = request.previous;
  request.previous = request.next = nullptr;
  --size;
}

FairQueues::FairQueues(const QueuingConfig& config, int seat_limit, Time now) : meter_read_(now) {
  Started nobody;
  Configure(config, seat_limit, now, nobody);
}

void FairQueues::Configure(const QueuingConfig& config, int seat_limit, Time now, Started& started) {
  AdvanceMeter(now);
  config_ = config;
  seat_limit_ = seat_limit;
  if (queues_.size() < static_cast<size_t>(config.queues)) queues_.resize(static_cast<size_t>(config.queues));
  DropExcessQueues();
  with_waiting_.resize((queues_.size() + 63) / 64);
  DispatchAll(now, started);
}

void FairQueues::AdvanceMeter(Time now) {
  const auto passed = now - std::exchange(meter_read_, now);
  if (busy_queues_ == 0) return;
  const int wanted = queued_seats_in_use_ + seats_waiting_;
  const double share = static_cast<double>(std::min(wanted, seat_limit_)) / busy_queues_;
  meter_ += SeatsTimes(share, passed);
}

bool FairQueues::HasSeatsFor(int seats) const {
  // A request that is wider than the limit runs alone.
  if (seats > seat_limit_) return requests_executing_ == 0;
  return seats_in_use_ + seats <= seat_limit_;
}

FairQueues::Arrival FairQueues::Arrive(Request& request, uint64_t hash, Time now, Started& started) {
  AdvanceMeter(now);
  request.arrived = now;
  request.final_work = SeatsTimes(request.work.final_seats, request.work.additional_latency);
  request.total_work = SeatsTimes(request.work.initial_seats, kEstimatedDuration) + request.final_work;
  if (config_.queues == 0) {
    request.beside = !HasSeatsFor(request.work.MaxSeats());
    if (request.beside && !HasSeatBeside(request)) return Arrival::kNoSeats;
    Execute(request, nullptr, now);
    return Arrival::kExecutes;
  }
  Queue& queue = ChooseQueue(hash);
  if (seats_in_use_ >= seat_limit_ && queue.waiting.size >= static_cast<size_t>(config_.queue_length_limit)) {
    Bound(queue);
    return Arrival::kQueueFull;
  }
  Enqueue(request, queue);
  Bound(queue);
  arriving_ = &request;
  DispatchAll(now, started);
  arriving_ = nullptr;
  return request.state == Request::State::kWaiting ? Arrival::kWaits : Arrival::kExecutes;
}

FairQueues::Queue& FairQueues::ChooseQueue(uint64_t hash) {
  std::array<int, kMaxHandSize> cards;
  const auto hand = Deal(hash, config_.queues, config_.hand_size, cards);
  // Not always the same one first, or flows whose hands overlap would meet there.
  const size_t offset = arrivals_++ % hand.size();
  int best = -1;
  SeatSeconds least = 0;
  for (size_t i = 0; i < hand.size(); ++i) {
    const int index = hand[(offset + i) % hand.size()];
    const Queue* const queue = queues_[static_cast<size_t>(index)].get();
    const SeatSeconds work = queue ? queue->waiting_work : 0;
    if (best >= 0 && work >= least) continue;
    best = index;
    least = work;
  }
  return QueueAt(best);
}

FairQueues::Queue& FairQueues::QueueAt(int index) {
  std::unique_ptr<Queue>& queue = queues_[static_cast<size_t>(index)];
  if (!queue) {
    queue = std::make_unique<Queue>();
    queue->index = index;
  }
  return *queue;
}

void FairQueues::Enqueue(Request& request, Queue& queue) {
  if (!queue.busy()) {
    queue.dispatch_mark = meter_;
    ++busy_queues_;
  }
  request.state = Request::State::kWaiting;
  request.queue = &queue;
  request.arrival_r = meter_;
  const int seats = request.work.MaxSeats();
  queue.waiting.Append(request);
  queue.waiting_work += request.total_work;
  queue.waiting_initial_seats += request.work.initial_seats;
  queue.waiting_seats += seats;
  ++requests_waiting_;
  seats_waiting_ += seats;
  SetWaiting(queue, true);
}

// The caller decides what becomes of the request, and whether its queue is still busy.
void FairQueues::RemoveWaiting(Request& request) {
  Queue& queue = *request.queue;
  const int seats = request.work.MaxSeats();
  queue.waiting.Remove(request);
  queue.waiting_work -= request.total_work;
  queue.waiting_initial_seats -= request.work.initial_seats;
  queue.waiting_seats -= seats;
  --requests_waiting_;
  seats_waiting_ -= seats;
  SetWaiting(queue, queue.waiting.size != 0);
  if (unaccommodated_ == &request) unaccommodated_ = nullptr;
}

void FairQueues::Execute(Request& request, Queue* queue, Time now) {
  request.state = Request::State::kExecuting;
  request.started = request.seated = now;
  request.queue = queue;
  const int seats = request.work.MaxSeats();
  ++requests_executing_;
  (request.beside ? seats_beside_ : seats_in_use_) += seats;
  if (!queue) return executing_without_queue_.Append(request);
  queue->executing.Append(request);
  if (request.beside) return;
  queue->seats_in_use += seats;
  queued_seats_in_use_ += seats;
}

void FairQueues::SetWaiting(const Queue& queue, bool waiting) {
  const auto index = static_cast<size_t>(queue.index);
  const uint64_t bit = uint64_t{1} << (index % 64);
  uint64_t& word = with_waiting_[index / 64];
  word = waiting ? word | bit : word & ~bit;
}

// The queue whose oldest request the fluid server would finish first; of several, the one that was served
// longest ago. Null: none has such a request. Requires: something waits.
FairQueues::Queue* FairQueues::FindNext(Among among, DispatchMarks& marks) {
  Queue* best = nullptr;
  SeatSeconds best_finish = 0;
  const auto consider = [&](Queue& queue) {
    if (among == Among::kOneSeat && queue.waiting.first->work.MaxSeats() != 1) return;
    const SeatSeconds mark = queue.dispatch_mark;
    const SeatSeconds discounted = mark - SeatsTimes(queue.seats_in_use, kEstimatedDuration);
    if (!best) {
      marks.least = marks.greatest = mark;
      marks.least_discounted = marks.greatest_discounted = discounted;
    }
    if (IsBefore(mark, marks.least)) marks.least = mark;
    if (IsBefore(marks.greatest, mark)) marks.greatest = mark;
    if (IsBefore(discounted, marks.least_discounted)) marks.least_discounted = discounted;
    if (IsBefore(marks.greatest_discounted, discounted)) marks.greatest_discounted = discounted;
    const SeatSeconds finish = mark + queue.waiting.first->total_work;
    if (best && !IsBefore(finish, best_finish)) return;
    best = &queue;
    best_finish = finish;
  };
  // All queues once, from the one behind the last served to that one.
  const size_t words = with_waiting_.size();
  const auto first = (static_cast<size_t>(last_served_) + 1) % queues_.size();
  for (size_t i = 0; i <= words; ++i) {
    const size_t at = (first / 64 + i) % words;
    const uint64_t from_first = ~uint64_t{0} << (first % 64);
    const uint64_t mask = i == 0 ? from_first : i == words ? ~from_first : ~uint64_t{0};
    for (uint64_t bits = with_waiting_[at] & mask; bits != 0; bits &= bits - 1)
      consider(*queues_[at * 64 + static_cast<size_t>(std::countr_zero(bits))]);
  }
  marks.meter = meter_;
  if (best) marks.mark = best->dispatch_mark;
  return best;
}

bool FairQueues::DispatchOne(Time now, Started& started) {
  DispatchMarks marks;
  Queue& queue = *FindNext(Among::kAll, marks);
  Request& request = *queue.waiting.first;
  if (!HasSeatsFor(request.work.MaxSeats())) {
    unaccommodated_ = &request;
    return false;
  }
  last_served_ = queue.index;
  last_dispatch_ = marks;
  Dispatch(queue, now, started);
  return true;
}

// Who is next among those of one seat, on a seat that a request keeps while its answer is sent.
bool FairQueues::DispatchBeside(Time now, Started& started) {
  DispatchMarks marks;
  Queue* const queue = FindNext(Among::kOneSeat, marks);
  if (!queue) return false;
  queue->waiting.first->beside = true;
  Dispatch(*queue, now, started);
  return true;
}

// The oldest of those that wait in the queue executes.
void FairQueues::Dispatch(Queue& queue, Time now, Started& started) {
  Request& request = *queue.waiting.first;
  RemoveWaiting(request);
  // Seats that stay taken afterwards: fewer for longer, where the limit does not allow as many.
  if (request.work.final_seats > seat_limit_) {
    request.work.final_seats = seat_limit_;
    request.work.additional_latency = DurationPerSeat(request.final_work, seat_limit_);
  }
  Execute(request, &queue, now);
  queue.dispatch_mark += request.total_work;
  Bound(queue);
  if (&request != arriving_) started.push_back(&request);
}

void FairQueues::DispatchAll(Time now, Started& started) {
  while (requests_waiting_ != 0 && seats_in_use_ < seat_limit_ && DispatchOne(now, started)) {
  }
  while (requests_waiting_ != 0 && seats_beside_ < sending_seats_ && DispatchBeside(now, started)) {
  }
}

void FairQueues::Sends(Request& request, Time now, Started& started) {
  if (request.work.MaxSeats() <= 1 || std::exchange(request.sends, true)) return;
  AdvanceMeter(now);
  sending_seats_ += request.work.MaxSeats();
  DispatchAll(now, started);
}

void FairQueues::Bound(Queue& queue) const {
  const Request* const oldest = queue.waiting.first;
  if (oldest && IsBefore(queue.dispatch_mark, oldest->arrival_r)) queue.dispatch_mark = oldest->arrival_r;
}

void FairQueues::Leave(Request& request, Time now, Started& started) {
  AdvanceMeter(now);
  Queue& queue = *request.queue;
  RemoveWaiting(request);
  request.state = Request::State::kOutside;
  Bound(queue);
  if (!queue.busy()) --busy_queues_;
  DropExcessQueues();
  // It may have been the one that all others waited for, as wide as it was.
  DispatchAll(now, started);
}

// The request does not execute any more; its seats are still taken.
void FairQueues::Unseat(Request& request, Time now) {
  AdvanceMeter(now);
  --requests_executing_;
  if (std::exchange(request.sends, false)) sending_seats_ -= request.work.MaxSeats();
  Queue* const queue = request.queue;
  if (!queue) return executing_without_queue_.Remove(request);
  queue->executing.Remove(request);
  queue->dispatch_mark -= SeatsTimes(request.work.initial_seats, kEstimatedDuration - (now - request.seated));
  Bound(*queue);
  if (!queue->busy()) --busy_queues_;
}

std::optional<FairQueues::Lingering> FairQueues::Finish(Request& request, Time now, Started& started) {
  Unseat(request, now);
  request.state = Request::State::kOutside;
  const Lingering seats{request.queue, request.work.MaxSeats(), request.work.additional_latency,
                        std::exchange(request.beside, false)};
  if (seats.duration > std::chrono::nanoseconds(0)) {
    DispatchAll(now, started);
    return seats;
  }
  Release(seats, now, started);
  return std::nullopt;
}

void FairQueues::Release(const Lingering& lingering, Time now, Started& started) {
  AdvanceMeter(now);
  (lingering.beside ? seats_beside_ : seats_in_use_) -= lingering.seats;
  // The queue of who was beside may be gone.
  if (lingering.queue && !lingering.beside) {
    lingering.queue->seats_in_use -= lingering.seats;
    queued_seats_in_use_ -= lingering.seats;
  }
  DropExcessQueues();
  DispatchAll(now, started);
}

void FairQueues::StepOut(Request& request, Time now, Started& started) {
  Unseat(request, now);
  request.state = Request::State::kAway;
  away_.Append(request);
  Queue* const queue = std::exchange(request.queue, nullptr);  // which may go meanwhile
  request.away_from = queue ? queue->index : kNoQueue;
  Release({queue, request.work.MaxSeats(), {}, std::exchange(request.beside, false)}, now, started);
}

void FairQueues::StepIn(Request& request, Time now) {
  AdvanceMeter(now);
  away_.Remove(request);
  Queue* const queue = request.away_from != kNoQueue && request.away_from < config_.queues
                           ? &QueueAt(request.away_from)
                           : nullptr;
  if (queue) {
    if (!queue->busy()) {
      queue->dispatch_mark = meter_;
      ++busy_queues_;
    }
    queue->dispatch_mark += SeatsTimes(request.work.initial_seats, kEstimatedDuration);
  }
  const Time started = request.started;
  Execute(request, queue, now);
  request.started = started;
}

void FairQueues::DropExcessQueues() {
  while (queues_.size() > static_cast<size_t>(config_.queues)) {
    const Queue* const last = queues_.back().get();
    if (last && (last->busy() || last->seats_in_use != 0)) return;
    queues_.pop_back();
  }
  if (static_cast<size_t>(last_served_) >= queues_.size()) last_served_ = 0;
}

}  // namespace keelson::server::flow_control
