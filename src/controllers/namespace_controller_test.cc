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
class ImmediateLoop final : public base::Executor {
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
  void StopWatching() override { watching = false; }
  base::Task<base::Result<bool, api::Status>> IsTerminating(std::string) override { co_return !made_anew; }
  base::Task<Stir> LookForChanges(std::string) override {
    ++looks;
    co_return stir;
  }
  base::Task<client::NamespaceContent> DeleteContent(std::string ns) override {
    emptied.push_back(ns);
    if (on_delete) std::exchange(on_delete, nullptr)();
    co_return content;
  }
  base::Task<base::Result<void, api::Status>> EditStatus(std::string, StatusEdit edit) override {
    if (edit(api::core_v1::NamespaceEditor(doc).mutable_status())) ++writes;
    co_return base::Result<void, api::Status>();
  }
  base::Task<base::Result<void, api::Status>> Finalize(std::string ns) override {
    if (gone) co_return base::Err(api::NotFound({"", "namespaces"}, ns));
    finalized.push_back(ns);
    co_return base::Result<void, api::Status>();
  }

  // "type=status reason: message" of each condition.
  std::vector<std::string> Conditions() const {
    std::vector<std::string> all;
    for (const auto c : api::core_v1::NamespaceView(doc).status().conditions())
      all.push_back(std::string(c.type()) + "=" + std::string(c.status()) + " " + std::string(c.reason()) +
                    ": " + std::string(c.message()));
    return all;
  }

  std::function<void(std::string)> terminating;
  std::function<void()> on_delete;
  client::NamespaceContent content;
  api::Doc doc{api::core_v1::NamespaceView::Type()};
  int writes = 0, looks = 0;
  Stir stir = Stir::kBusy;
  bool gone = false, made_anew = false, watching = true;
  std::vector<std::string> emptied, finalized;
};

class NamespaceControllerTest : public ::testing::Test {
 protected:
  NamespaceControllerTest() { controller_.Start(); }
  ImmediateLoop loop_;
  FakeNamespaces namespaces_;
  NamespaceController controller_{namespaces_, loop_, 0s};
};

TEST_F(NamespaceControllerTest, AnEmptiedNamespaceIsLetGo) {
  namespaces_.terminating("a");
  namespaces_.terminating("b");
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a", "b"));
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a", "b"));
}

TEST_F(NamespaceControllerTest, WhatStaysKeepsTheNamespaceUntilItIsGone) {
  namespaces_.content.remaining = {{"pods.", 2}};
  namespaces_.terminating("a");
  EXPECT_THAT(namespaces_.finalized, IsEmpty());
  loop_.Advance(1s);
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a", "a"));
  namespaces_.content = {};
  loop_.Advance(1s);
  EXPECT_THAT(namespaces_.finalized, IsEmpty()) << "the second retry takes twice as long";
  loop_.Advance(1s);
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a"));
}

TEST_F(NamespaceControllerTest, AFailureIsTriedAgain) {
  namespaces_.content.failures = {"disk full"};
  namespaces_.terminating("a");
  namespaces_.content = {};
  loop_.Advance(1s);
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a"));
}

TEST_F(NamespaceControllerTest, ANamespaceThatIsGoneAlreadyIsDone) {
  namespaces_.gone = true;
  namespaces_.terminating("a");
  loop_.Advance(10s);
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a"));
}

TEST_F(NamespaceControllerTest, WhatWasMadeAnewUnderTheNameIsLeftAlone) {
  namespaces_.made_anew = true;
  namespaces_.terminating("a");
  EXPECT_THAT(namespaces_.emptied, IsEmpty());
  EXPECT_THAT(namespaces_.finalized, IsEmpty());
}

TEST_F(NamespaceControllerTest, ConditionsTellWhatRemainsAndWhy) {
  namespaces_.content = {.remaining = {{"jobs.batch", 1}, {"configmaps.", 2}},
                         .finalizers = {{"example.com/hold", 3}},
                         .failures = {"secrets is broken", "disk full"}};
  namespaces_.terminating("a");
  EXPECT_THAT(
      namespaces_.Conditions(),
      ElementsAre(
          "NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully "
          "discovered",
          "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types "
          "successfully parsed",
          "NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource types, "
          "2 "
          "remaining: disk full, secrets is broken",
          "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has "
          "2 "
          "resource instances, jobs.batch has 1 resource instances",
          "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has "
          "finalizers "
          "remaining: example.com/hold in 3 resource instances"));
  EXPECT_EQ(namespaces_.writes, 1);
  loop_.Advance(1s);
  EXPECT_EQ(namespaces_.writes, 1) << "what has not changed is not written";

  namespaces_.content = {};
  loop_.Advance(2s);
  EXPECT_EQ(namespaces_.writes, 2);
  EXPECT_EQ(namespaces_.Conditions()[3],
            "NamespaceContentRemaining=False ContentRemoved: All content successfully removed");
}

TEST_F(NamespaceControllerTest, TheEndOfWhatRemainsIsNotWaitedForByTheClock) {
  namespaces_.content.remaining = {{"pods.", 1}};
  namespaces_.terminating("a");
  namespaces_.content = {};
  namespaces_.terminating("a");
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a"));
}

TEST_F(NamespaceControllerTest, NothingIsBegunAfterItWasStopped) {
  namespaces_.content.remaining = {{"pods.", 1}};
  namespaces_.terminating("a");
  controller_.Stop();
  EXPECT_FALSE(namespaces_.watching);
  namespaces_.terminating("b");
  loop_.Advance(60s);
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a"));

  namespaces_.content = {};
  controller_.Start();
  namespaces_.terminating("a");
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a"));
}

class NamespaceGraceTest : public ::testing::Test {
 protected:
  using Stir = client::Namespaces::Stir;
  NamespaceGraceTest() { controller_.Start(); }
  void Pass(std::chrono::milliseconds time) {
    for (; time.count() > 0; time -= NamespaceController::kLook) {
      clock_.Advance(NamespaceController::kLook);
      loop_.Advance(NamespaceController::kLook);
    }
  }
  ImmediateLoop loop_;
  FakeNamespaces namespaces_;
  base::FakeClock clock_{std::chrono::system_clock::now()};
  NamespaceController controller_{namespaces_, loop_, 5s, clock_};
};

TEST_F(NamespaceGraceTest, ANamespaceThatSomebodyEmptiesIsLeftAloneUntilItIsQuiet) {
  namespaces_.terminating("a");
  Pass(3s);
  EXPECT_THAT(namespaces_.emptied, IsEmpty());
  namespaces_.stir = Stir::kQuiet;
  Pass(900ms);
  EXPECT_THAT(namespaces_.emptied, IsEmpty());
  Pass(100ms);
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a"));
}

TEST_F(NamespaceGraceTest, NobodyIsWaitedForBeyondTheGrace) {
  namespaces_.terminating("a");
  Pass(4900ms);
  EXPECT_THAT(namespaces_.emptied, IsEmpty());
  Pass(100ms);
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a"));
}

TEST_F(NamespaceGraceTest, WhatHoldsNothingGoesAtOnce) {
  namespaces_.stir = Stir::kEmpty;
  namespaces_.terminating("a");
  EXPECT_THAT(namespaces_.finalized, ElementsAre("a"));
}

TEST_F(NamespaceGraceTest, IsGivenOnceAndEventsDoNotMultiplyTheLooks) {
  for (int i = 0; i < 10; ++i) namespaces_.terminating("a");
  const int before = namespaces_.looks;
  Pass(1s);
  EXPECT_EQ(namespaces_.looks, before + 10);
  namespaces_.content.remaining = {{"pods.", 1}};
  Pass(4s);
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a"));
  namespaces_.terminating("a");
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a", "a")) << "without another grace";
}

TEST_F(NamespaceControllerTest, AChangeDuringTheWorkIsLookedAtAfterwards) {
  namespaces_.on_delete = [this] { namespaces_.terminating("a"); };
  namespaces_.terminating("a");
  EXPECT_THAT(namespaces_.emptied, ElementsAre("a", "a"));
}

}  // namespace
}  // namespace keelson::controllers
