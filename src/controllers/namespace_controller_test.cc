#include "controllers/namespace_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "client/testing/fake_client.h"
#include "controllers/namespace_conditions.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "type=status reason: message" of each condition.
std::vector<std::string> ConditionsOf(const api::Doc& doc) {
  std::vector<std::string> all;
  for (const auto c : api::core_v1::NamespaceView(doc).status().conditions())
    all.push_back(std::string(c.type()) + "=" + std::string(c.status()) + " " + std::string(c.reason()) +
                  ": " + std::string(c.message()));
  return all;
}

class NamespaceControllerTest : public ::testing::Test {
 protected:
  explicit NamespaceControllerTest(std::chrono::nanoseconds grace = 0s)
      : controller_(client_, loop_, grace, clock_) {
    controller_.Start();
    loop_.Run();
  }

  void Pass(std::chrono::milliseconds time) {
    for (; time.count() > 0; time -= NamespaceController::kLook) {
      clock_.Advance(NamespaceController::kLook);
      loop_.Advance(NamespaceController::kLook);
    }
  }
  void PutNamespace(const std::string& name, std::string_view phase = "Terminating") {
    api::Doc doc(api::core_v1::NamespaceView::Type());
    api::core_v1::NamespaceEditor ns(doc);
    ns.mutable_metadata().set_name(name);
    ns.mutable_spec().add_finalizers("kubernetes");
    ns.mutable_status().set_phase(phase);
    namespaces_.Put("", std::move(doc));
  }
  static void PutIn(client::FakeResource& resource, const std::string& name, std::string_view finalizer = "",
                    const std::string& ns = "a") {
    api::Doc doc(*resource.desc.type);
    auto metadata = api::MutableMetadataOf(doc);
    metadata.set_name(name);
    if (!finalizer.empty()) metadata.add_finalizers(finalizer);
    resource.Put(ns, std::move(doc));
  }
  // What holds it has gone.
  static void Free(client::FakeResource& resource, const std::string& name) {
    api::Doc doc = resource.Find("a", name)->Clone();
    api::MutableMetadataOf(doc).clear_finalizers();
    resource.Put("a", std::move(doc));
  }
  std::vector<std::string> Conditions() const { return ConditionsOf(*namespaces_.Find("", "a")); }

  ManualLoop loop_;
  base::FakeClock clock_{std::chrono::system_clock::now()};
  client::FakeClient client_;
  client::FakeResource& namespaces_ = client_.At("", "namespaces");
  client::FakeResource& pods_ = client_.At("", "pods");
  client::FakeResource& maps_ = client_.At("", "configmaps");
  client::FakeResource& accounts_ = client_.At("", "serviceaccounts");
  NamespaceController controller_;
};

TEST_F(NamespaceControllerTest, ANamespaceGoesWithAllThatLiesInIt) {
  PutIn(pods_, "p");
  PutIn(maps_, "m");
  PutIn(maps_, "other", "", "b");
  PutNamespace("a");
  PutNamespace("b", "Active");
  loop_.Run();
  EXPECT_THAT(namespaces_.Names(), ElementsAre("b"));
  EXPECT_THAT(pods_.Names(), IsEmpty());
  EXPECT_THAT(maps_.Names(), ElementsAre("other"));
}

TEST_F(NamespaceControllerTest, WhatPodsUseStaysUntilTheyHaveEnded) {
  PutIn(pods_, "p", "example.com/hold");
  PutIn(maps_, "m");
  PutNamespace("a");
  loop_.Run();
  EXPECT_THAT(maps_.Names(), ElementsAre("m"));
  EXPECT_EQ(Conditions()[3],
            "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: pods. has 1 "
            "resource instances");
  Free(pods_, "p");
  loop_.Run();
  EXPECT_THAT(maps_.Names(), IsEmpty());
  EXPECT_THAT(namespaces_.Names(), IsEmpty()) << "the end of what remains is not waited for by the clock";
}

TEST_F(NamespaceControllerTest, CustomObjectsGoToo) {
  api::ResourceDesc desc = maps_.desc;
  desc.group = "example.com";
  desc.plural = "gears";
  client::FakeResource& gears = client_.Serve(desc);
  PutIn(gears, "g");
  PutNamespace("a");
  loop_.Run();
  EXPECT_THAT(gears.Names(), IsEmpty());
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
}

TEST_F(NamespaceControllerTest, AFailureIsTriedAgainAfterEverLongerPauses) {
  maps_.failing_deletes = 3;
  PutNamespace("a");
  loop_.Run();
  EXPECT_EQ(maps_.failing_deletes, 1) << "the change of its own status is looked at at once";
  EXPECT_EQ(
      Conditions()[2],
      "NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource types, 1 "
      "remaining: Internal error occurred: disk full");
  Pass(1s);
  EXPECT_EQ(maps_.failing_deletes, 0);
  Pass(900ms);
  EXPECT_THAT(namespaces_.Names(), ElementsAre("a")) << "two seconds after the second try";
  Pass(100ms);
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
}

TEST_F(NamespaceControllerTest, WhatWasMadeAnewUnderTheNameIsLeftAlone) {
  PutIn(maps_, "m");
  PutNamespace("a");
  PutNamespace("a", "Active");
  loop_.Run();
  EXPECT_THAT(maps_.Names(), ElementsAre("m"));
  EXPECT_THAT(namespaces_.Names(), ElementsAre("a"));
}

TEST_F(NamespaceControllerTest, NothingIsBegunAfterItWasStopped) {
  maps_.failing_deletes = 2;
  PutNamespace("a");
  loop_.Run();
  controller_.Stop();
  PutNamespace("b");
  Pass(60s);
  EXPECT_THAT(namespaces_.Names(), ElementsAre("a", "b"));
  controller_.Start();
  loop_.Run();
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
}

TEST_F(NamespaceControllerTest, WhatHasNotChangedIsNotWritten) {
  PutIn(maps_, "m", "example.com/hold");
  PutNamespace("a");
  loop_.Run();
  const int writes = namespaces_.writes;
  Pass(10s);
  EXPECT_EQ(namespaces_.writes, writes);
  EXPECT_EQ(Conditions()[4],
            "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has "
            "finalizers remaining: example.com/hold in 1 resource instances");
}

TEST(NamespaceConditionsTest, TellWhatRemainsAndWhy) {
  api::Doc doc(api::core_v1::NamespaceView::Type());
  const auto status = api::core_v1::NamespaceEditor(doc).mutable_status();
  const NamespaceRemains remains{.remaining = {{"jobs.batch", 1}, {"configmaps.", 2}},
                                 .finalizers = {{"example.com/hold", 3}},
                                 .failures = {"secrets is broken", "disk full"}};
  EXPECT_TRUE(SetContentConditions(status, remains, 1));
  EXPECT_THAT(
      ConditionsOf(doc),
      ElementsAre(
          "NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully "
          "discovered",
          "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types "
          "successfully parsed",
          "NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource types, "
          "2 remaining: disk full, secrets is broken",
          "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has "
          "2 resource instances, jobs.batch has 1 resource instances",
          "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has "
          "finalizers remaining: example.com/hold in 3 resource instances"));
  EXPECT_FALSE(SetContentConditions(status, remains, 2));
  EXPECT_TRUE(SetContentConditions(status, {}, 3));
  EXPECT_EQ(ConditionsOf(doc)[3],
            "NamespaceContentRemaining=False ContentRemoved: All content successfully removed");
}

class NamespaceGraceTest : public NamespaceControllerTest {
 protected:
  NamespaceGraceTest() : NamespaceControllerTest(5s) {}
};

TEST_F(NamespaceGraceTest, ANamespaceThatSomebodyEmptiesIsLeftAloneUntilItIsQuiet) {
  PutIn(maps_, "m");
  PutNamespace("a");
  loop_.Run();
  for (int i = 0; i < 30; ++i) {
    PutIn(maps_, "m");
    Pass(100ms);
  }
  Pass(900ms);
  EXPECT_THAT(maps_.Names(), ElementsAre("m"));
  Pass(200ms);
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
}

TEST_F(NamespaceGraceTest, NobodyIsWaitedForBeyondTheGrace) {
  PutIn(maps_, "m");
  PutNamespace("a");
  loop_.Run();
  for (int i = 0; i < 49; ++i) {
    PutIn(maps_, "m");
    Pass(100ms);
  }
  EXPECT_THAT(namespaces_.Names(), ElementsAre("a"));
  PutIn(maps_, "m");
  Pass(100ms);
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
}

TEST_F(NamespaceGraceTest, WhatHoldsNothingButWhatEveryNamespaceIsGivenGoesAtOnce) {
  PutIn(accounts_, "default");
  PutIn(maps_, "kube-root-ca.crt");
  PutNamespace("a");
  loop_.Run();
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
}

TEST_F(NamespaceGraceTest, IsGivenOnce) {
  PutIn(maps_, "m", "example.com/hold");
  PutNamespace("a");
  loop_.Run();
  Pass(1100ms);
  EXPECT_FALSE(maps_.deleted.empty());
  Free(maps_, "m");
  PutIn(maps_, "late");
  loop_.Run();
  EXPECT_THAT(namespaces_.Names(), IsEmpty()) << "without another grace";
}

}  // namespace
}  // namespace keelson::controllers
