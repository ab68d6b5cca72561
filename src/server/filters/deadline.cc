#include "server/filters/deadline.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/go_duration.h"
#include "base/handoff.h"
#include "base/intrusive_ptr.h"
#include "net/http/url.h"

namespace keelson::server {
namespace {

// One wait: the work and the clock race for it. Everything happens on one loop.
struct Race final : base::RefCounted<Race> {
  std::optional<net::http::Response> answer;
  std::coroutine_handle<> waiter = nullptr;
  enum class State : uint8_t { kRunning, kAnswered, kExpired } state = State::kRunning;
  base::Clock::SteadyTime deadline;
  const base::Clock* clock = nullptr;
  BodyWithDeadline* body = nullptr;  // valid while the work runs
  bool late = false;                 // past its deadline, and not yet given up
};
using RacePtr = base::IntrusivePtr<Race>;

// The races of one loop that are not decided yet.
struct Pending {
  std::vector<RacePtr> races;
  base::Executor* ticking_on = nullptr;
};

Pending& PendingHere() { return base::LoopLocal<Pending>::Here(); }

void Tick() {
  Pending& pending = PendingHere();
  std::vector<RacePtr> expired;
  std::erase_if(pending.races, [&](const RacePtr& race) {
    if (race->state != Race::State::kRunning) return true;
    if (race->clock->SteadyNow() < race->deadline) return false;
    race->late = true;
    race->body->Expire();
    if (race->body->reading()) return false;
    race->state = Race::State::kExpired;
    expired.push_back(race);
    return true;
  });
  if (pending.races.empty()) {
    pending.ticking_on = nullptr;
  } else {
    base::Executor::Current()->PostAfter(kTick, Tick);
  }
  for (const RacePtr& race : expired) std::exchange(race->waiter, nullptr).resume();
}

void Enter(RacePtr race, base::Executor& loop) {
  Pending& pending = PendingHere();
  pending.races.push_back(std::move(race));
  if (pending.ticking_on == &loop) return;
  pending.ticking_on = &loop;
  loop.PostAfter(kTick, Tick);
}

base::Task<void> Run(RacePtr race, base::Task<net::http::Response> work) {
  net::http::Response response = co_await std::move(work);
  if (race->state == Race::State::kExpired) co_return;
  race->state = Race::State::kAnswered;
  if (!race->late) race->answer.emplace(std::move(response));
  if (race->waiter) std::exchange(race->waiter, nullptr).resume();
}

struct Decided {
  Race& race;
  bool await_ready() const noexcept { return race.state != Race::State::kRunning; }
  void await_suspend(std::coroutine_handle<> h) noexcept { race.waiter = h; }
  void await_resume() const noexcept {}
};

}  // namespace

base::Result<std::chrono::nanoseconds, api::Status> RequestTimeout(std::string_view query,
                                                                   std::chrono::nanoseconds maximum) {
  if (query.find("timeout") == std::string_view::npos) return maximum;
  const auto parameters = net::http::Query::Parse(query);
  const auto asked = parameters.Get("timeout");
  if (!asked || asked->empty()) return maximum;
  const auto timeout = base::ParseGoDuration(*asked);
  if (!timeout)
    return base::Err(api::BadRequest("invalid timeout specified in the request URL - " + timeout.error()));
  return *timeout > std::chrono::nanoseconds(0) ? std::min(*timeout, maximum) : maximum;
}

base::Clock::SteadyTime WorkDeadline(std::string_view verb, base::Clock::SteadyTime deadline,
                                     base::Clock::SteadyTime now) {
  constexpr std::chrono::seconds kLongestWrite{34};
  const bool writes_one = verb == "create" || verb == "update" || verb == "patch" || verb == "delete";
  return writes_one ? std::min(deadline, now + kLongestWrite) : deadline;
}

base::Task<std::optional<net::http::Response>> WithDeadline(base::Task<net::http::Response> work,
                                                            BodyWithDeadline& body,
                                                            base::Clock::SteadyTime deadline,
                                                            const base::Clock& clock) {
  base::Executor* const loop = base::Executor::Current();
  if (!loop) {
    net::http::Response response = co_await std::move(work);
    co_return std::optional<net::http::Response>(std::move(response));
  }
  RacePtr race(new Race);
  race->deadline = deadline;
  race->clock = &clock;
  race->body = &body;
  base::Spawn(Run(race, std::move(work)));
  if (race->state == Race::State::kRunning) {
    Enter(race, *loop);
    co_await Decided{*race};
  }
  co_return std::move(race->answer);
}

}  // namespace keelson::server
