#include "client/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/testing/fake_client.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::client {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class InformerTest : public ::testing::Test {
 protected:
  InformerTest() {
    Put("a");
    Put("b");
  }
  void Put(const std::string& name) {
    api::Doc doc(*maps_.desc.type);
    api::MutableMetadataOf(doc).set_name(name);
    maps_.Put("n", std::move(doc));
  }
  void Start() {
    informer_.Start({.changed =
                         [this](const Change& change) {
                           told_.push_back((change.gone    ? "-"
                                            : change.added ? "+"
                                                           : "~") +
                                           std::string(change.object.name()));
                         },
                     .relisting = [this](bool again) { told_.push_back(again ? "again" : "all"); },
                     .told_all = [this] { told_before_ = informer_.told(); }});
    loop_.Run();
  }
  // Whether CatchUp has come to its end.
  std::shared_ptr<bool> CatchUp() {
    auto done = std::make_shared<bool>(false);
    constexpr auto run = [](Informer& informer, std::shared_ptr<bool> end) -> base::Task<void> {
      co_await informer.CatchUp();
      *end = true;
    };
    base::Spawn(run(informer_, done));
    return done;
  }
  std::vector<std::string> Told() { return std::exchange(told_, {}); }

  controllers::ManualLoop loop_;
  FakeClient client_;
  FakeResource& maps_ = client_.At("", "configmaps");
  Informer informer_{client_, {"", "configmaps"}, loop_};
  std::vector<std::string> told_;
  Revision told_before_ = -1;  // when told_all was called last
};

TEST_F(InformerTest, TellsOfAllThereIsAndThenOfEachChange) {
  Start();
  EXPECT_THAT(Told(), ElementsAre("all", "+a", "+b"));
  Put("c");
  Put("a");
  maps_.Remove("n", "b");
  EXPECT_THAT(Told(), IsEmpty()) << "on its own loop only";
  loop_.Run();
  EXPECT_THAT(Told(), ElementsAre("+c", "~a", "-b"));
}

TEST_F(InformerTest, IsCurrentOnceTheHandlerHasDealtWithAllOfIt) {
  EXPECT_FALSE(informer_.IsCurrent());
  Start();
  EXPECT_TRUE(informer_.IsCurrent());
  EXPECT_EQ(told_before_, 0) << "a handler publishes before others may rely on it";
  Put("c");
  EXPECT_FALSE(informer_.IsCurrent());
  loop_.Run();
  EXPECT_TRUE(informer_.IsCurrent());
  EXPECT_EQ(informer_.told(), maps_.CurrentRevision());
}

TEST_F(InformerTest, CatchingUpEndsWhenAllIsTold) {
  const auto before = CatchUp();
  Start();
  EXPECT_TRUE(*before) << "who asks before it is started waits for nothing";
  Put("c");
  const auto first = CatchUp();
  Put("d");
  const auto second = CatchUp();
  EXPECT_FALSE(*first || *second);
  loop_.Run();
  EXPECT_TRUE(*first && *second);
  EXPECT_TRUE(*CatchUp()) << "at once when there is nothing to tell";
}

TEST_F(InformerTest, WhatItMissesIsMadeUpForByTellingAllAgain) {
  Start();
  Told();
  maps_.Remove("n", "a");
  maps_.LoseEvents();
  EXPECT_FALSE(informer_.IsCurrent());
  const auto waits = CatchUp();
  loop_.Run();
  EXPECT_FALSE(*waits);
  loop_.Advance(1ms);
  EXPECT_THAT(Told(), ElementsAre("again", "+b"));
  EXPECT_TRUE(informer_.IsCurrent());
  EXPECT_TRUE(*waits);
}

// What is acknowledged meanwhile comes to the cache later.
TEST_F(InformerTest, IsNotCurrentWhileTheCacheHasLostItsFeed) {
  Start();
  maps_.SetFollows(false);
  EXPECT_FALSE(informer_.IsCurrent());
  const auto waits = CatchUp();
  loop_.Run();
  EXPECT_FALSE(*waits);
  maps_.SetFollows(true);
  loop_.Run();
  EXPECT_TRUE(*waits);
  EXPECT_TRUE(informer_.IsCurrent());
}

// Its revisions may be lower, as those of a store that was put back.
TEST_F(InformerTest, WhatWasToldBeforeALoadDoesNotCount) {
  Start();
  Told();
  maps_.Reload();
  EXPECT_FALSE(informer_.IsCurrent());
  const auto waits = CatchUp();
  loop_.Run();
  EXPECT_FALSE(*waits);
  loop_.Advance(1ms);
  EXPECT_THAT(Told(), ElementsAre("again", "+a", "+b"));
  EXPECT_TRUE(*waits);
  EXPECT_TRUE(informer_.IsCurrent());
}

TEST_F(InformerTest, NothingIsToldAfterItWasStoppedUntilItIsStartedAnew) {
  Start();
  Told();
  Put("c");
  const auto waits = CatchUp();
  informer_.Stop();
  loop_.Run();
  EXPECT_THAT(Told(), IsEmpty());
  EXPECT_TRUE(*waits);
  Start();
  EXPECT_THAT(Told(), ElementsAre("all", "+a", "+b", "+c"));
}

TEST_F(InformerTest, AHandlerMayStopIt) {
  informer_.Start([this](const Change& change) {
    told_.push_back(std::string(change.object.name()));
    informer_.Stop();
  });
  loop_.Run();
  EXPECT_THAT(Told(), ElementsAre("a"));
}

}  // namespace
}  // namespace keelson::client
