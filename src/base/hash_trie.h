// HashTrie: an immutable map of shared entries, found by hash. A changed map shares all but the path to the
// change with the one it was made from: a change costs a few small nodes, and a reader of the old map is not
// disturbed. With Published a writer can hand map after map to readers that take no lock.
//
// Five bits of the hash choose among 32 places at each level. Entries with the hashes 0b...00001'00011,
// 0b...00010'00011 and 0b...00111 lie so:
//
//   root:  place 3 -> node      place 7 -> the third entry
//   node:  place 1 -> the first entry   place 2 -> the second
//
// Only places in use take memory: two words say which of them hold entries and which hold nodes. Below the
// last bits of the hash a node is a plain list, so that equal hashes are slow and not wrong.
//
// Threads: a map is a value; reading it is safe from any thread.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/intrusive_ptr.h"

namespace keelson::base {

// Entry derives from RefCounted<Entry> and has `uint64_t hash() const`. A key is told by a predicate on
// entries, which is asked only of entries of that hash.
template <class Entry>
class HashTrie {
 public:
  using EntryPtr = IntrusivePtr<const Entry>;

  // Null: there is none. Borrowed from this map.
  template <class Is>
  const Entry* Find(uint64_t hash, const Is& is) const {
    const Node* node = root_.get();
    for (unsigned shift = 0; node; shift += kBits) {
      if (shift >= kHashBits) return FindListed(*node, hash, is);
      const uint32_t bit = BitAt(hash, shift);
      if (node->entry_map & bit) {
        const Entry* const entry = node->entries[Rank(node->entry_map, bit)].get();
        return entry->hash() == hash && is(*entry) ? entry : nullptr;
      }
      if (!(node->node_map & bit)) return nullptr;
      node = node->nodes[Rank(node->node_map, bit)].get();
    }
    return nullptr;
  }

  // With `entry`, in place of the one that `is` tells.
  template <class Is>
  void Put(EntryPtr entry, const Is& is) {
    root_ = Put(root_.get(), std::move(entry), is, 0);
  }
  // Without the one that `is` tells.
  template <class Is>
  void Remove(uint64_t hash, const Is& is) {
    if (Find(hash, is)) root_ = Remove(*root_, hash, is, 0);
  }
  bool empty() const { return !root_; }
  // Calls `see` with each entry, in no order.
  template <class See>
  void ForEach(const See& see) const {
    if (root_) ForEach(*root_, see);
  }

 private:
  static constexpr unsigned kBits = 5, kHashBits = 64;

  struct Node;
  using NodePtr = IntrusivePtr<const Node>;
  struct Node final : RefCounted<Node> {
    Node() = default;
    Node(const Node& o)
        : RefCounted<Node>(),
          entry_map(o.entry_map),
          node_map(o.node_map),
          entries(o.entries),
          nodes(o.nodes) {}
    uint32_t entry_map = 0, node_map = 0;
    std::vector<EntryPtr> entries;
    std::vector<NodePtr> nodes;
  };

  template <class See>
  static void ForEach(const Node& node, const See& see) {
    for (const EntryPtr& entry : node.entries) see(*entry);
    for (const NodePtr& below : node.nodes) ForEach(*below, see);
  }

  static uint32_t BitAt(uint64_t hash, unsigned shift) { return uint32_t{1} << (hash >> shift & 31); }
  static size_t Rank(uint32_t map, uint32_t bit) {
    return static_cast<size_t>(std::popcount(map & (bit - 1)));
  }
  static IntrusivePtr<Node> Copy(const Node* node) {
    return IntrusivePtr<Node>(node ? new Node(*node) : new Node);
  }

  template <class Is>
  static const Entry* FindListed(const Node& node, uint64_t hash, const Is& is) {
    for (const EntryPtr& entry : node.entries)
      if (entry->hash() == hash && is(*entry)) return entry.get();
    return nullptr;
  }

  // A node with two entries of different keys.
  static NodePtr Pair(EntryPtr a, EntryPtr b, unsigned shift) {
    IntrusivePtr<Node> node = Copy(nullptr);
    const uint32_t bit_a = shift < kHashBits ? BitAt(a->hash(), shift) : 0;
    const uint32_t bit_b = shift < kHashBits ? BitAt(b->hash(), shift) : 0;
    if (shift < kHashBits && bit_a == bit_b) {
      node->node_map = bit_a;
      node->nodes.push_back(Pair(std::move(a), std::move(b), shift + kBits));
      return node;
    }
    if (bit_b < bit_a) std::swap(a, b);
    node->entry_map = bit_a | bit_b;
    node->entries.push_back(std::move(a));
    node->entries.push_back(std::move(b));
    return node;
  }

  template <class Is>
  static NodePtr Put(const Node* node, EntryPtr entry, const Is& is, unsigned shift) {
    IntrusivePtr<Node> copy = Copy(node);
    if (shift >= kHashBits) {
      for (EntryPtr& had : copy->entries)
        if (is(*had)) {
          had = std::move(entry);
          return copy;
        }
      copy->entries.push_back(std::move(entry));
      return copy;
    }
    const uint32_t bit = BitAt(entry->hash(), shift);
    if (copy->node_map & bit) {
      NodePtr& below = copy->nodes[Rank(copy->node_map, bit)];
      below = Put(below.get(), std::move(entry), is, shift + kBits);
    } else if (!(copy->entry_map & bit)) {
      copy->entries.insert(copy->entries.begin() + Rank(copy->entry_map, bit), std::move(entry));
      copy->entry_map |= bit;
    } else if (EntryPtr& had = copy->entries[Rank(copy->entry_map, bit)];
               had->hash() == entry->hash() && is(*had)) {
      had = std::move(entry);
    } else {
      // Two in one place: both go one level down.
      NodePtr below = Pair(std::move(had), std::move(entry), shift + kBits);
      copy->entries.erase(copy->entries.begin() + Rank(copy->entry_map, bit));
      copy->entry_map &= ~bit;
      copy->nodes.insert(copy->nodes.begin() + Rank(copy->node_map, bit), std::move(below));
      copy->node_map |= bit;
    }
    return copy;
  }

  // Null when nothing is left. Requires: there is such an entry.
  template <class Is>
  static NodePtr Remove(const Node& node, uint64_t hash, const Is& is, unsigned shift) {
    IntrusivePtr<Node> copy = Copy(&node);
    if (shift >= kHashBits) {
      std::erase_if(copy->entries, [&](const EntryPtr& had) { return is(*had); });
    } else if (const uint32_t bit = BitAt(hash, shift); copy->entry_map & bit) {
      copy->entries.erase(copy->entries.begin() + Rank(copy->entry_map, bit));
      copy->entry_map &= ~bit;
    } else {
      const size_t at = Rank(copy->node_map, bit);
      NodePtr below = Remove(*copy->nodes[at], hash, is, shift + kBits);
      if (below) {
        copy->nodes[at] = std::move(below);
      } else {
        copy->nodes.erase(copy->nodes.begin() + at);
        copy->node_map &= ~bit;
      }
    }
    if (copy->entries.empty() && copy->nodes.empty()) return nullptr;
    return copy;
  }

  NodePtr root_;
};

}  // namespace keelson::base
