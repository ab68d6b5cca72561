#include "client/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "base/sync_wait.h"
#include "client/testing/fake_client.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EventRecorderTest : public ::testing::Test {
 protected:
  EventRecorderTest() {
    client_.At("", "events");
    client_.Add("", "nodes", R"({"metadata":{"name":"n","uid":"u-1"}})");
  }
  void Record(const std::string& message) {
    recorder_.Record({.plural = "nodes", .name = "n", .reason = "Slow", .message = message});
  }
  void Wait(std::chrono::nanoseconds by) {
    clock_.Advance(by);
    loop_.Advance(by);
  }
  // "message xCount", in the order of their names.
  std::vector<std::string> Events() {
    loop_.Run();
    std::vector<std::string> told;
    const auto events = base::SyncWait(client_.List({"", "events"}, "default"));
    for (const api::Doc& doc : **events) {
      const api::core_v1::EventView event(doc);
      EXPECT_EQ(event.involved_object().uid(), "u-1");
      EXPECT_EQ(event.involved_object().kind(), "Node");
      EXPECT_EQ(event.reason(), "Slow");
      told.push_back(std::string(event.message()) + " x" + std::to_string(event.count()));
    }
    return told;
  }

  FakeClient client_;
  controllers::ManualLoop loop_;
  base::FakeClock clock_;
  EventRecorder recorder_{client_, loop_, "server", clock_};
};

TEST_F(EventRecorderTest, WhatHappensOnceIsAnEvent) {
  Record("a");
  EXPECT_THAT(Events(), ElementsAre("a x1"));
}

TEST_F(EventRecorderTest, WhatHappensAgainRaisesTheCountAfterAPause) {
  Record("a");
  EXPECT_THAT(Events(), ElementsAre("a x1"));
  for (int i = 0; i < 100; ++i) Record("a");
  EXPECT_THAT(Events(), ElementsAre("a x1"));
  Wait(EventRecorder::kPause);
  EXPECT_THAT(Events(), ElementsAre("a x101"));
  EXPECT_EQ(client_.At("", "events").writes, 2);
}

TEST_F(EventRecorderTest, AnEventThatIsForgottenIsMadeAgain) {
  Record("a");
  ASSERT_THAT(Events(), ElementsAre("a x1"));
  const auto events = *base::SyncWait(client_.List({"", "events"}, "default"));
  const std::string name(api::MetadataOf(events->front()).name());
  ASSERT_TRUE(base::SyncWait(client_.Delete({"", "events"}, "default", name, {})));
  Wait(EventRecorder::kPause);
  Record("a");
  EXPECT_THAT(Events(), ElementsAre("a x1"));
}

TEST_F(EventRecorderTest, NothingIsToldOfWhatIsGone) {
  recorder_.Record({.plural = "nodes", .name = "gone", .reason = "Slow", .message = "a"});
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(EventRecorderTest, AnEventThatCannotBeWrittenIsNotTriedAgain) {
  client_.At("", "events").fails = true;
  Record("a");
  EXPECT_THAT(Events(), IsEmpty());
  client_.At("", "events").fails = false;
  Wait(EventRecorder::kPause);
  EXPECT_THAT(Events(), IsEmpty());
  Record("a");
  EXPECT_THAT(Events(), ElementsAre("a x1"));
}

TEST_F(EventRecorderTest, ThingsBeyondTheBoundAreLost) {
  for (size_t i = 0; i <= EventRecorder::kMostKinds; ++i) {
    Record("m" + std::to_string(i));
    clock_.Advance(std::chrono::microseconds(1));  // names are made of the time
  }
  EXPECT_EQ(Events().size(), EventRecorder::kMostKinds);
  Wait(EventRecorder::kPause);
  Record("new");
  EXPECT_EQ(Events().size(), EventRecorder::kMostKinds + 1);
}

TEST(MakeEventTest, TheNameOfAnEventIsNoLongerThanNamesMayBe) {
  const std::string name(253, 'a');
  FakeClient client;
  const auto doc = MakeEvent({client.At("", "nodes").desc, "", name, "u"}, {.type = "Normal"});
  EXPECT_LE(api::MetadataOf(doc).name().size(), 253u);
  EXPECT_EQ(api::MetadataOf(doc).namespace_(), "default");
}

}  // namespace
}  // namespace keelson::client
