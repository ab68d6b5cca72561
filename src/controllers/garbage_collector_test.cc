#include "controllers/garbage_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "client/testing/fake_client.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// For all that waits before it is tried again.
constexpr std::chrono::hours kLongEnough{1};

class GarbageCollectorTest : public ::testing::Test {
 protected:
  GarbageCollectorTest() {
    objects_.takes_turns = &loop_;
    collector_.Start();
  }

  struct Owner {
    std::string name;
    bool blocks = false;
    std::string kind = "ConfigMap";
  };
  void Add(const std::string& name, std::vector<Owner> owners = {}) { AddTo(objects_, "ns", name, owners); }
  void AddNode(const std::string& name, std::vector<Owner> owners = {}) { AddTo(nodes_, "", name, owners); }
  static void AddTo(client::FakeResource& resource, const std::string& ns, const std::string& name,
                    const std::vector<Owner>& owners = {}) {
    api::Doc doc(*resource.desc.type);
    auto metadata = api::MutableMetadataOf(doc);
    metadata.set_name(name);
    metadata.set_uid("uid-" + name);
    for (const Owner& o : owners) {
      auto owner = metadata.add_owner_references();
      owner.set_api_version("v1");
      owner.set_kind(o.kind);
      owner.set_name(o.name);
      owner.set_uid("uid-" + o.name);
      if (o.blocks) owner.set_block_owner_deletion(true);
    }
    resource.Put(ns, std::move(doc));
  }
  // As a client does it.
  void Delete(const std::string& name, client::Propagation propagation) {
    constexpr auto run = [](const client::Client& client, std::string object,
                            client::Propagation how) -> base::Task<void> {
      EXPECT_TRUE(co_await client.Delete({"", "configmaps"}, "ns", std::move(object), {.propagation = how}));
    };
    base::Spawn(run(client_, name, propagation));
  }
  void Edit(const std::string& name, CollectedObjects::Edit edit) {
    api::Doc doc = objects_.Find("ns", name)->Clone();
    EXPECT_TRUE(edit(api::MutableMetadataOf(doc)));
    objects_.Put("ns", std::move(doc));
  }
  std::vector<std::string> OwnersOf(const std::string& name) {
    std::vector<std::string> owners;
    for (const auto owner : api::MetadataOf(*objects_.Find("ns", name)).owner_references())
      owners.emplace_back(owner.name());
    return owners;
  }
  // "object: reason: message" of each event.
  std::vector<std::string> Warnings() {
    std::vector<std::string> warnings;
    for (const std::string ns : {"ns", "default"})
      for (const std::string& name : events_.Names())
        if (const api::Doc* const doc = events_.Find(ns, name)) {
          const api::core_v1::EventView event(*doc);
          warnings.push_back(std::string(event.involved_object().name()) + ": " +
                             std::string(event.reason()) + ": " + std::string(event.message()));
        }
    return warnings;
  }

  ManualLoop loop_;
  client::FakeClient client_;
  client::FakeResource& objects_ = client_.At("", "configmaps");
  client::FakeResource& nodes_ = client_.At("", "nodes");
  client::FakeResource& events_ = client_.At("", "events");
  GarbageCollector collector_{client_, loop_};
};

using enum client::Propagation;

TEST_F(GarbageCollectorTest, ACascadeFollowsItsOwner) {
  Add("owner");
  Add("child", {{"owner"}});
  Add("grandchild", {{"child"}});
  Add("other");
  loop_.Run();
  EXPECT_THAT(objects_.deleted, IsEmpty());
  Delete("owner", kBackground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("other"));
}

TEST_F(GarbageCollectorTest, WhatIsMadeForAnOwnerThatIsGoneGoesToo) {
  Add("orphan", {{"gone"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AnOwnerOfTheSameNameIsNotTheOwner) {
  Add("owner");
  Add("child", {{"owner"}});
  loop_.Run();
  Delete("owner", kBackground);
  Add("child2", {{"owner"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AnOwnerInAnotherNamespaceIsAbsentAndReported) {
  AddTo(objects_, "elsewhere", "far");
  Add("child", {{"far"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("far"));
  EXPECT_THAT(
      Warnings(),
      ElementsAre("child: OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: ns, name: far, "
                  "uid: uid-far] does not exist in namespace \"ns\""));
}

TEST_F(GarbageCollectorTest, AnObjectOfTheClusterCannotBeOwnedInANamespace) {
  AddTo(objects_, "elsewhere", "far");
  AddNode("node", {{"far"}});
  loop_.Run();
  EXPECT_THAT(nodes_.Names(), ElementsAre("node"));
  EXPECT_EQ(Warnings().size(), 1u);
}

TEST_F(GarbageCollectorTest, DependentsOfAnOwnerThatWasSeenToGoAreNotSearchedFor) {
  Add("owner");
  for (int i = 0; i < 10; ++i) Add("child-" + std::to_string(i), {{"owner"}});
  loop_.Run();
  Delete("owner", kBackground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
  EXPECT_EQ(objects_.lists, 0);
}

TEST_F(GarbageCollectorTest, WhatItIsToldWhileStoppedIsDoneAfterTheNextStart) {
  Add("owner");
  Add("child", {{"owner"}});
  loop_.Run();
  Delete("owner", kBackground);
  objects_.failing_deletes = 1;
  loop_.Run();
  collector_.Stop();
  loop_.Advance(kLongEnough);
  EXPECT_THAT(objects_.Names(), ElementsAre("child"));
  collector_.Start();
  loop_.Advance(kLongEnough);
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, OneOwnerThatStaysKeepsTheObjectAndTheOthersAreForgotten) {
  Add("stays");
  Add("goes");
  Add("child", {{"goes"}, {"stays"}});
  Delete("goes", kBackground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("child", "stays"));
  EXPECT_THAT(OwnersOf("child"), ElementsAre("stays"));
}

TEST_F(GarbageCollectorTest, InTheForegroundTheOwnerGoesLast) {
  Add("owner");
  Add("child", {{"owner", true}});
  Add("grandchild", {{"child", true}});
  loop_.Run();
  Delete("owner", kForeground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
  EXPECT_THAT(objects_.deleted, ElementsAre(std::pair("owner", kForeground), std::pair("child", kForeground),
                                            std::pair("grandchild", kBackground)));
}

TEST_F(GarbageCollectorTest, ADependentWithAFinalizerHoldsItsOwnerInTheForeground) {
  Add("owner");
  Add("held", {{"owner", true}});
  Add("child", {{"owner", true}});
  Edit("held", [](api::meta_v1::ObjectMetaEditor m) {
    m.add_finalizers("example.com/hold");
    return true;
  });
  loop_.Run();
  Delete("owner", kForeground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("held", "owner"));
  Edit("held", [](api::meta_v1::ObjectMetaEditor m) {
    m.clear_finalizers();
    return true;
  });
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, ARingInTheForegroundIsBroken) {
  Add("a");
  Add("b", {{"a", true}});
  Edit("a", [](api::meta_v1::ObjectMetaEditor m) {
    auto owner = m.add_owner_references();
    owner.set_api_version("v1");
    owner.set_kind("ConfigMap");
    owner.set_name("b");
    owner.set_uid("uid-b");
    owner.set_block_owner_deletion(true);
    return true;
  });
  loop_.Run();
  ASSERT_THAT(objects_.Names(), ElementsAre("a", "b"));
  Delete("a", kForeground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, OrphansLoseTheirOwnerAndStay) {
  Add("owner");
  Add("first", {{"owner"}});
  Add("second", {{"owner"}});
  loop_.Run();
  Delete("owner", kOrphan);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("first", "second"));
  EXPECT_THAT(OwnersOf("first"), IsEmpty());
}

TEST_F(GarbageCollectorTest, ManyOrphansAreLetGoAFewAtATime) {
  constexpr int kMany = 2000;
  Add("owner");
  for (int i = 0; i < kMany; ++i) Add("child-" + std::to_string(i), {{"owner"}});
  loop_.Run();
  Delete("owner", kOrphan);
  loop_.Run();
  EXPECT_EQ(objects_.Names().size(), size_t{kMany});
  EXPECT_THAT(OwnersOf("child-1999"), IsEmpty());
  EXPECT_GT(objects_.most_edits, 1);  // they share commits
  EXPECT_LE(objects_.most_edits, 64);
}

TEST_F(GarbageCollectorTest, AnOwnerIsLookedUpForOneOfItsDependents) {
  Add("owner");
  for (int i = 0; i < 1000; ++i) Add("child-" + std::to_string(i), {{"owner"}});
  loop_.Run();
  EXPECT_EQ(objects_.reads, 2);  // the first child and the owner
  Delete("owner", kBackground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AKindThatIsNotServedIsNoReasonToDelete) {
  Add("child", {{"someone", false, "Widget"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("child"));
}

TEST_F(GarbageCollectorTest, AnObjectOfTheClusterCannotLoseAnOwnerInANamespace) {
  AddNode("node", {{"gone"}});
  loop_.Run();
  EXPECT_THAT(nodes_.Names(), ElementsAre("node"));
}

TEST_F(GarbageCollectorTest, AnObjectOfANamespaceMayBelongToOneOfTheCluster) {
  AddNode("node", {});
  Add("lease", {{"node", false, "Node"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("lease"));
  nodes_.Remove("", "node");
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, WhatFailsIsTriedAgain) {
  objects_.failing_deletes = 2;
  Add("child", {{"gone"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("child"));
  loop_.Advance(kLongEnough);
  loop_.Advance(kLongEnough);
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, EventsThatGotLostAreMadeUpFor) {
  Add("owner");
  Add("child", {{"owner"}});
  loop_.Run();
  Delete("owner", kBackground);
  objects_.LoseEvents();
  loop_.Run();
  ASSERT_THAT(objects_.Names(), ElementsAre("child"));
  loop_.Advance(kLongEnough);
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, ManyDependentsGoInTheForegroundToo) {
  constexpr int kMany = 2000;
  Add("owner");
  for (int i = 0; i < kMany; ++i) Add("child-" + std::to_string(i), {{"owner", true}});
  loop_.Run();
  Delete("owner", kForeground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
  EXPECT_EQ(objects_.deleted.size(), kMany + 1u);
}

}  // namespace
}  // namespace keelson::controllers
