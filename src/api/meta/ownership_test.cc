#include "api/meta/ownership.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "base/slice.h"

namespace keelson::api {
namespace {

// The metadata of `doc` as it is stored.
std::string Encoded(const Doc& doc) {
  base::BufferBuilder out;
  protobuf::Encode(*MetadataOf(doc).node(), out);
  return std::string(out.view());
}

TEST(OwnershipTest, ReadsWhatTheCodecWrites) {
  Doc doc(core_v1::ConfigMapView::Type());
  auto metadata = MutableMetadataOf(doc);
  metadata.set_name("settings");
  metadata.set_deletion_timestamp(1'700'000'000);
  metadata.add_finalizers("example.com/a");
  metadata.add_finalizers("foregroundDeletion");
  auto owner = metadata.add_owner_references();
  owner.set_api_version("apps/v1");
  owner.set_kind("ReplicaSet");
  owner.set_name("web");
  owner.set_uid("u-1");
  owner.set_controller(true);
  owner.set_block_owner_deletion(true);
  metadata.add_owner_references().set_uid("u-2");

  const std::string encoded = Encoded(doc);
  Ownership ownership;
  ASSERT_TRUE(ReadOwnership(encoded, ownership));
  ASSERT_EQ(ownership.owners.size(), 2u);
  EXPECT_EQ(ownership.owners[0].api_version, "apps/v1");
  EXPECT_EQ(ownership.owners[0].kind, "ReplicaSet");
  EXPECT_EQ(ownership.owners[0].name, "web");
  EXPECT_EQ(ownership.owners[0].uid, "u-1");
  EXPECT_TRUE(ownership.owners[0].blocks_deletion);
  EXPECT_EQ(ownership.owners[1].uid, "u-2");
  EXPECT_FALSE(ownership.owners[1].blocks_deletion);
  EXPECT_TRUE(ownership.deleting);
  EXPECT_TRUE(ownership.foreground);
  EXPECT_FALSE(ownership.orphans);
  EXPECT_TRUE(ownership.AwaitsDependents());
}

TEST(OwnershipTest, AnObjectThatIsNotDeletedAwaitsNothing) {
  Doc doc(core_v1::ConfigMapView::Type());
  MutableMetadataOf(doc).add_finalizers("orphan");
  const std::string encoded = Encoded(doc);
  Ownership ownership;
  ASSERT_TRUE(ReadOwnership(encoded, ownership));
  EXPECT_TRUE(ownership.orphans);
  EXPECT_FALSE(ownership.deleting);
  EXPECT_FALSE(ownership.AwaitsDependents());
}

TEST(OwnershipTest, EveryCutIsMalformedOrWhole) {
  Doc doc(core_v1::ConfigMapView::Type());
  MutableMetadataOf(doc).add_owner_references().set_uid("u-1");
  const std::string encoded = Encoded(doc);
  Ownership ownership;
  for (size_t n = 0; n <= encoded.size(); ++n) {
    const bool read = ReadOwnership(std::string_view(encoded).substr(0, n), ownership);
    if (!read || ownership.owners.empty()) continue;
    EXPECT_EQ(ownership.owners[0].uid, "u-1");
  }
  EXPECT_FALSE(ReadOwnership("\x6a\x05\x0a", ownership));
}

}  // namespace
}  // namespace keelson::api
