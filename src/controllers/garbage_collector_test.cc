#include "controllers/garbage_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "api/codec/protobuf.h"
#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "base/slice.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// For all that waits before it is tried again.
constexpr std::chrono::hours kLongEnough{1};

// A store of configmaps (resource 0) and nodes (1, of the cluster), by name. It follows the
// rules of deletion: finalizers hold an object, and the last one that goes lets it go.
class FakeObjects final : public client::Objects {
 public:
  explicit FakeObjects(base::Executor& loop) : loop_(loop) {}

  void Watch(Observer observer) override { observer_ = std::move(observer); }
  void StopWatching() override { observer_ = {}; }
  void CatchUp() override {
    while (observer_.see && !events_.empty()) {
      const auto event = std::move(events_.front());
      events_.pop_front();
      client::ObjectChange change{.resource = event.object.resource,
                                  .ns = event.object.ns,
                                  .name = event.object.name,
                                  .uid = event.object.uid,
                                  .gone = event.gone};
      ASSERT_TRUE(api::ReadOwnership(event.metadata, change.ownership));
      observer_.see(change);
    }
  }
  std::optional<Resource> Resolve(std::string_view api_version, std::string_view kind) const override {
    if (api_version != "v1") return std::nullopt;
    if (kind == "ConfigMap") return Resource{0, true};
    if (kind == "Node") return Resource{1, false};
    return std::nullopt;
  }
  base::Task<Result<std::optional<client::ObjectState>>> Get(client::ObjectRef object) override {
    ++reads;
    const auto it = objects_.find(object.name);
    if (it == objects_.end()) co_return std::nullopt;
    const auto bytes = std::make_shared<const std::string>(Metadata(it->second.doc));
    client::ObjectState state{.uid = it->second.ref.uid, .resource_version = "7", .keepalive = bytes};
    api::ReadOwnership(*bytes, state.ownership);
    co_return state;
  }
  base::Task<bool> ExistsAnywhere(uint32_t, std::string name, std::string uid) override {
    ++searches;
    co_return elsewhere == name&& uid == "uid-" + name;
  }
  base::Task<void> Warn(client::ObjectRef object, std::string_view reason, std::string message) override {
    warnings.push_back(object.name + ": " + std::string(reason) + ": " + message);
    co_return;
  }
  base::Task<Result<void>> Delete(client::ObjectRef object, std::string resource_version,
                                  client::Propagation propagation) override {
    if (failures > 0) {
      --failures;
      co_return base::Err(api::InternalError("disk full"));
    }
    EXPECT_TRUE(resource_version == "7" || resource_version.empty());
    EXPECT_EQ(objects_.at(object.name).ref.uid, object.uid);
    Delete(object.name, propagation);
    co_return Result<void>();
  }
  base::Task<Result<void>> EditMetadata(client::ObjectRef object, Edit edit) override {
    most_edits = std::max(most_edits, ++edits);
    const base::Completion<bool> turn;
    loop_.Post([turn] { turn.Set(true); });
    co_await turn;
    --edits;
    const auto it = objects_.find(object.name);
    if (it == objects_.end()) co_return base::Err(api::NotFound({"", "things"}, object.name));
    if (edit(api::MutableMetadataOf(it->second.doc))) Changed(it);
    co_return Result<void>();
  }

  struct Owner {
    std::string name;
    bool blocks = false;
    std::string kind = "ConfigMap";
  };
  void Add(const std::string& name, std::vector<Owner> owners = {}, uint32_t resource = 0) {
    Stored stored{{resource, resource == 0 ? "ns" : "", name, "uid-" + name},
                  api::Doc(api::core_v1::ConfigMapView::Type())};
    auto metadata = api::MutableMetadataOf(stored.doc);
    for (const Owner& o : owners) {
      auto owner = metadata.add_owner_references();
      owner.set_api_version("v1");
      owner.set_kind(o.kind);
      owner.set_name(o.name);
      owner.set_uid("uid-" + o.name);
      if (o.blocks) owner.set_block_owner_deletion(true);
    }
    Changed(objects_.emplace(name, std::move(stored)).first);
  }
  // As a client does it.
  void Delete(const std::string& name, client::Propagation propagation) {
    deleted.emplace_back(name, propagation);
    const auto it = objects_.find(name);
    auto metadata = api::MutableMetadataOf(it->second.doc);
    metadata.set_deletion_timestamp(1);
    if (propagation == client::Propagation::kOrphan) metadata.add_finalizers("orphan");
    if (propagation == client::Propagation::kForeground) metadata.add_finalizers("foregroundDeletion");
    Changed(it);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, stored] : objects_) names.push_back(name);
    return names;
  }
  std::vector<std::string> OwnersOf(const std::string& name) {
    std::vector<std::string> owners;
    for (const auto owner : api::MetadataOf(objects_.at(name).doc).owner_references())
      owners.emplace_back(owner.name());
    return owners;
  }
  // What a watch begins with.
  void TellAll() {
    for (const auto& [name, stored] : objects_) events_.push_back({stored.ref, Metadata(stored.doc), false});
    CatchUp();
  }
  void LoseEvents() { events_.clear(); }
  void TellOfLoss() { observer_.missed(); }

  std::vector<std::pair<std::string, client::Propagation>> deleted;
  int failures = 0, searches = 0, reads = 0;
  int edits = 0, most_edits = 0;  // at the same time
  std::string elsewhere;          // the name of an object in another namespace
  std::vector<std::string> warnings;

 private:
  struct Stored {
    client::ObjectRef ref;
    api::Doc doc;
  };
  struct Event {
    client::ObjectRef object;
    std::string metadata;
    bool gone;
  };
  static std::string Metadata(const api::Doc& doc) {
    base::BufferBuilder out;
    if (const auto metadata = api::MetadataOf(doc)) api::protobuf::Encode(*metadata.node(), out);
    return std::string(out.view());
  }
  void Changed(std::map<std::string, Stored>::iterator it) {
    const auto metadata = api::MetadataOf(it->second.doc);
    const bool gone = metadata.has_deletion_timestamp() && metadata.finalizers().empty();
    events_.push_back({it->second.ref, Metadata(it->second.doc), gone});
    if (gone) objects_.erase(it);
    loop_.Post([this] { CatchUp(); });
  }

  base::Executor& loop_;
  Observer observer_;
  std::map<std::string, Stored> objects_;
  std::deque<Event> events_;
};

class GarbageCollectorTest : public ::testing::Test {
 protected:
  GarbageCollectorTest() { collector_.Start(); }

  void Edit(const std::string& name, client::Objects::Edit edit) {
    constexpr auto run = [](FakeObjects* objects, client::ObjectRef object,
                            client::Objects::Edit change) -> base::Task<void> {
      EXPECT_TRUE(co_await objects->EditMetadata(std::move(object), std::move(change)));
    };
    base::Spawn(run(&objects_, {0, "ns", name, "uid-" + name}, std::move(edit)));
  }

  ManualLoop loop_;
  FakeObjects objects_{loop_};
  GarbageCollector collector_{objects_, loop_};
};

using enum client::Propagation;

TEST_F(GarbageCollectorTest, ACascadeFollowsItsOwner) {
  objects_.Add("owner");
  objects_.Add("child", {{"owner"}});
  objects_.Add("grandchild", {{"child"}});
  objects_.Add("other");
  loop_.Run();
  EXPECT_THAT(objects_.deleted, IsEmpty());
  objects_.Delete("owner", kBackground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("other"));
}

TEST_F(GarbageCollectorTest, WhatIsMadeForAnOwnerThatIsGoneGoesToo) {
  objects_.Add("orphan", {{"gone"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AnOwnerOfTheSameNameIsNotTheOwner) {
  objects_.Add("owner");
  objects_.Add("child", {{"owner"}});
  loop_.Run();
  objects_.Delete("owner", kBackground);
  objects_.Add("child2", {{"owner"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AnOwnerInAnotherNamespaceIsAbsentAndReported) {
  objects_.elsewhere = "far";
  objects_.Add("child", {{"far"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
  EXPECT_THAT(
      objects_.warnings,
      ElementsAre("child: OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: ns, name: far, "
                  "uid: uid-far] does not exist in namespace \"ns\""));
}

TEST_F(GarbageCollectorTest, AnObjectOfTheClusterCannotBeOwnedInANamespace) {
  objects_.elsewhere = "far";
  objects_.Add("node", {{"far"}}, 1);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("node"));
  EXPECT_EQ(objects_.warnings.size(), 1u);
}

TEST_F(GarbageCollectorTest, DependentsOfAnOwnerThatWasSeenToGoAreNotSearchedFor) {
  objects_.Add("owner");
  for (int i = 0; i < 10; ++i) objects_.Add("child-" + std::to_string(i), {{"owner"}});
  loop_.Run();
  objects_.Delete("owner", kBackground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
  EXPECT_EQ(objects_.searches, 0);
}

TEST_F(GarbageCollectorTest, WhatItIsToldWhileStoppedIsDoneAfterTheNextStart) {
  objects_.Add("owner");
  objects_.Add("child", {{"owner"}});
  loop_.Run();
  objects_.failures = 1;
  objects_.Delete("owner", kBackground);
  loop_.Run();
  collector_.Stop();
  loop_.Advance(kLongEnough);
  EXPECT_THAT(objects_.Names(), ElementsAre("child"));
  collector_.Start();
  objects_.TellAll();
  loop_.Advance(kLongEnough);
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, OneOwnerThatStaysKeepsTheObjectAndTheOthersAreForgotten) {
  objects_.Add("stays");
  objects_.Add("goes");
  objects_.Add("child", {{"goes"}, {"stays"}});
  objects_.Delete("goes", kBackground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("child", "stays"));
  EXPECT_THAT(objects_.OwnersOf("child"), ElementsAre("stays"));
}

TEST_F(GarbageCollectorTest, InTheForegroundTheOwnerGoesLast) {
  objects_.Add("owner");
  objects_.Add("child", {{"owner", true}});
  objects_.Add("grandchild", {{"child", true}});
  loop_.Run();
  objects_.Delete("owner", kForeground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
  EXPECT_THAT(objects_.deleted, ElementsAre(std::pair("owner", kForeground), std::pair("child", kForeground),
                                            std::pair("grandchild", kBackground)));
}

TEST_F(GarbageCollectorTest, ADependentWithAFinalizerHoldsItsOwnerInTheForeground) {
  objects_.Add("owner");
  objects_.Add("held", {{"owner", true}});
  objects_.Add("child", {{"owner", true}});
  Edit("held", [](api::meta_v1::ObjectMetaEditor m) {
    m.add_finalizers("example.com/hold");
    return true;
  });
  loop_.Run();
  objects_.Delete("owner", kForeground);
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
  objects_.Add("a");
  objects_.Add("b", {{"a", true}});
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
  objects_.Delete("a", kForeground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, OrphansLoseTheirOwnerAndStay) {
  objects_.Add("owner");
  objects_.Add("first", {{"owner"}});
  objects_.Add("second", {{"owner"}});
  loop_.Run();
  objects_.Delete("owner", kOrphan);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("first", "second"));
  EXPECT_THAT(objects_.OwnersOf("first"), IsEmpty());
}

TEST_F(GarbageCollectorTest, ManyOrphansAreLetGoAFewAtATime) {
  constexpr int kMany = 2000;
  objects_.Add("owner");
  for (int i = 0; i < kMany; ++i) objects_.Add("child-" + std::to_string(i), {{"owner"}});
  loop_.Run();
  objects_.Delete("owner", kOrphan);
  loop_.Run();
  EXPECT_EQ(objects_.Names().size(), size_t{kMany});
  EXPECT_THAT(objects_.OwnersOf("child-1999"), IsEmpty());
  EXPECT_GT(objects_.most_edits, 1);  // they share commits
  EXPECT_LE(objects_.most_edits, 64);
}

TEST_F(GarbageCollectorTest, AnOwnerIsLookedUpForOneOfItsDependents) {
  objects_.Add("owner");
  for (int i = 0; i < 1000; ++i) objects_.Add("child-" + std::to_string(i), {{"owner"}});
  loop_.Run();
  EXPECT_EQ(objects_.reads, 2);  // the first child and the owner
  objects_.Delete("owner", kBackground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AKindThatIsNotServedIsNoReasonToDelete) {
  objects_.Add("child", {{"someone", false, "Widget"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("child"));
}

TEST_F(GarbageCollectorTest, AnObjectOfTheClusterCannotLoseAnOwnerInANamespace) {
  objects_.Add("node", {{"gone"}}, 1);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("node"));
}

TEST_F(GarbageCollectorTest, AnObjectOfANamespaceMayBelongToOneOfTheCluster) {
  objects_.Add("node", {}, 1);
  objects_.Add("lease", {{"node", false, "Node"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("lease", "node"));
  objects_.Delete("node", kBackground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, WhatFailsIsTriedAgain) {
  objects_.failures = 2;
  objects_.Add("child", {{"gone"}});
  loop_.Run();
  EXPECT_THAT(objects_.Names(), ElementsAre("child"));
  loop_.Advance(kLongEnough);
  loop_.Advance(kLongEnough);
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, EventsThatGotLostAreMadeUpFor) {
  objects_.Add("owner");
  objects_.Add("child", {{"owner"}});
  loop_.Run();
  objects_.Delete("owner", kBackground);
  objects_.LoseEvents();
  loop_.Run();
  ASSERT_THAT(objects_.Names(), ElementsAre("child"));
  objects_.TellOfLoss();
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, ManyDependentsGoInTheForegroundToo) {
  constexpr int kMany = 2000;
  objects_.Add("owner");
  for (int i = 0; i < kMany; ++i) objects_.Add("child-" + std::to_string(i), {{"owner", true}});
  loop_.Run();
  objects_.Delete("owner", kForeground);
  loop_.Run();
  EXPECT_THAT(objects_.Names(), IsEmpty());
  EXPECT_EQ(objects_.deleted.size(), kMany + 1u);
}

}  // namespace
}  // namespace keelson::controllers
