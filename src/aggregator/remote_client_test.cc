#include "aggregator/remote_client.h"

#include <gtest/gtest.h>

namespace keelson::aggregator {
namespace {

TEST(RemoteClientTest, OnlyWhatCanBeListedAndDeletedIsOfInterest) {
  const auto read = ReadCollectable(
      R"([{"resource":"flunders","responseKind":{"kind":"Flunder"},"scope":"Namespaced",
           "verbs":["create","delete","deletecollection","get","list"]},
          {"resource":"nodes","responseKind":{"kind":"NodeMetrics"},"scope":"Cluster","verbs":["get","list"]},
          {"resource":"fischers","responseKind":{"kind":"Fischer"},"scope":"Cluster","verbs":["delete","get","list"]},
          {"resource":"../x","responseKind":{"kind":"X"},"verbs":["delete","get","list"]},
          {"resource":"y","verbs":7}, 3])",
      "g", "v");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].plural, "flunders");
  EXPECT_TRUE(read[0].namespaced && read[0].deletes_collections);
  EXPECT_EQ(read[1].kind, "Fischer");
  EXPECT_FALSE(read[1].namespaced || read[1].deletes_collections);
  EXPECT_TRUE(ReadCollectable("{}", "g", "v").empty());
  EXPECT_TRUE(ReadCollectable("x", "g", "v").empty());
}

TEST(RemoteClientTest, PagesOfObjectsOfAnyKindAreReadAsMetadata) {
  const auto page = ReadRemotePage(
      R"({"kind":"FlunderList","metadata":{"continue":"next"},"items":[{"kind":"Flunder","spec":{"a":[1]},
          "metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","finalizers":["foregroundDeletion"],
            "deletionTimestamp":"2026-01-01T00:00:00Z",
            "ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"m","uid":"w","blockOwnerDeletion":true}]}}]})");
  ASSERT_TRUE(page) << page.error();
  EXPECT_EQ(page->next, "next");
  ASSERT_EQ(page->objects.size(), 1u);
  const controllers::RemoteObject& object = page->objects.front();
  EXPECT_EQ(object.ns + "/" + object.name + " " + object.uid + " " + object.resource_version, "n/a u 7");
  EXPECT_TRUE(object.ownership.AwaitsDependents());
  ASSERT_EQ(object.ownership.owners.size(), 1u);
  EXPECT_EQ(object.ownership.owners.front().uid, "w");
  EXPECT_TRUE(object.ownership.owners.front().blocks_deletion);
}

TEST(RemoteClientTest, AnObjectWithoutAUidIsOne) {
  const auto page = ReadRemotePage(
      R"({"metadata":{},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b","uid":"u"}}]})");
  ASSERT_TRUE(page) << page.error();
  ASSERT_EQ(page->objects.size(), 2u);
  EXPECT_EQ(page->objects[0].name + page->objects[0].uid, "a");
  EXPECT_EQ(page->objects[1].name + page->objects[1].uid, "bu");
}

TEST(RemoteClientTest, ListsThatCannotBeReadAreErrors) {
  EXPECT_TRUE(ReadRemotePage(R"({"metadata":{},"items":null})"));
  for (const char* text : {"", "[]", "{}", R"({"metadata":{},"items":7})", R"({"metadata":{},"items":[{}]})",
                           R"({"metadata":{},"items":[{"metadata":{"name":"../a","uid":"u"}}]})"})
    EXPECT_FALSE(ReadRemotePage(text)) << text;
}

}  // namespace
}  // namespace keelson::aggregator
