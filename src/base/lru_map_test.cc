#include "base/lru_map.h"

#include <gtest/gtest.h>

#include <string>

namespace keelson::base {
namespace {

TEST(LruMapTest, TheLeastRecentlyUsedIsForgotten) {
  LruMap<std::string, int> map(2);
  map.Put("a", 1);
  map.Put("b", 2);
  ASSERT_NE(map.Find("a"), nullptr);  // now "b" is the oldest
  map.Put("c", 3);
  EXPECT_EQ(map.Find("b"), nullptr);
  EXPECT_EQ(*map.Find("a"), 1);
  EXPECT_EQ(*map.Find("c"), 3);
  EXPECT_EQ(map.size(), 2u);
}

TEST(LruMapTest, AKeyHasOneValue) {
  LruMap<std::string, int> map(2);
  map.Put("a", 1);
  map.Put("a", 2);
  EXPECT_EQ(map.size(), 1u);
  EXPECT_EQ(*map.Find("a"), 2);
  map.Erase("a");
  map.Erase("nobody");
  EXPECT_EQ(map.Find("a"), nullptr);
}

}  // namespace
}  // namespace keelson::base
