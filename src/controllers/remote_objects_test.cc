#include "controllers/remote_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/generated/core_v1.h"
#include "client/testing/fake_client.h"
#include "controllers/garbage_collector.h"
#include "controllers/namespace_controller.h"
#include "controllers/testing/fake_remote.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RemoteObjectsTest : public ::testing::Test {
 protected:
  RemoteObjectsTest() {
    api::Doc doc(api::core_v1::NamespaceView::Type());
    api::core_v1::NamespaceEditor ns(doc);
    ns.mutable_metadata().set_name("a");
    ns.mutable_spec().add_finalizers("kubernetes");
    ns.mutable_status().set_phase("Terminating");
    terminating_ = std::move(doc);
  }
  void PutMap(const std::string& name, const api::OwnerReference& o) {
    api::Doc doc(*maps_.desc.type);
    auto metadata = api::MutableMetadataOf(doc);
    metadata.set_name(name);
    metadata.set_uid("uid-" + name);
    auto owner = metadata.add_owner_references();
    owner.set_api_version(o.api_version);
    owner.set_kind(o.kind);
    owner.set_name(o.name);
    owner.set_uid(o.uid);
    maps_.Put("a", std::move(doc));
  }
  std::string Condition(std::string_view type) const {
    for (const auto c : api::core_v1::NamespaceView(*namespaces_.Find("", "a")).status().conditions())
      if (c.type() == type) return std::string(c.status()) + " " + std::string(c.message());
    return "";
  }

  ManualLoop loop_;
  client::FakeClient client_;
  client::FakeResource& namespaces_ = client_.At("", "namespaces");
  client::FakeResource& maps_ = client_.At("", "configmaps");
  client::FakeResource& events_ = client_.At("", "events");
  FakeRemote remote_;
  api::Doc terminating_;
};

constexpr api::OwnerReference kGear{
    .api_version = "example.com/v1", .kind = "Gear", .name = "g", .uid = "uid-g"};
constexpr api::OwnerReference kLostMap{.api_version = "v1", .kind = "ConfigMap", .name = "m", .uid = "uid-m"};

TEST_F(RemoteObjectsTest, ChangesAreToldOnceAndAServerThatIsAwayChangesNothing) {
  std::vector<std::string> told;
  RemoteObjects objects(remote_, loop_);
  remote_.Put("g");
  objects.Watch({.see = [&](uint32_t, const RemoteObject& o) { told.push_back("+" + o.name); },
                 .gone = [&](uint32_t, const RemoteObject& o) { told.push_back("-" + o.name); },
                 .appeared = [] {}});
  loop_.Run();
  loop_.Advance(RemoteObjects::kRefresh);
  EXPECT_THAT(told, ElementsAre("+g"));
  EXPECT_EQ(remote_.lists, 2);
  remote_.dead = true;
  loop_.Advance(RemoteObjects::kRefresh);
  EXPECT_THAT(told, ElementsAre("+g"));
  remote_.dead = false;
  remote_.objects.clear();
  for (int i = 0; i < 10; ++i) loop_.Advance(RemoteObjects::kRefresh);
  EXPECT_THAT(told, ElementsAre("+g", "-g"));
}

TEST_F(RemoteObjectsTest, DependentsOnAnotherServerAreCollected) {
  GarbageCollector collector(client_, loop_, &remote_);
  remote_.Put("g", {kLostMap});
  remote_.Put("kept");
  collector.Start();
  loop_.Run();
  EXPECT_THAT(remote_.Names(), ElementsAre("kept"));
  collector.Stop();
}

TEST_F(RemoteObjectsTest, AnObjectWithoutAUidKeepsNobodyFromBeingCollected) {
  GarbageCollector collector(client_, loop_, &remote_);
  remote_.Put("anonymous", {kLostMap});
  remote_.objects.at("anonymous").uid.clear();
  remote_.Put("g", {kLostMap});
  collector.Start();
  loop_.Run();
  EXPECT_THAT(remote_.Names(), ElementsAre("anonymous"));
  collector.Stop();
}

TEST_F(RemoteObjectsTest, DependentsOfOwnersOnAnotherServerFollowThem) {
  GarbageCollector collector(client_, loop_, &remote_);
  remote_.Put("g");
  collector.Start();
  PutMap("child", kGear);
  loop_.Run();
  EXPECT_THAT(maps_.Names(), ElementsAre("child"));
  remote_.objects.clear();
  loop_.Advance(RemoteObjects::kRefresh);
  EXPECT_THAT(maps_.Names(), IsEmpty());
  collector.Stop();
}

TEST_F(RemoteObjectsTest, WhileAServerIsAwayItsDependentsStayAndOthersGo) {
  GarbageCollector collector(client_, loop_, &remote_);
  remote_.dead = true;
  collector.Start();
  loop_.Run();
  PutMap("child", kGear);
  PutMap("lost", kLostMap);
  loop_.Advance(1s);
  EXPECT_THAT(maps_.Names(), ElementsAre("child"));
  remote_.dead = false;
  for (int i = 0; i < 10; ++i) loop_.Advance(GarbageCollector::kMaxRetry);
  EXPECT_THAT(maps_.Names(), IsEmpty()) << "the server is back and has no such owner";
  collector.Stop();
}

TEST_F(RemoteObjectsTest, DependentsOfAKindThatAppearsLaterAreLookedAtAgain) {
  GarbageCollector collector(client_, loop_, &remote_);
  const std::string kind = std::exchange(remote_.gears.kind, "Other");
  collector.Start();
  PutMap("child", kGear);
  loop_.Run();
  EXPECT_THAT(maps_.Names(), ElementsAre("child")) << "nobody knows the kind";
  remote_.gears.kind = kind;
  remote_.gears.plural = "newgears";
  loop_.Advance(RemoteObjects::kRefresh);
  EXPECT_THAT(maps_.Names(), IsEmpty());
  collector.Stop();
}

TEST_F(RemoteObjectsTest, OwnersAreDroppedOnAnotherServer) {
  GarbageCollector collector(client_, loop_, &remote_);
  remote_.Put("g");
  remote_.Put("child", {kGear, kLostMap});
  collector.Start();
  loop_.Run();
  ASSERT_EQ(remote_.written.size(), 1u);
  EXPECT_EQ(api::MetadataOf(*remote_.written.front().doc).owner_references().size(), 1u);
  collector.Stop();
}

TEST_F(RemoteObjectsTest, ANamespaceGoesWithWhatOtherServersHaveInIt) {
  NamespaceController controller(client_, loop_, 0s, base::Clock::Real(), &remote_);
  remote_.Put("g");
  controller.Start();
  namespaces_.Put("", terminating_.Clone());
  loop_.Run();
  EXPECT_THAT(remote_.Names(), IsEmpty());
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
  controller.Stop();
}

TEST_F(RemoteObjectsTest, WhatAServerCannotDeleteAtOnceIsDeletedOneByOne) {
  NamespaceController controller(client_, loop_, 0s, base::Clock::Real(), &remote_);
  remote_.Put("g");
  remote_.delete_all_code = 405;
  controller.Start();
  namespaces_.Put("", terminating_.Clone());
  loop_.Run();
  EXPECT_THAT(remote_.Names(), IsEmpty());
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
  controller.Stop();
}

TEST_F(RemoteObjectsTest, AResourceThatAServerHasOnlyInItsDiscoveryHoldsNoNamespace) {
  NamespaceController controller(client_, loop_, 0s, base::Clock::Real(), &remote_);
  remote_.delete_all_code = remote_.list_code = 404;
  controller.Start();
  namespaces_.Put("", terminating_.Clone());
  loop_.Run();
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
  controller.Stop();
}

TEST_F(RemoteObjectsTest, ANamespaceStaysWhileObjectsRemainOnAnotherServer) {
  NamespaceController controller(client_, loop_, 0s, base::Clock::Real(), &remote_);
  remote_.gears.deletes_collections = false;
  remote_.dead = true;
  remote_.unknown = {"example.com/v1"};
  controller.Start();
  namespaces_.Put("", terminating_.Clone());
  loop_.Run();
  EXPECT_EQ(
      Condition("NamespaceDeletionDiscoveryFailure"),
      "True Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server "
      "APIs: example.com/v1: stale GroupVersion discovery: example.com/v1");
  EXPECT_EQ(
      Condition("NamespaceDeletionContentFailure"),
      "True Failed to delete all resource types, 1 remaining: the server is currently unable to handle the "
      "request");
  remote_.dead = false;
  remote_.unknown.clear();
  loop_.Advance(NamespaceController::kMaxRetry);
  EXPECT_THAT(namespaces_.Names(), IsEmpty());
  controller.Stop();
}

TEST_F(RemoteObjectsTest, FinalizersOnAnotherServerAreTold) {
  NamespaceController controller(client_, loop_, 0s, base::Clock::Real(), &remote_);
  remote_.Put("g", {}, "example.com/hold");
  controller.Start();
  namespaces_.Put("", terminating_.Clone());
  loop_.Run();
  EXPECT_EQ(Condition("NamespaceContentRemaining"),
            "True Some resources are remaining: gears.example.com has 1 resource instances");
  EXPECT_EQ(Condition("NamespaceFinalizersRemaining"),
            "True Some content in the namespace has finalizers remaining: example.com/hold in 1 resource "
            "instances");
  controller.Stop();
}

}  // namespace
}  // namespace keelson::controllers
