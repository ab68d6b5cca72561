#include "api/meta/object_meta.h"

#include <gtest/gtest.h>

#include <set>

#include "api/generated/core_v1.h"

namespace keelson::api {
namespace {

TEST(ObjectMetaTest, MetadataIsFoundInAnyObject) {
  Doc doc(core_v1::ConfigMapView::Type());
  EXPECT_FALSE(MetadataOf(doc));
  EXPECT_EQ(MetadataOf(doc).name(), "");
  MutableMetadataOf(doc).set_name("settings");
  EXPECT_EQ(MetadataOf(doc).name(), "settings");
  EXPECT_EQ(core_v1::ConfigMapView(doc).metadata().name(), "settings");
}

TEST(ObjectMetaTest, AListHasNoObjectMetadata) {
  Doc doc(core_v1::ConfigMapListView::Type());
  EXPECT_FALSE(MetadataOf(doc));
}

TEST(ObjectMetaTest, SystemFieldsAreTheServersToSetAndToWipe) {
  Doc doc(core_v1::ConfigMapView::Type());
  base::FakeClock clock;
  FillObjectMetaSystemFields(doc, clock);
  EXPECT_EQ(MetadataOf(doc).creation_timestamp(), 1'700'000'000);
  EXPECT_EQ(MetadataOf(doc).uid().size(), 36u);

  auto metadata = MutableMetadataOf(doc);
  metadata.set_deletion_timestamp(5);
  metadata.set_deletion_grace_period_seconds(0);
  metadata.set_self_link("/x");
  WipeObjectMetaSystemFields(doc);
  EXPECT_FALSE(MetadataOf(doc).has_creation_timestamp());
  EXPECT_FALSE(MetadataOf(doc).has_deletion_timestamp());
  EXPECT_FALSE(MetadataOf(doc).has_deletion_grace_period_seconds());
  EXPECT_EQ(MetadataOf(doc).uid(), "");
  EXPECT_EQ(MetadataOf(doc).self_link(), "");
}

TEST(ObjectMetaTest, OwnersThatAreRepeatedInAllFieldsGo) {
  Doc doc(core_v1::ConfigMapView::Type());
  const auto add = [&](std::string_view name, std::string_view uid) {
    auto owner = MutableMetadataOf(doc).add_owner_references();
    owner.set_name(name);
    owner.set_uid(uid);
    return owner;
  };
  add("a", "1");
  add("a", "1").set_controller(false);  // said, where the first says nothing
  add("b", "1");
  add("a", "1");
  add("a", "2");
  EXPECT_EQ(
      DropRepeatedOwners(doc, true),
      ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server "
      "dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your "
      "requests; duplicate UID(s) observed: 1");
  ASSERT_EQ(MetadataOf(doc).owner_references().size(), 4u);
  EXPECT_TRUE(DropRepeatedOwners(doc, false).empty());
}

TEST(ObjectMetaTest, FinalizersAreFoundByName) {
  Doc doc(core_v1::ConfigMapView::Type());
  MutableMetadataOf(doc).add_finalizers("example.com/a");
  EXPECT_TRUE(HasFinalizer(MetadataOf(doc), "example.com/a"));
  EXPECT_FALSE(HasFinalizer(MetadataOf(doc), "example.com/b"));
}

TEST(NewUidTest, IsAVersion4Uuid) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uid = NewUid();
    ASSERT_EQ(uid.size(), 36u);
    for (size_t dash : {8, 13, 18, 23}) EXPECT_EQ(uid[dash], '-') << uid;
    EXPECT_EQ(uid[14], '4') << uid;
    EXPECT_NE(std::string_view("89ab").find(uid[19]), std::string_view::npos) << uid;
    EXPECT_TRUE(seen.insert(uid).second);
  }
}

TEST(GenerateNameTest, AddsFiveCharactersAndCutsALongBase) {
  const std::string name = GenerateName("web-");
  EXPECT_EQ(name.size(), 9u);
  EXPECT_EQ(name.substr(0, 4), "web-");
  EXPECT_EQ(name.find_first_not_of("bcdfghjklmnpqrstvwxz2456789", 4), std::string::npos) << name;

  const std::string long_name = GenerateName(std::string(70, 'a'));
  EXPECT_EQ(long_name.size(), 63u);
  EXPECT_EQ(long_name.substr(0, 58), std::string(58, 'a'));
  EXPECT_EQ(GenerateName("").size(), 5u);
}

}  // namespace
}  // namespace keelson::api
