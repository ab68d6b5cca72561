#include "server/flow_control/fair_queues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "server/flow_control/shuffle_sharding.h"

namespace keelson::server::flow_control {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using Arrival = FairQueues::Arrival;
using State = FairQueues::Request::State;

std::vector<int> Hand(uint64_t hash, int deck, int hand) {
  std::array<int, kMaxHandSize> cards;
  const auto dealt = Deal(hash, deck, hand, cards);
  return {dealt.begin(), dealt.end()};
}

// The hands that k8s.io/apiserver v0.36.4 deals.
TEST(ShuffleShardingTest, HandsAreUpstreams) {
  EXPECT_THAT(Hand(100, 8, 3), ElementsAre(4, 6, 1));
  EXPECT_THAT(Hand(12345678901234567u, 128, 6), ElementsAre(7, 14, 94, 102, 22, 65));
  EXPECT_THAT(Hand(0xfedcba9876543210u, 64, 8), ElementsAre(16, 57, 6, 29, 22, 30, 59, 8));
  EXPECT_THAT(Hand(0xffffffffffffffffu, 15, 15),
              ElementsAre(0, 2, 1, 3, 4, 5, 11, 8, 6, 7, 12, 10, 13, 9, 14));
}

class FairQueuesTest : public ::testing::Test {
 protected:
  using Started = FairQueues::Started;

  FairQueues::Request& New(WorkEstimate work = {}) {
    FairQueues::Request& request = requests_.emplace_back();
    request.work = work;
    return request;
  }
  Arrival Arrive(FairQueues& queues, FairQueues::Request& request, uint64_t hash = 0) {
    Started started;
    return queues.Arrive(request, hash, clock_.SteadyNow(), started);
  }
  Started Finish(FairQueues& queues, FairQueues::Request& request) {
    Started started;
    EXPECT_FALSE(queues.Finish(request, clock_.SteadyNow(), started));
    return started;
  }

  base::FakeClock clock_;
  std::deque<FairQueues::Request> requests_;
};

// Hashes 0 and 1 are dealt queues 0 and 1.
TEST_F(FairQueuesTest, TheExampleOfTheHeader) {
  FairQueues queues({.queues = 2, .hand_size = 1, .queue_length_limit = 10}, 1, clock_.SteadyNow());
  auto &a1 = New(), &a2 = New(), &a3 = New(), &b = New();
  EXPECT_EQ(Arrive(queues, a1, 0), Arrival::kExecutes);
  EXPECT_EQ(Arrive(queues, a2, 0), Arrival::kWaits);
  EXPECT_EQ(Arrive(queues, a3, 0), Arrival::kWaits);
  EXPECT_EQ(Arrive(queues, b, 1), Arrival::kWaits);
  clock_.Advance(10ms);
  EXPECT_THAT(Finish(queues, a1), ElementsAre(&b));
  EXPECT_EQ(queues.meter(), SeatsTimes(1, 5ms));
  EXPECT_EQ(queues.queues()[0]->dispatch_mark, SeatsTimes(1, 10ms));
  EXPECT_THAT(Finish(queues, b), ElementsAre(&a2));
  EXPECT_THAT(Finish(queues, a2), ElementsAre(&a3));
  EXPECT_THAT(Finish(queues, a3), ElementsAre());
  EXPECT_TRUE(queues.idle());
}

TEST_F(FairQueuesTest, AFloodInOneQueueGetsHalfOfTheSeatsWhenTwoAreBusy) {
  FairQueues queues({.queues = 2, .hand_size = 1, .queue_length_limit = 1000}, 4, clock_.SteadyNow());
  std::vector<FairQueues::Request*> running;
  int of_flood = 0, of_other = 0;
  for (int i = 0; i < 300; ++i)
    if (auto& request = New(); Arrive(queues, request, 0) == Arrival::kExecutes) running.push_back(&request);
  const size_t flood = requests_.size();
  for (int i = 0; i < 100; ++i) Arrive(queues, New(), 1);
  for (int i = 0; i < 160; ++i) {
    clock_.Advance(1ms);
    FairQueues::Request* const done = running.front();
    running.erase(running.begin());
    for (auto* const started : Finish(queues, *done)) {
      running.push_back(started);
      const auto is_it = [&](const FairQueues::Request& r) { return &r == started; };
      const auto at = static_cast<size_t>(std::ranges::find_if(requests_, is_it) - requests_.begin());
      ++(at < flood ? of_flood : of_other);
    }
  }
  EXPECT_EQ(of_flood + of_other, 160);
  EXPECT_NEAR(of_other, 80, 4);
}

TEST_F(FairQueuesTest, AFullQueueRefusesOnlyWhenNoSeatIsFree) {
  FairQueues queues({.queues = 1, .hand_size = 1, .queue_length_limit = 1}, 1, clock_.SteadyNow());
  auto &a = New(), &b = New(), &c = New();
  EXPECT_EQ(Arrive(queues, a), Arrival::kExecutes);
  EXPECT_EQ(Arrive(queues, b), Arrival::kWaits);
  EXPECT_EQ(Arrive(queues, c), Arrival::kQueueFull);
  EXPECT_EQ(c.state, State::kOutside);
}

TEST_F(FairQueuesTest, TheTimeThatARequestIsAwayIsNotItsQueues) {
  FairQueues queues({.queues = 2, .hand_size = 1, .queue_length_limit = 10}, 1, clock_.SteadyNow());
  auto &a1 = New(), &a2 = New(), &b = New();
  EXPECT_EQ(Arrive(queues, a1, 0), Arrival::kExecutes);
  EXPECT_EQ(Arrive(queues, b, 1), Arrival::kWaits);
  EXPECT_EQ(Arrive(queues, a2, 0), Arrival::kWaits);
  const auto came = a1.started;
  clock_.Advance(1ms);
  Started started;
  queues.StepOut(a1, clock_.SteadyNow(), started);
  EXPECT_THAT(started, ElementsAre(&b)) << "the seat is b's";
  EXPECT_EQ(queues.queues()[0]->dispatch_mark, SeatsTimes(1, 1ms)) << "what it has taken, not the estimate";
  EXPECT_FALSE(queues.idle());

  clock_.Advance(10s);
  queues.StepIn(a1, clock_.SteadyNow());
  EXPECT_EQ(queues.seats_in_use(), 2) << "more than there are, for a moment";
  EXPECT_EQ(a1.started, came);
  EXPECT_THAT(Finish(queues, b), ElementsAre()) << "the seat is a1's";
  clock_.Advance(2ms);
  EXPECT_THAT(Finish(queues, a1), ElementsAre(&a2));
  EXPECT_EQ(queues.queues()[0]->dispatch_mark, SeatsTimes(1, 1ms + 2ms + 3ms)) << "with the estimate of a2";
  EXPECT_THAT(Finish(queues, a2), ElementsAre());
  EXPECT_TRUE(queues.idle());
}

TEST_F(FairQueuesTest, TheQueueOfARequestThatIsAwayMayGo) {
  FairQueues queues({.queues = 4, .hand_size = 1, .queue_length_limit = 9}, 1, clock_.SteadyNow());
  auto &a = New(), &b = New();
  Arrive(queues, a, 3);
  Started started;
  queues.StepOut(a, clock_.SteadyNow(), started);
  Arrive(queues, b, 3);
  queues.StepOut(b, clock_.SteadyNow(), started);
  queues.Configure({.queues = 1, .hand_size = 1, .queue_length_limit = 9}, 1, clock_.SteadyNow(), started);
  EXPECT_EQ(queues.queues().size(), 1u);
  queues.StepIn(a, clock_.SteadyNow());
  EXPECT_EQ(queues.executing_without_queue().size, 1u);
  EXPECT_THAT(Finish(queues, a), ElementsAre());
  queues.Configure({.queues = 4, .hand_size = 1, .queue_length_limit = 9}, 1, clock_.SteadyNow(), started);
  queues.StepIn(b, clock_.SteadyNow());
  EXPECT_EQ(queues.queues()[3]->executing.size, 1u) << "a queue of that number is there again";
  EXPECT_THAT(Finish(queues, b), ElementsAre());
  EXPECT_TRUE(queues.idle());
  EXPECT_EQ(queues.seats_in_use(), 0);
}

TEST_F(FairQueuesTest, OneSeatIsFoundBesideAListThatIsBeingSent) {
  FairQueues queues({.queues = 2, .hand_size = 1, .queue_length_limit = 10}, 8, clock_.SteadyNow());
  auto &list = New({.initial_seats = 8}), &next_list = New({.initial_seats = 8}), &small = New();
  EXPECT_EQ(Arrive(queues, list, 0), Arrival::kExecutes);
  EXPECT_EQ(Arrive(queues, next_list, 0), Arrival::kWaits);
  EXPECT_EQ(Arrive(queues, small, 1), Arrival::kWaits);
  Started started;
  queues.Sends(list, clock_.SteadyNow(), started);
  EXPECT_THAT(started, ElementsAre(&small));
  EXPECT_EQ(queues.seats_in_use(), 8);

  std::vector<FairQueues::Request*> beside = {&small};
  while (beside.size() < 8) {
    beside.push_back(&New());
    EXPECT_EQ(Arrive(queues, *beside.back(), 1), Arrival::kExecutes);
  }
  auto& last = New();
  EXPECT_EQ(Arrive(queues, last, 1), Arrival::kWaits);  // as many as the list has seats
  EXPECT_THAT(Finish(queues, *beside.back()), ElementsAre(&last));
  beside.back() = &last;

  // They keep no list from its seats, and one that is not being sent yet has none beside it.
  EXPECT_THAT(Finish(queues, list), ElementsAre(&next_list));
  EXPECT_THAT(Finish(queues, *beside.back()), ElementsAre());
  beside.pop_back();
  auto& later = New();
  EXPECT_EQ(Arrive(queues, later, 1), Arrival::kWaits);
  started.clear();
  queues.Sends(next_list, clock_.SteadyNow(), started);
  EXPECT_THAT(started, ElementsAre(&later));

  // Who comes back to its seats has seats like any other.
  started.clear();
  queues.StepOut(later, clock_.SteadyNow(), started);
  EXPECT_EQ(queues.seats_beside(), 7);
  queues.StepIn(later, clock_.SteadyNow());
  EXPECT_EQ(queues.seats_beside(), 7);
  EXPECT_EQ(queues.seats_in_use(), 9);
  for (FairQueues::Request* request : beside) Finish(queues, *request);
  Finish(queues, later);
  Finish(queues, next_list);
  EXPECT_EQ(queues.seats_beside(), 0);
  EXPECT_EQ(queues.seats_in_use(), 0);
  EXPECT_TRUE(queues.idle());
}

TEST_F(FairQueuesTest, WithoutQueuesTooOneSeatIsFoundBesideAListThatIsBeingSent) {
  FairQueues queues({}, 4, clock_.SteadyNow());
  auto &list = New({.initial_seats = 4}), &early = New(), &small = New(),
       &other_list = New({.initial_seats = 2});
  EXPECT_EQ(Arrive(queues, list), Arrival::kExecutes);
  EXPECT_EQ(Arrive(queues, early), Arrival::kNoSeats);
  Started started;
  queues.Sends(list, clock_.SteadyNow(), started);
  EXPECT_EQ(Arrive(queues, small), Arrival::kExecutes);
  EXPECT_EQ(Arrive(queues, other_list), Arrival::kNoSeats);
  Finish(queues, list);
  Finish(queues, small);
  EXPECT_TRUE(queues.idle());
}

TEST_F(FairQueuesTest, RequestsOfOneSeatLetNobodyBesideThem) {
  FairQueues queues({.queues = 1, .hand_size = 1, .queue_length_limit = 10}, 1, clock_.SteadyNow());
  auto &first = New(), &second = New();
  EXPECT_EQ(Arrive(queues, first), Arrival::kExecutes);
  Started started;
  queues.Sends(first, clock_.SteadyNow(), started);
  EXPECT_EQ(Arrive(queues, second), Arrival::kWaits);
  EXPECT_THAT(Finish(queues, first), ElementsAre(&second));
}

TEST_F(FairQueuesTest, ARequestWiderThanTheLimitRunsAlone) {
  FairQueues queues({.queues = 1, .hand_size = 1, .queue_length_limit = 9}, 2, clock_.SteadyNow());
  auto &narrow = New(), &wide = New({.initial_seats = 5}), &next = New();
  Arrive(queues, narrow);
  EXPECT_EQ(Arrive(queues, wide), Arrival::kWaits);
  EXPECT_EQ(queues.TakeUnaccommodated(), &wide);
  EXPECT_EQ(Arrive(queues, next), Arrival::kWaits);
  EXPECT_THAT(Finish(queues, narrow), ElementsAre(&wide));
  EXPECT_THAT(Finish(queues, wide), ElementsAre(&next));
}

TEST_F(FairQueuesTest, ARequestThatWaitsNoLongerIsNotToldOfAsOneWithoutSeats) {
  FairQueues queues({.queues = 1, .hand_size = 1, .queue_length_limit = 9}, 2, clock_.SteadyNow());
  auto &first = New(), &second = New(), &wide = New({.initial_seats = 2});
  Arrive(queues, first);
  Arrive(queues, second);
  EXPECT_EQ(Arrive(queues, wide), Arrival::kWaits);
  EXPECT_EQ(queues.TakeUnaccommodated(), nullptr) << "there was no seat to give";
  EXPECT_THAT(Finish(queues, first), ElementsAre());
  FairQueues::Started started;
  queues.Leave(wide, clock_.SteadyNow(), started);
  EXPECT_EQ(queues.TakeUnaccommodated(), nullptr);
}

TEST_F(FairQueuesTest, FinalSeatsBeyondTheLimitAreFewerForLonger) {
  FairQueues queues({.queues = 1, .hand_size = 1, .queue_length_limit = 9}, 2, clock_.SteadyNow());
  auto& write = New({.initial_seats = 1, .final_seats = 8, .additional_latency = 5ms});
  EXPECT_EQ(Arrive(queues, write), Arrival::kExecutes);
  EXPECT_EQ(write.work, (WorkEstimate{1, 2, 20ms}));
  FairQueues::Started started;
  const auto lingering = queues.Finish(write, clock_.SteadyNow(), started);
  ASSERT_TRUE(lingering);
  EXPECT_EQ(lingering->duration, 20ms);
  EXPECT_EQ(queues.seats_in_use(), 2);
  queues.Release(*lingering, clock_.SteadyNow(), started);
  EXPECT_EQ(queues.seats_in_use(), 0);
}

TEST_F(FairQueuesTest, FewerQueuesDrainAndMoreSeatsStartWhoWaits) {
  FairQueues queues({.queues = 4, .hand_size = 1, .queue_length_limit = 9}, 1, clock_.SteadyNow());
  auto &a = New(), &b = New(), &c = New();
  Arrive(queues, a, 3);
  Arrive(queues, b, 3);
  Arrive(queues, c, 2);
  FairQueues::Started started;
  queues.Configure({.queues = 1, .hand_size = 1, .queue_length_limit = 9}, 1, clock_.SteadyNow(), started);
  EXPECT_EQ(queues.queues().size(), 4u);
  queues.Configure({.queues = 1, .hand_size = 1, .queue_length_limit = 9}, 9, clock_.SteadyNow(), started);
  EXPECT_EQ(started.size(), 2u);
  for (auto* request : {&a, &b, &c}) Finish(queues, *request);
  EXPECT_EQ(queues.queues().size(), 1u);
  EXPECT_EQ(Arrive(queues, New(), 3), Arrival::kExecutes);
}

TEST_F(FairQueuesTest, MillionsOfQueuesCostNothingUntilTheyAreUsed) {
  FairQueues queues({.queues = 10'000'000, .hand_size = 2, .queue_length_limit = 9}, 1, clock_.SteadyNow());
  auto &a = New(), &b = New();
  Arrive(queues, a, 123456789);
  Arrive(queues, b, 987654321);
  EXPECT_THAT(Finish(queues, a), ElementsAre(&b));
}

// A stream of random requests, and what k8s.io/apiserver v0.36.4 does with it: which of them begin to execute
// with each step, `-` where one is turned away. Eight queues of six, hands of three, five seats, five flows.
constexpr std::string_view kUpstreamTrace =
    ",000,,001,,,,002,,,,,,,,,,,,,,,,,,,,,,,004+007,,,008,,013,,,,,,014,,,,,,,,023,,009+015,,,,,,,,027,,,"
    ",,,030,,,,,,,,,,,,018,,,,,,019,,,,021,033,,,,,,,,,,,,,039,,,,045,,,,,,,,022,,,,-,,,034,,,,,,005,,,,,"
    ",-,,,028,,,,-,,,031+048,,,,044,,,,,,,,,,,,,,,,,074,,035+040,076,,,,,,-,,,,,,,,,,,,,049,,,,,,,,,,010,"
    ",,,,,-,,,,,,,,,,,,,,,-,,,-,,,,,,,-,,,-,,,-,,,-,,,-,,,-,,036,,,,,,,,,,,,,,,,,,,012,,-,,,,,,,,,,,-,,,"
    "-,,,-,,,,,,,-,,,-,,054+077+096,,,060,,075,,,,,,042,,,,,,,,,,,,,,047+097,,099,,,,,,,,,,,,,,,,,,079,,"
    "078,,,051+053,-,,,-,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,085,086,,,122,,,083,,102,,091+127,,117,,,,,,,,"
    "103+128,,046,,067,,,,055,,-,,,104,,119,,,,092,,,,,,,,,,,,,,,,,,,080+129,-,,,082,,,,-,,,-,,,,,-,,,-,,"
    ",-,,089+093,145,,-,,,-,,,-,,,-,,,-,,,-,,,-,,,-,,,-,,,,,,,,,,,,,101+115,,,,,,,,,,118+123,,-,,,133,,,,"
    "-,,,116,,057,,,,,,061,,-,,,,,-,,,-,,,-,,,,,-,,,-,,063+134,,,,,,,140,,,,-,,,-,,,155,,,,,,,,,,,,,,,,,,"
    ",108,-,,,-,,,-,,,,120+167,143+168,,,,,,,,,,180,,-,,,,,-,,,-,,185,,,,,,,064,,,,,,,,,,,,,,,,,,,146,,,"
    "137,,-,,,-,,,-,,,-,,,-,,,-,,,,,,,-,,,,,-,,147,,,094,,,,,,,,,,,151+152,-,,,-,,,-,,,-,,,107,,-,,,-,,,"
    "-,,,-,,,,,,,,,148,,,,,,165,,166+171,,,,161,,,,,,,,,,,,,,,,,,,,,157+203,172,,,,,,,,251,,-,,,-,,,-,,,"
    "255,,156,,,,,,,,169,,,,175,,,,198+268,,,,,,,,,,,,,,121,,153,,200,,-,,,-,,,202,,-,,,-,,,-,,,,,,,,,"
    "206,,,,-,,,-,,,-,,,-,,,-,,227+228+230,,,170,,-,,,-,,,,,235,,-,,,,,186,,-,";

TEST_F(FairQueuesTest, DecisionsForAStreamOfRequestsAreUpstreams) {
  struct Lasting {
    FairQueues::Time until;
    FairQueues::Lingering seats;
  };
  uint64_t random_state = 7;
  const auto random = [&](uint64_t below) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
  };
  FairQueues queues({.queues = 8, .hand_size = 3, .queue_length_limit = 6}, 5, clock_.SteadyNow());
  std::deque<std::pair<std::string, FairQueues::Request>> all;
  std::vector<FairQueues::Request*> running;
  std::vector<Lasting> lasting;
  std::vector<std::string> steps;
  const auto name_of = [&](const FairQueues::Request* request) {
    return std::ranges::find_if(all, [&](const auto& entry) { return &entry.second == request; })->first;
  };
  const auto note = [&](FairQueues::Started started) {
    std::ranges::sort(started, {}, name_of);
    std::string& step = steps.emplace_back();
    for (FairQueues::Request* const request : started) {
      step += (step.empty() ? "" : "+") + name_of(request);
      running.push_back(request);
    }
  };
  for (int i = 0; i < 400; ++i) {
    clock_.Advance(std::chrono::microseconds(random(2000)));
    const auto now = clock_.SteadyNow();
    FairQueues::Started started;
    std::ranges::stable_sort(lasting, {}, &Lasting::until);
    while (!lasting.empty() && lasting.front().until <= now) {
      queues.Release(lasting.front().seats, now, started);
      lasting.erase(lasting.begin());
    }
    note(started);
    started.clear();
    if (random(10) < 6 || running.empty()) {
      std::string id = std::to_string(1000 + i).substr(1);
      auto& request = all.emplace_back(id, FairQueues::Request()).second;
      request.work.initial_seats = 1 + static_cast<int>(random(3));
      if (random(4) == 0) {
        request.work.final_seats = 1 + static_cast<int>(random(7));
        request.work.additional_latency = std::chrono::milliseconds(1 + random(9));
      }
      const uint64_t flow = random(5);
      const auto arrival = queues.Arrive(request, flow * 1000003, now, started);
      if (arrival == Arrival::kQueueFull) steps.emplace_back("-");
      if (arrival == Arrival::kExecutes) started.push_back(&request);
    } else {
      const auto at = running.begin() + static_cast<int64_t>(random(running.size()));
      FairQueues::Request* const done = *at;
      running.erase(at);
      if (const auto seats = queues.Finish(*done, now, started))
        lasting.push_back({now + seats->duration, *seats});
    }
    note(started);
  }
  std::string trace;
  for (const std::string& step : steps) (trace += &step == &steps.front() ? "" : ",") += step;
  EXPECT_EQ(trace, kUpstreamTrace);
  EXPECT_EQ(71, queues.requests_waiting());
  EXPECT_EQ(1, queues.requests_executing());
  EXPECT_EQ(8, queues.seats_in_use());
}

}  // namespace
}  // namespace keelson::server::flow_control
