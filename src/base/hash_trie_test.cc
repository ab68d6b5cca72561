#include "base/hash_trie.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace keelson::base {
namespace {

struct Item final : RefCounted<Item> {
  Item(uint64_t h, int k, int v) : hash_(h), key(k), value(v) {}
  uint64_t hash() const { return hash_; }
  const uint64_t hash_;
  const int key, value;
};
using Trie = HashTrie<Item>;

auto Is(int key) {
  return [key](const Item& item) { return item.key == key; };
}
void Put(Trie& trie, uint64_t hash, int key, int value) {
  trie.Put(IntrusivePtr<const Item>(new Item(hash, key, value)), Is(key));
}
int Value(const Trie& trie, uint64_t hash, int key) {
  const Item* const item = trie.Find(hash, Is(key));
  return item ? item->value : -1;
}

TEST(HashTrieTest, AChangedMapLeavesTheOneItWasMadeFromAsItWas) {
  Trie one;
  Put(one, 3, 1, 10);
  Trie two = one;
  Put(two, 3, 1, 11);
  Put(two, 35, 2, 20);
  EXPECT_EQ(Value(one, 3, 1), 10);
  EXPECT_EQ(Value(one, 35, 2), -1);
  EXPECT_EQ(Value(two, 3, 1), 11);
  EXPECT_EQ(Value(two, 35, 2), 20);
  two.Remove(3, Is(1));
  two.Remove(35, Is(2));
  EXPECT_TRUE(two.empty());
  EXPECT_EQ(Value(one, 3, 1), 10);
}

TEST(HashTrieTest, KeysOfOneHashAreToldApart) {
  Trie trie;
  const uint64_t hash = 0x123456789abcdef0;
  for (int key = 0; key < 5; ++key) Put(trie, hash, key, key * 10);
  Put(trie, hash, 3, 33);
  EXPECT_EQ(Value(trie, hash, 4), 40);
  EXPECT_EQ(Value(trie, hash, 3), 33);
  trie.Remove(hash, Is(3));
  EXPECT_EQ(Value(trie, hash, 3), -1);
  EXPECT_EQ(Value(trie, hash, 2), 20);
  EXPECT_EQ(Value(trie, hash ^ 1, 2), -1);
}

TEST(HashTrieTest, HoldsWhatAPlainMapHoldsAfterManyChanges) {
  std::mt19937_64 random(7);
  std::map<int, int> expected;
  Trie trie;
  // Few distinct hashes, so that entries share places and levels.
  const auto hash_of = [](int key) { return static_cast<uint64_t>(key % 97) * 0x9e3779b97f4a7c15; };
  for (int i = 0; i < 20000; ++i) {
    const int key = static_cast<int>(random() % 500);
    if (random() % 3 == 0) {
      expected.erase(key);
      trie.Remove(hash_of(key), Is(key));
    } else {
      expected[key] = i;
      Put(trie, hash_of(key), key, i);
    }
  }
  for (int key = 0; key < 500; ++key) {
    const auto found = expected.find(key);
    EXPECT_EQ(Value(trie, hash_of(key), key), found == expected.end() ? -1 : found->second);
  }
}

}  // namespace
}  // namespace keelson::base
