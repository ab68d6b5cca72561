#include "server/flow_control/priority_level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <memory>
#include <thread>

#include "base/sync_wait.h"
#include "server/testing/manual_loop.h"

namespace keelson::server::flow_control {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Admission = PriorityLevel::Admission;

const auth::User kSomebody{.name = "ann"};

class PriorityLevelTest : public ::testing::Test {
 protected:
  LevelRequest& New(WorkEstimate work = {}, std::chrono::nanoseconds wait = 10s) {
    LevelRequest& request = requests_.emplace_back();
    request.metrics = &flow_;
    request.info = &info_;
    request.user = &kSomebody;
    request.schema = "schema";
    request.distinguisher = "ann";
    request.work = work;
    request.wait_until = clock_.SteadyNow() + wait;
    return request;
  }
  // The decision about a request that waits, once it is made.
  std::optional<bool>& Follow(LevelRequest& request) {
    std::optional<bool>& decided = decisions_.emplace_back();
    base::Spawn([](const base::Completion<bool> decision, std::optional<bool>& out) -> base::Task<void> {
      out = co_await decision;
    }(*request.decision, decided));
    return decided;
  }
  base::IntrusivePtr<PriorityLevel> Level(int queues, int seats, int length = 2) {
    base::IntrusivePtr<PriorityLevel> level(new PriorityLevel("level", false, clock_));
    level->Configure({.queues = queues, .hand_size = 1, .queue_length_limit = length}, seats);
    return level;
  }

  base::FakeClock clock_;
  testing::ManualLoop loop_{clock_};
  base::Metrics metrics_;
  FlowMetrics flow_{metrics_, "level", "schema"};
  const endpoints::RequestInfo info_ = endpoints::ParseRequestInfo("GET", "/api/v1/namespaces/x/pods/p", "");
  std::deque<LevelRequest> requests_;
  std::deque<std::optional<bool>> decisions_;
};

TEST_F(PriorityLevelTest, WhoWaitsIsToldWhenASeatIsFree) {
  const auto level = Level(1, 1);
  LevelRequest &first = New(), &second = New(), &third = New(), &fourth = New();
  EXPECT_EQ(level->Admit(first), Admission::kExecutes);
  EXPECT_EQ(level->Admit(second), Admission::kWaits);
  EXPECT_EQ(level->Admit(third), Admission::kWaits);
  EXPECT_EQ(level->Admit(fourth), Admission::kRefused) << "the queue is full";
  auto &decided = Follow(second), &other = Follow(third);
  EXPECT_EQ(decided, std::nullopt);
  clock_.Advance(1s);
  level->Finish(first, /*watch=*/false);
  EXPECT_EQ(decided, true);
  EXPECT_EQ(other, std::nullopt);
  level->Finish(second, false);
  EXPECT_EQ(other, true);
  EXPECT_FALSE(level->idle());
  level->Finish(third, false);
  EXPECT_TRUE(level->idle());

  const std::string text = metrics_.Render();
  const std::string labels = R"({flow_schema="schema",priority_level="level"} )";
  EXPECT_THAT(text, HasSubstr("apiserver_flowcontrol_dispatched_requests_total" + labels + "3\n"));
  EXPECT_THAT(text, HasSubstr("apiserver_flowcontrol_current_inqueue_requests" + labels + "0\n"));
  EXPECT_THAT(text, HasSubstr("apiserver_flowcontrol_current_executing_seats" + labels + "0\n"));
  EXPECT_THAT(text,
              HasSubstr("apiserver_flowcontrol_rejected_requests_total{flow_schema=\"schema\",priority_level="
                        "\"level\",reason=\"queue-full\"} 1\n"));
  EXPECT_THAT(
      text,
      HasSubstr("apiserver_flowcontrol_request_wait_duration_seconds_count{execute=\"true\",flow_schema="
                "\"schema\",priority_level=\"level\"} 3\n"));
  const LevelDump dump = level->Dump(false);
  EXPECT_EQ(dump.dispatched, 3u);
  EXPECT_EQ(dump.rejected, 1u);
}

TEST_F(PriorityLevelTest, AWaitEndsWhenItsTimeIsUp) {
  const auto level = Level(1, 1);
  LevelRequest& first = New();
  LevelRequest *patient = nullptr, *hasty = nullptr;
  std::optional<bool>*patient_decided = nullptr, *hasty_decided = nullptr;
  loop_.Post([&] {
    level->Admit(first);
    patient = &New({}, 5s);
    EXPECT_EQ(level->Admit(*patient), Admission::kWaits);
    patient_decided = &Follow(*patient);
    hasty = &New({}, 1s);
    EXPECT_EQ(level->Admit(*hasty), Admission::kWaits);
    hasty_decided = &Follow(*hasty);
  });
  loop_.Run();
  for (int i = 0; i < 8; ++i) loop_.Advance(100ms);
  EXPECT_EQ(*hasty_decided, std::nullopt);
  for (int i = 0; i < 4; ++i) loop_.Advance(100ms);
  EXPECT_EQ(*hasty_decided, false);
  EXPECT_EQ(*patient_decided, std::nullopt);
  loop_.Post([&] { level->Finish(first, false); });
  loop_.Run();
  EXPECT_EQ(*patient_decided, true);
  EXPECT_EQ(level->Dump(false).cancelled, 1u);
  loop_.Advance(100ms);
  EXPECT_EQ(loop_.delayed(), 0u) << "nobody waits, nothing ticks";
  level->Finish(*patient, false);
}

TEST_F(PriorityLevelTest, WhoLeavesDoesNotHoldUpOthers) {
  const auto level = Level(1, 4, 10);
  LevelRequest &first = New({.initial_seats = 3}), &wide = New({.initial_seats = 3}), &narrow = New();
  level->Admit(first);
  EXPECT_EQ(level->Admit(wide), Admission::kWaits);
  EXPECT_EQ(level->Admit(narrow), Admission::kWaits) << "behind the wide one";
  auto &wide_decided = Follow(wide), &narrow_decided = Follow(narrow);
  level->GiveUp(wide);
  EXPECT_EQ(wide_decided, false);
  EXPECT_EQ(narrow_decided, true);
  level->GiveUp(narrow);
  EXPECT_EQ(narrow_decided, true) << "executes already";
  level->Finish(first, false);
  level->Finish(narrow, false);
}

TEST_F(PriorityLevelTest, WithoutQueuesNobodyWaits) {
  const auto level = Level(0, 2);
  LevelRequest &first = New(), &second = New(), &third = New();
  EXPECT_EQ(level->Admit(first), Admission::kExecutes);
  EXPECT_EQ(level->Admit(second), Admission::kExecutes);
  EXPECT_EQ(level->Admit(third), Admission::kRefused);
  EXPECT_THAT(metrics_.Render(), HasSubstr("reason=\"concurrency-limit\"} 1\n"));
  level->Finish(first, false);
  level->Finish(second, false);
}

TEST_F(PriorityLevelTest, WhoStepsOutGivesTheSeatToOthersAndComesBackWithoutWaiting) {
  const auto level = Level(1, 1);
  LevelRequest &first = New(), &second = New(), &third = New();
  level->Admit(first);
  EXPECT_EQ(level->Admit(second), Admission::kWaits);
  auto& decided = Follow(second);
  level->StepOut(first);
  EXPECT_EQ(decided, true);
  const std::string labels = R"({flow_schema="schema",priority_level="level"} )";
  EXPECT_THAT(metrics_.Render(), HasSubstr("keelson_flowcontrol_current_away_requests" + labels + "1\n"));
  EXPECT_THAT(metrics_.Render(), HasSubstr("apiserver_flowcontrol_current_executing_seats" + labels + "1\n"));
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("apiserver_flowcontrol_current_executing_requests" + labels + "2\n"));
  EXPECT_EQ(level->Dump(false).executing, 2);
  EXPECT_EQ(level->Dump(false).without_queue.size(), 1u);

  clock_.Advance(1s);
  level->StepIn(first);
  level->Finish(second, false);
  EXPECT_EQ(level->Admit(third), Admission::kWaits) << "the seat is taken";
  auto& third_decided = Follow(third);
  level->Finish(first, false);
  EXPECT_EQ(third_decided, true);
  level->Finish(third, false);
  EXPECT_TRUE(level->idle());
  EXPECT_THAT(metrics_.Render(), HasSubstr("keelson_flowcontrol_current_away_requests" + labels + "0\n"));
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("apiserver_flowcontrol_request_execution_seconds_sum{flow_schema=\"schema\","
                        "priority_level=\"level\",type=\"regular\"} 2\n"))
      << "both executed for that second";
}

TEST_F(PriorityLevelTest, OnlySoManyAreAwayAtATime) {
  const auto level = Level(1, 1, 1000);
  std::vector<LevelRequest*> away;
  for (int i = 0; i < PriorityLevel::kLeastAway; ++i) {
    away.push_back(&New());
    EXPECT_EQ(level->Admit(*away.back()), Admission::kExecutes);
    level->StepOut(*away.back());
  }
  LevelRequest &keeps = New(), &waits = New();
  EXPECT_EQ(level->Admit(keeps), Admission::kExecutes);
  level->StepOut(keeps);
  EXPECT_EQ(level->Admit(waits), Admission::kWaits) << "the one before it has kept its seat";
  auto& decided = Follow(waits);
  level->StepIn(keeps);
  level->Finish(keeps, false);
  EXPECT_EQ(decided, true);
  level->Finish(waits, false);
  for (LevelRequest* const request : away) level->Finish(*request, false);  // also those that are away
  EXPECT_TRUE(level->idle());
}

TEST_F(PriorityLevelTest, SeatsOfAWriteStayTakenForAMoment) {
  const auto level = Level(1, 2);
  LevelRequest &write = New({.initial_seats = 1, .final_seats = 2, .additional_latency = 5ms}), &next = New();
  loop_.Post([&] {
    level->Admit(write);
    level->Admit(next);
    level->Finish(write, false);
  });
  loop_.Run();
  auto& decided = Follow(next);
  EXPECT_EQ(decided, std::nullopt);
  loop_.Advance(5ms);
  EXPECT_EQ(decided, true);
  level->Finish(next, false);
}

TEST_F(PriorityLevelTest, TheExemptLevelLetsEverybodyThrough) {
  PriorityLevel* const raw = new PriorityLevel("exempt", true, clock_);
  const base::IntrusivePtr<PriorityLevel> level(raw);
  level->Configure({}, 0);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(level->Admit(New({.initial_seats = 2})), Admission::kExecutes);
  clock_.Advance(5s);
  const LevelDump dump = level->Dump(/*details=*/true);
  EXPECT_EQ(dump.executing, 50);
  ASSERT_EQ(dump.without_queue.size(), 50u);
  EXPECT_EQ(dump.without_queue[0].user, "ann");
  EXPECT_EQ(dump.without_queue[0].info.name, "p");
  for (auto& request : requests_) level->Finish(request, false);
  clock_.Advance(5s);
  const auto demand = level->TakeDemand();
  EXPECT_EQ(demand.high_watermark, 100);
  EXPECT_NEAR(demand.average, 50, 1e-6) << "100 seats for half of the time";
  EXPECT_TRUE(level->idle());

  LevelRequest& away = New();
  level->Admit(away);
  level->StepOut(away);
  (void)level->TakeDemand();
  clock_.Advance(5s);
  EXPECT_EQ(level->TakeDemand().average, 0) << "it leaves its seats to other levels";
  EXPECT_EQ(level->Dump(false).executing, 1);
  level->StepIn(away);
  level->Finish(away, false);
}

TEST_F(PriorityLevelTest, ARequestThatIsNextAndFindsTooFewSeatsIsCountedWhateverSeatsWereGivenBackBy) {
  const auto level = Level(1, 2);
  LevelRequest &first = New(), &second = New();
  level->Admit(first);
  level->Admit(second);
  auto wide = std::make_unique<LevelRequest>(New({.initial_seats = 2}));
  EXPECT_EQ(level->Admit(*wide), Admission::kWaits);
  level->Finish(first, /*watch=*/false);
  EXPECT_THAT(
      metrics_.Render(),
      HasSubstr("apiserver_flowcontrol_request_dispatch_no_accommodation_total{flow_schema=\"schema\","
                "priority_level=\"level\"} 1\n"));
  level->GiveUp(*wide);
  wide.reset();
  // For the address sanitizer: nothing is read of what is gone.
  LevelRequest &third = New(), &fourth = New();
  EXPECT_EQ(level->Admit(third), Admission::kExecutes);
  EXPECT_EQ(level->Admit(fourth), Admission::kWaits);
  for (LevelRequest* const request : {&second, &third, &fourth}) level->Finish(*request, false);
  EXPECT_TRUE(level->idle());
}

// For the thread sanitizer, and that the demand is never more than there was.
// Of the times that `reading` counts, those in the bucket of this bound.
uint64_t At(const base::HistogramReading& reading, double bound) {
  const auto at = std::ranges::find(reading.bounds, bound) - reading.bounds.begin();
  return reading.counts[static_cast<size_t>(at)];
}
constexpr uint64_t kSecond = 1'000'000'000;

TEST_F(PriorityLevelTest, UsageIsCountedInNanosecondsAsAShareOfWhatThereIs) {
  const auto level = Level(/*queues=*/2, /*seats=*/4, /*length=*/2);
  LevelRequest &first = New({.initial_seats = 3}), &second = New({.initial_seats = 2});
  clock_.Advance(1s);
  EXPECT_EQ(level->Admit(first), Admission::kExecutes);
  EXPECT_EQ(level->Admit(second), Admission::kWaits);
  Follow(second);
  clock_.Advance(2s);
  UsageReading usage = level->ReadUsage();
  EXPECT_EQ(At(usage.seats, 0), kSecond);
  EXPECT_EQ(At(usage.seats, 0.8), 2 * kSecond) << "3 of 4";
  EXPECT_EQ(usage.seats.sum, 0.75 * 2 * kSecond);
  EXPECT_EQ(At(usage.executing, 0.25), 2 * kSecond) << "1 of 4";
  EXPECT_EQ(At(usage.waiting, 0.25), 2 * kSecond) << "1 of 2 * 2";
  EXPECT_EQ(At(usage.demand, 0.2), kSecond);
  EXPECT_EQ(At(usage.demand, 1.4), 2 * kSecond) << "5 of 4";

  level->Configure({.queues = 2, .hand_size = 1, .queue_length_limit = 2}, 6);
  clock_.Advance(1s);
  usage = level->ReadUsage();
  EXPECT_EQ(At(usage.seats, 0.9), kSecond) << "5 of 6: what was before is a share of what there was";
  EXPECT_EQ(At(usage.seats, 0.8), 2 * kSecond);
  level->Finish(first, false);
  level->Finish(second, false);
}

TEST_F(PriorityLevelTest, UsageOfTheExemptLevelIsCountedWithoutALock) {
  const base::IntrusivePtr<PriorityLevel> level(new PriorityLevel("exempt", true, clock_));
  level->Configure({}, 0, /*seats_for_none=*/10);
  LevelRequest& request = New({.initial_seats = 2});
  level->Admit(request);
  clock_.Advance(1s);
  level->StepOut(request);
  clock_.Advance(1s);
  level->Finish(request, false);
  clock_.Advance(2s);
  const UsageReading usage = level->ReadUsage();
  EXPECT_EQ(At(usage.seats, 0.2), kSecond);
  EXPECT_EQ(At(usage.seats, 0), 3 * kSecond);
  EXPECT_EQ(At(usage.executing, 0.1), 2 * kSecond) << "it executes while it is away";
  EXPECT_EQ(At(usage.executing, 0), 2 * kSecond);
  EXPECT_EQ(At(usage.waiting, 0), 4 * kSecond);
  EXPECT_EQ(At(usage.demand, 0.2), 4 * kSecond);
  const SeatDemandResults demand = level->TakeDemand();
  EXPECT_NEAR(demand.average, 0.5, 1e-9);
  EXPECT_NEAR(demand.deviation, std::sqrt(4 * 0.25 - 0.25), 1e-9) << "2 seats for a quarter of the time";
}

TEST_F(PriorityLevelTest, TheDemandOfTheExemptLevelIsReadWhileRequestsComeAndGo) {
  const base::IntrusivePtr<PriorityLevel> level(new PriorityLevel("exempt", true, base::Clock::Real()));
  constexpr int kThreads = 4;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        LevelRequest request;
        request.metrics = &flow_;
        request.info = &info_;
        request.user = &kSomebody;
        level->Admit(request);
        level->Finish(request, false);
      }
      --running;
    });
  while (running != 0) {
    const SeatDemandResults demand = level->TakeDemand();
    EXPECT_LE(demand.average * demand.seconds, kThreads * (demand.seconds + 1));
    level->Dump(/*details=*/true);
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(level->idle());
}

// For the thread sanitizer, and that nobody is forgotten.
TEST_F(PriorityLevelTest, ManyThreadsShareALevel) {
  base::IntrusivePtr<PriorityLevel> level(new PriorityLevel("level", false, base::Clock::Real()));
  level->Configure({.queues = 8, .hand_size = 2, .queue_length_limit = 100}, 3);
  std::atomic<int> executed{0}, together{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        LevelRequest request;
        request.metrics = &flow_;
        request.info = &info_;
        request.user = &kSomebody;
        request.schema = "schema";
        request.hash = static_cast<uint64_t>(t) * 7919 + static_cast<uint64_t>(i % 3);
        request.wait_until = base::Clock::SteadyTime::max();
        const bool executes = base::SyncWait([](PriorityLevel& l, LevelRequest& r) -> base::Task<bool> {
          switch (l.Admit(r)) {
            case Admission::kExecutes: co_return true;
            case Admission::kRefused: co_return false;
            case Admission::kWaits: co_return co_await *r.decision;
          }
          co_return false;
        }(*level, request));
        if (!executes) continue;
        ++executed;
        const int now = ++together;
        for (int seen = most.load(); seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        --together;
        if (i % 50 == 0) level->Dump(true);
        if (i % 7 == 0) {
          level->StepOut(request);
          level->StepIn(request);
        }
        level->Finish(request, false);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(executed, 2000);
  EXPECT_LE(most, 3);
  EXPECT_TRUE(level->idle());
}

}  // namespace
}  // namespace keelson::server::flow_control
