#include "controllers/namespace_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Runs posted work at once; delayed work when the time comes.
class Loop final : public base::Executor {
 public:
  void Post(Work work) override { work(); }
  void PostAfter(std::chrono::nanoseconds delay, Work work) override {
    delayed_.emplace_back(now_ + delay, std::move(work));
  }
  void Advance(std::chrono::nanoseconds by) {
    now_ += by;
    auto waiting = std::exchange(delayed_, {});
    for (auto& [when, work] : waiting) {
      if (when <= now_)
        work();
      else
        delayed_.emplace_back(when, std::move(work));
    }
  }

 private:
  std::chrono::nanoseconds now_{0};
  std::vector<std::pair<std::chrono::nanoseconds, Work>> delayed_;
};

class FakeNamespaces final : public client::Namespaces {
 public:
  void WatchTerminating(std::function<void(std::string)> see) override { terminating = std::move(see); }
  base::Task<base::Result<int64_t, api::Status>> DeleteContent(std::string ns) override {
    emptied.push_back(ns);
    if (on_delete) std::exchange(on_delete, nullptr)();
    if (fails) co_return base::Err(api::InternalError("disk full"));
    co_return remaining;
  }
  base::Task<base::Result<void, api::Status>> Finalize(std::string ns) override {
    if (gone) co_return base::Err(api::NotFound({"", "namespaces"}, ns));
    finalized.push_back(ns);
    co_return base::Result<void, api::Status>();
  }

  std::function<void(std::string)> terminating;
  std::function<void()> on_delete;
  int64_t remaining = 0;
  bool fails = false, gone = false;
  std::vector<std::string> emptied, finalized;
};

class NamespaceControllerTest : public ::testing::Test {
 protected:
  NamespaceControllerTest() { controller_.Start(); }
  Loop loop_;
  FakeNamespaces namespaces_;
  NamespaceController controller_{namespaces_, loop_};
};

TEST_F(NamespaceControllerTest, AnEmptiedNamespaceIsLetGo) {
  namespaces_.terminating("a");
  namespaces_.terminating("b");
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a", "b"));
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a", "b"));
}

TEST_F(NamespaceControllerTest, WhatStaysKeepsTheNamespaceUntilItIsGone) {
  namespaces_.remaining = 2;
  namespaces_.terminating("a");
  EXPECT_THAT(namespaces_.finalized, IsEmpty());
  loop_.Advance(1s);
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a", "a"));
  namespaces_.remaining = 0;
  loop_.Advance(1s);
  EXPECT_THAT(namespaces_.finalized, IsEmpty()) << "the second retry takes twice as long";
  loop_.Advance(1s);
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a"));
}

TEST_F(NamespaceControllerTest, AFailureIsTriedAgain) {
  namespaces_.fails = true;
  namespaces_.terminating("a");
  namespaces_.fails = false;
  loop_.Advance(1s);
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a"));
}

TEST_F(NamespaceControllerTest, ANamespaceThatIsGoneAlreadyIsDone) {
  namespaces_.gone = true;
  namespaces_.terminating("a");
  loop_.Advance(10s);
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a"));
}

TEST_F(NamespaceControllerTest, AChangeDuringTheWorkIsLookedAtAfterwards) {
  namespaces_.on_delete = [this] { namespaces_.terminating("a"); };
  namespaces_.terminating("a");
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a", "a"));
}

}  // namespace
}  // namespace keelson::controllers
