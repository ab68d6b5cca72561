#include "storage/cacher/snapshot_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "storage/object_factory.h"
#include "storage/testing/test_objects.h"

namespace keelson::storage {
namespace {

class SnapshotMapTest : public testing::Test {
 protected:
  ObjectPtr Pod(const std::string& key, Revision revision, std::string node = "") {
    const auto stored = StoredPod({.name = "n", .node = std::move(node)});
    return *factory_.Make(std::string(kPodPrefix) + key, stored.view(), 1, revision);
  }
  static MapOrder ByKey() { return {.prefix_size = kPodPrefix.size()}; }
  static MapOrder ByNode() { return {.prefix_size = kPodPrefix.size(), .field = 0}; }

  static std::vector<std::string> Keys(const SnapshotMap& map, MapPosition from = {}) {
    std::vector<std::string> keys;
    for (SnapshotMap::Cursor c(map, from); c.get(); c.Advance())
      keys.emplace_back(c.get()->key().substr(kPodPrefix.size()));
    return keys;
  }

  ObjectFactory factory_{ResourceNamed("pods"), "/registry/pods"};
};

using Model = std::map<std::string, ObjectPtr>;

void ExpectSame(const SnapshotMap& map, const Model& model) {
  ASSERT_EQ(map.size(), model.size());
  SnapshotMap::Cursor cursor(map, {});
  size_t before = 0;
  for (const auto& [key, object] : model) {
    ASSERT_EQ(cursor.get(), object.get()) << key;
    ASSERT_EQ(map.Find({key, {}}), object.get()) << key;
    ASSERT_EQ(map.CountBefore({key, {}}), before++);
    cursor.Advance();
  }
  ASSERT_EQ(cursor.get(), nullptr);
}

TEST_F(SnapshotMapTest, AnEmptyMapHasNothing) {
  SnapshotMap map(ByKey());
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.Find({"a", {}}), nullptr);
  EXPECT_EQ(map.CountBefore({"a", {}}), 0u);
  EXPECT_TRUE(Keys(map).empty());
  EXPECT_EQ(SnapshotMapEditor(map).Erase({"a", {}}), nullptr);
}

TEST_F(SnapshotMapTest, BehavesAsAnOrderedMapAndOldVersionsStay) {
  std::mt19937 random(20240607);
  SnapshotMapEditor editor{SnapshotMap(ByKey())};
  Model model;
  std::vector<std::pair<SnapshotMap, Model>> versions;
  for (int step = 0; step < 30'000; ++step) {
    const std::string key = "ns" + std::to_string(random() % 7) + "/p" + std::to_string(random() % 1500);
    // Phases in which the map mostly grows or mostly shrinks, down to nothing.
    const bool shrink = step % 10'000 >= 6'000;
    if (random() % 10 < (shrink ? 9 : 3)) {
      auto it = model.find(key);
      ObjectPtr erased = editor.Erase({key, {}});
      ASSERT_EQ(erased, it == model.end() ? nullptr : it->second);
      if (it != model.end()) model.erase(it);
    } else {
      auto object = Pod(key, step + 1);
      ObjectPtr& slot = model[key];
      ASSERT_EQ(editor.Put(object), slot);
      slot = object;
    }
    if (random() % 20 == 0) editor.Snapshot();
    if (step % 1'000 == 999) versions.emplace_back(editor.Snapshot(), model);
  }
  while (!model.empty()) {
    editor.Erase({model.begin()->first, {}});
    model.erase(model.begin());
  }
  EXPECT_EQ(editor.current().size(), 0u);
  for (const auto& [map, then] : versions) ExpectSame(map, then);
}

TEST_F(SnapshotMapTest, ABulkLoadInOrderFillsItsLeaves) {
  SnapshotMapEditor editor{SnapshotMap(ByKey())};
  Model model;
  for (int i = 0; i < 20'000; ++i) {
    char key[32];
    std::snprintf(key, sizeof key, "ns/p%06d", i);
    auto object = Pod(key, 1);
    editor.Put(object);
    model[key] = object;
  }
  const SnapshotMap map = editor.Snapshot();
  ExpectSame(map, model);
  EXPECT_EQ(SnapshotMap::Cursor(map, {}).run().size(), 64u);
}

TEST_F(SnapshotMapTest, AMapMadeOfObjectsInOrderCanBeChangedAsAnyOther) {
  for (size_t size : {0, 1, 63, 64, 65, 4096, 4097, 9'000}) {
    Model model;
    std::vector<ObjectPtr> objects;
    for (size_t i = 0; i < size; ++i) {
      char key[32];
      std::snprintf(key, sizeof key, "ns/p%06zu", i * 2);
      objects.push_back(model[key] = Pod(key, 1));
    }
    const SnapshotMap map(ByKey(), objects);
    ExpectSame(map, model);
    const Model then = model;
    SnapshotMapEditor editor(map);
    for (size_t i = 0; i < size; i += 3) {
      char odd[32], even[32];
      std::snprintf(odd, sizeof odd, "ns/p%06zu", i * 2 + 1);
      std::snprintf(even, sizeof even, "ns/p%06zu", i * 2);
      editor.Put(model[odd] = Pod(odd, 2));
      editor.Erase({even, {}});
      model.erase(even);
    }
    ExpectSame(editor.Snapshot(), model);
    ExpectSame(map, then);
  }
}

TEST_F(SnapshotMapTest, ACursorStartsBetweenKeys) {
  SnapshotMapEditor editor{SnapshotMap(ByKey())};
  for (int i = 100; i < 400; i += 2) editor.Put(Pod("p" + std::to_string(i), 1));
  const SnapshotMap map = editor.Snapshot();
  EXPECT_EQ(Keys(map, {"p397", {}}), (std::vector<std::string>{"p398"}));
  EXPECT_EQ(Keys(map, {"p398", {}}), (std::vector<std::string>{"p398"}));
  EXPECT_TRUE(Keys(map, {"p399", {}}).empty());
  for (int i = 100; i < 398; ++i) {
    const std::string from = "p" + std::to_string(i);
    EXPECT_EQ(Keys(map, {from, {}}).front(), "p" + std::to_string(i + i % 2)) << from;
  }
}

TEST_F(SnapshotMapTest, AnIndexOrdersByFieldFirst) {
  SnapshotMapEditor editor{SnapshotMap(ByNode())};
  editor.Put(Pod("ns/a", 1, "n2"));
  editor.Put(Pod("ns/b", 1, "n1"));
  editor.Put(Pod("ns/c", 1, "n2"));
  editor.Put(Pod("ns/d", 1, ""));
  const SnapshotMap map = editor.Snapshot();
  EXPECT_EQ(Keys(map), (std::vector<std::string>{"ns/d", "ns/b", "ns/a", "ns/c"}));
  EXPECT_EQ(Keys(map, {"n2", ""}), (std::vector<std::string>{"ns/a", "ns/c"}));
  EXPECT_EQ(map.CountBefore({"n2", "\xff"}) - map.CountBefore({"n1", ""}), 3u);
}

}  // namespace
}  // namespace keelson::storage
