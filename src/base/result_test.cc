#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/sync_wait.h"

namespace keelson::base {
namespace {

using Number = Result<int, std::string>;

// Counts those that are alive.
class Counted {
 public:
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  ~Counted() { --alive; }
  static inline int alive = 0;
};

Number Half(int n, const Counted& = {}) {
  if (n % 2 != 0) return Err(std::string("odd"));
  return n / 2;
}

Result<void, std::string> RequireEven(int n) {
  TRY(Half(n));
  return {};
}

Number Quarter(int n) {
  const int half = TRY(Half(n));
  TRY(RequireEven(half));
  return Half(half);
}

TEST(TryTest, IsTheValueOrLeavesWithTheReason) {
  EXPECT_EQ(Quarter(8), 2);
  EXPECT_EQ(Quarter(6).error(), "odd");
  EXPECT_EQ(Quarter(7).error(), "odd");
}

TEST(TryTest, MovesWhatIsTemporaryAndCopiesWhatIsNot) {
  using Owned = Result<std::unique_ptr<int>, std::string>;
  const auto take = [](Owned owned) -> Owned { return TRY(std::move(owned)); };
  EXPECT_EQ(**take(std::make_unique<int>(7)), 7);

  Result<std::string, std::string> kept = "a text that does not fit into a short string";
  const auto copy = [&]() -> Result<std::string, std::string> { return TRY(kept); };
  EXPECT_EQ(*copy(), *kept);
  EXPECT_FALSE(kept->empty());
}

Task<Number> HalfLater(int n, Counted) { co_return Half(n); }

Task<Number> QuarterLater(int n) {
  const Counted here;
  const int half = CO_TRY(co_await HalfLater(n, Counted()));
  co_return CO_TRY(co_await HalfLater(half, Counted())) + CO_TRY(Half(0, Counted()));
}

// Another argument is alive when it leaves.
Number Second(const Counted&, int n) { return n; }
Number LeaveInTheMiddle(int n) { return Second(Counted(), TRY(Half(n))); }
Task<Number> LeaveInTheMiddleLater(int n) {
  co_return Second(Counted(), CO_TRY(co_await HalfLater(n, Counted())));
}

TEST(TryTest, LeavesNothingAliveInTheMiddleOfAnExpression) {
  EXPECT_EQ(LeaveInTheMiddle(8), 4);
  EXPECT_EQ(LeaveInTheMiddle(7).error(), "odd");
  EXPECT_EQ(SyncWait(LeaveInTheMiddleLater(8)), 4);
  EXPECT_EQ(SyncWait(LeaveInTheMiddleLater(7)).error(), "odd");
  EXPECT_EQ(Counted::alive, 0);
}

TEST(TryTest, LeavesACoroutineWithNothingLeftAlive) {
  EXPECT_EQ(SyncWait(QuarterLater(8)), 2);
  EXPECT_EQ(SyncWait(QuarterLater(6)).error(), "odd");
  EXPECT_EQ(SyncWait(QuarterLater(7)).error(), "odd");
  EXPECT_EQ(Counted::alive, 0);
}

}  // namespace
}  // namespace keelson::base
