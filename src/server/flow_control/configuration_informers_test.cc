#include "server/flow_control/configuration_informers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "client/testing/fake_client.h"
#include "server/testing/manual_loop.h"

namespace keelson::server::flow_control {
namespace {

using namespace std::chrono_literals;

class ConfigurationInformersTest : public ::testing::Test {
 protected:
  void PutLevel() {
    levels_.Put(R"({"metadata":{"name":"mine","uid":"l"},"spec":{"type":"Limited","limited":
        {"nominalConcurrencyShares":5,"limitResponse":{"type":"Reject"}}}})");
  }
  void PutSchema() {
    schemas_.Put(R"({"metadata":{"name":"mine","uid":"s","generation":1},"spec":{"matchingPrecedence":1,
        "priorityLevelConfiguration":{"name":"mine"},"rules":[]}})");
  }
  void Settle() {
    loop_.Run();
    for (int i = 0; i < 3; ++i) loop_.Advance(1s);
  }
  bool HasSchema() const {
    const auto configuration = control_.Read();
    return std::ranges::find(configuration->schemas.schemas(), "mine", &FlowSchemaSpec::name) !=
           configuration->schemas.schemas().end();
  }
  bool HasLevel() const {
    const auto configuration = control_.Read();
    return std::ranges::any_of(configuration->levels,
                               [](const auto& entry) { return entry.level->name() == "mine"; });
  }

  base::FakeClock clock_;
  testing::ManualLoop loop_{clock_};
  client::FakeClient client_;
  client::FakeResource& levels_ = client_.At("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations");
  client::FakeResource& schemas_ = client_.At("flowcontrol.apiserver.k8s.io", "flowschemas");
  base::Metrics metrics_;
  FlowControl control_{600, metrics_, clock_};
  ConfigurationInformers informers_{client_, control_, loop_};
};

TEST_F(ConfigurationInformersTest, WhatIsThereAndWhatComesCounts) {
  PutLevel();
  informers_.Start();
  Settle();
  EXPECT_TRUE(HasLevel());
  EXPECT_FALSE(HasSchema());
  PutSchema();
  Settle();
  EXPECT_TRUE(HasSchema());
}

TEST_F(ConfigurationInformersTest, TheLastThatGoesWhileNobodyWatchesIsGone) {
  PutLevel();
  PutSchema();
  informers_.Start();
  Settle();
  EXPECT_TRUE(HasSchema());
  EXPECT_TRUE(HasLevel());
  schemas_.Remove("", "mine");
  schemas_.LoseEvents();
  levels_.Remove("", "mine");
  levels_.LoseEvents();
  Settle();
  EXPECT_FALSE(HasSchema());
  EXPECT_FALSE(HasLevel());
}

}  // namespace
}  // namespace keelson::server::flow_control
