// SnapshotMap: one version of a resource's objects, in order of key. A persistent B+-tree:
// copying a map takes a share in its root, and a change made through an editor copies the
// three or four nodes on its path, so every version stays as it was.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/intrusive_ptr.h"
#include "storage/object.h"

namespace keelson::storage {

namespace internal {
struct TreeNode : base::RefCounted<TreeNode> {
  TreeNode(uint64_t made_in, bool is_leaf) : edit(made_in), leaf(is_leaf) {}
  static void Destroy(TreeNode* node);
  const uint64_t edit;  // the editor's batch that made it, and may still change it
  uint32_t total = 0;   // objects below
  uint16_t size = 0;    // slots in use
  const bool leaf;
};
using TreeNodePtr = base::IntrusivePtr<TreeNode>;
}  // namespace internal

// How objects are ordered: by what follows the resource's prefix in their key, or first by
// one of their selectable fields and then by that.
struct MapOrder {
  size_t prefix_size = 0;
  int field = -1;
};

// A place in the order, between objects or at one.
struct MapPosition {
  std::string_view major, minor;
  auto operator<=>(const MapPosition&) const = default;
};

// Threads: a map is immutable; any number of threads may read copies of it.
class SnapshotMap {
 public:
  explicit SnapshotMap(MapOrder order = {}) : order_(order) {}
  // Requires: `objects` are in that order, each position once.
  SnapshotMap(MapOrder order, std::vector<ObjectPtr> objects);

  size_t size() const { return root_ ? root_->total : 0; }
  const Object* Find(const MapPosition& at) const;
  // How many objects come before `at`. O(log n).
  size_t CountBefore(const MapPosition& at) const;
  MapPosition PositionOf(const Object& object) const;
  const MapOrder& order() const { return order_; }

  // Walks a map in order. The map must outlive it.
  class Cursor {
   public:
    Cursor() = default;
    // At the first object that is not before `from`.
    Cursor(const SnapshotMap& map, const MapPosition& from);
    // The object here and those that follow it in the same leaf; empty at the end.
    std::span<const ObjectPtr> run() const;
    const Object* get() const { return run().empty() ? nullptr : run().front().get(); }
    // Moves on. Requires: n <= run().size().
    void Advance(size_t n = 1);

   private:
    struct Frame {
      const internal::TreeNode* node = nullptr;
      uint32_t slot = 0;
    };
    void DescendLeft();
    // Nodes hold at least a few slots, so 2^32 objects need no more.
    std::array<Frame, 12> path_;
    size_t depth_ = 0;
  };

 private:
  friend class SnapshotMapEditor;
  MapOrder order_;
  internal::TreeNodePtr root_;
};

// Makes new versions of a map. Nodes it has made since the last Snapshot are changed in
// place, so that a bulk load costs no copies.
//
// Threads: one.
class SnapshotMapEditor {
 public:
  explicit SnapshotMapEditor(SnapshotMap base);

  // Adds `object` or puts it in the place of the one at its position, which is returned.
  ObjectPtr Put(ObjectPtr object);
  // Null when nothing is there.
  ObjectPtr Erase(const MapPosition& at);
  const SnapshotMap& current() const { return map_; }
  // The version as of now; what follows does not change it.
  SnapshotMap Snapshot();

 private:
  using Node = internal::TreeNode;
  using NodePtr = internal::TreeNodePtr;

  template <class N>
  N& Own(NodePtr& node) const;
  NodePtr PutInto(NodePtr& node, const MapPosition& at, ObjectPtr object, ObjectPtr& replaced);
  NodePtr AddChild(NodePtr& node, size_t at, NodePtr child);
  ObjectPtr EraseFrom(NodePtr& node, const MapPosition& at);
  void MergeAround(NodePtr& node, size_t at);

  SnapshotMap map_;
  uint64_t edit_;
};

}  // namespace keelson::storage
