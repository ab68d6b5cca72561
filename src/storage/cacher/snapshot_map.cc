#include "storage/cacher/snapshot_map.h"

#include <algorithm>
#include <atomic>

namespace keelson::storage {
namespace {

using internal::TreeNode;
using internal::TreeNodePtr;

constexpr size_t kFanOut = 64;
// A node that falls below this joins a neighbour, if both then fit with room to grow.
constexpr size_t kSparse = kFanOut / 4;
constexpr size_t kJoined = kFanOut * 3 / 4;

struct Leaf : TreeNode {
  explicit Leaf(uint64_t edit) : TreeNode(edit, true) {}
  std::array<ObjectPtr, kFanOut> items;
};

// least[i] is the first object below child i: it orders the children without a copy of a
// key, and lives as long as this version because the leaf that holds it does.
struct Inner : TreeNode {
  explicit Inner(uint64_t edit) : TreeNode(edit, false) {}
  std::array<const Object*, kFanOut> least{};
  std::array<uint32_t, kFanOut> totals{};
  std::array<TreeNodePtr, kFanOut> below;
};

const Leaf& AsLeaf(const TreeNode& n) { return static_cast<const Leaf&>(n); }
const Inner& AsInner(const TreeNode& n) { return static_cast<const Inner&>(n); }

const Object* Least(const TreeNode& n) { return n.leaf ? AsLeaf(n).items[0].get() : AsInner(n).least[0]; }

MapPosition Position(const Object& object, const MapOrder& order) {
  const std::string_view key = object.key().substr(order.prefix_size);
  if (order.field < 0) return {key, {}};
  return {object.field(static_cast<size_t>(order.field)), key};
}

// The first slot whose object is not before `at`.
size_t LowerBound(const Leaf& leaf, const MapPosition& at, const MapOrder& order) {
  size_t low = 0;
  size_t high = leaf.size;
  while (low < high) {
    const size_t mid = (low + high) / 2;
    if (Position(*leaf.items[mid], order) < at)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

// The child that holds `at` if any does.
size_t ChildFor(const Inner& inner, const MapPosition& at, const MapOrder& order) {
  size_t low = 1;
  size_t high = inner.size;
  while (low < high) {
    const size_t mid = (low + high) / 2;
    if (Position(*inner.least[mid], order) <= at)
      low = mid + 1;
    else
      high = mid;
  }
  return low - 1;
}

template <class Array>
void OpenSlot(Array& a, size_t size, size_t at) {
  std::move_backward(a.begin() + at, a.begin() + size, a.begin() + size + 1);
}
template <class Array>
void CloseSlot(Array& a, size_t size, size_t at) {
  std::move(a.begin() + at + 1, a.begin() + size, a.begin() + at);
  a[size - 1] = {};
}

void Refresh(Inner& inner, size_t i) {
  const TreeNode& child = *inner.below[i];
  inner.total += child.total - inner.totals[i];
  inner.totals[i] = child.total;
  inner.least[i] = Least(child);
}

void Insert(Leaf& leaf, size_t at, ObjectPtr object) {
  OpenSlot(leaf.items, leaf.size, at);
  leaf.items[at] = std::move(object);
  leaf.total = ++leaf.size;
}

void Insert(Inner& inner, size_t at, TreeNodePtr child) {
  OpenSlot(inner.least, inner.size, at);
  OpenSlot(inner.totals, inner.size, at);
  OpenSlot(inner.below, inner.size, at);
  ++inner.size;
  inner.total += child->total;
  inner.totals[at] = child->total;
  inner.least[at] = Least(*child);
  inner.below[at] = std::move(child);
}

void Remove(Inner& inner, size_t at) {
  inner.total -= inner.totals[at];
  CloseSlot(inner.least, inner.size, at);
  CloseSlot(inner.totals, inner.size, at);
  CloseSlot(inner.below, inner.size, at);
  --inner.size;
}

// Moves the slots of `from` after `cut` to the empty `to`.
void MoveTail(Leaf& from, size_t cut, Leaf& to) {
  std::move(from.items.begin() + cut, from.items.begin() + from.size, to.items.begin());
  to.total = to.size = static_cast<uint16_t>(from.size - cut);
  from.total = from.size = static_cast<uint16_t>(cut);
}

void MoveTail(Inner& from, size_t cut, Inner& to) {
  for (size_t i = cut; i < from.size; ++i) Insert(to, to.size, from.below[i]);
  while (from.size > cut) Remove(from, from.size - size_t{1});
}

uint64_t NewEdit() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

void TreeNode::Destroy(TreeNode* node) {
  if (node->leaf)
    delete static_cast<Leaf*>(node);
  else
    delete static_cast<Inner*>(node);
}

// Full nodes, level by level from the leaves up, without a comparison.
SnapshotMap::SnapshotMap(MapOrder order, std::vector<ObjectPtr> objects) : order_(order) {
  const uint64_t edit = NewEdit();
  std::vector<TreeNodePtr> level;
  level.reserve(objects.size() / kFanOut + 1);
  for (size_t at = 0; at < objects.size();) {
    auto* leaf = new Leaf(edit);
    level.emplace_back(leaf);
    while (leaf->size < kFanOut && at < objects.size()) leaf->items[leaf->size++] = std::move(objects[at++]);
    leaf->total = leaf->size;
  }
  while (level.size() > 1) {
    std::vector<TreeNodePtr> above;
    for (size_t at = 0; at < level.size();) {
      auto* inner = new Inner(edit);
      above.emplace_back(inner);
      while (inner->size < kFanOut && at < level.size()) Insert(*inner, inner->size, std::move(level[at++]));
    }
    level = std::move(above);
  }
  if (!level.empty()) root_ = std::move(level.front());
}

MapPosition SnapshotMap::PositionOf(const Object& object) const { return Position(object, order_); }

const Object* SnapshotMap::Find(const MapPosition& at) const {
  const TreeNode* node = root_.get();
  if (!node) return nullptr;
  while (!node->leaf) node = AsInner(*node).below[ChildFor(AsInner(*node), at, order_)].get();
  const Leaf& leaf = AsLeaf(*node);
  const size_t i = LowerBound(leaf, at, order_);
  if (i == leaf.size || Position(*leaf.items[i], order_) != at) return nullptr;
  return leaf.items[i].get();
}

size_t SnapshotMap::CountBefore(const MapPosition& at) const {
  const TreeNode* node = root_.get();
  if (!node) return 0;
  size_t count = 0;
  while (!node->leaf) {
    const Inner& inner = AsInner(*node);
    const size_t child = ChildFor(inner, at, order_);
    for (size_t i = 0; i < child; ++i) count += inner.totals[i];
    node = inner.below[child].get();
  }
  return count + LowerBound(AsLeaf(*node), at, order_);
}

SnapshotMap::Cursor::Cursor(const SnapshotMap& map, const MapPosition& from) {
  const TreeNode* node = map.root_.get();
  if (!node) return;
  for (; !node->leaf; node = AsInner(*node).below[path_[depth_ - 1].slot].get())
    path_[depth_++] = {node, static_cast<uint32_t>(ChildFor(AsInner(*node), from, map.order_))};
  path_[depth_++] = {node, static_cast<uint32_t>(LowerBound(AsLeaf(*node), from, map.order_))};
  Advance(0);
}

std::span<const ObjectPtr> SnapshotMap::Cursor::run() const {
  if (depth_ == 0) return {};
  const Frame& frame = path_[depth_ - 1];
  return std::span(AsLeaf(*frame.node).items).subspan(frame.slot, frame.node->size - frame.slot);
}

void SnapshotMap::Cursor::Advance(size_t n) {
  if (depth_ == 0) return;
  path_[depth_ - 1].slot += static_cast<uint32_t>(n);
  if (path_[depth_ - 1].slot < path_[depth_ - 1].node->size) return;
  do --depth_;
  while (depth_ > 0 && ++path_[depth_ - 1].slot == path_[depth_ - 1].node->size);
  if (depth_ > 0) DescendLeft();
}

void SnapshotMap::Cursor::DescendLeft() {
  while (!path_[depth_ - 1].node->leaf) {
    const Frame& frame = path_[depth_ - 1];
    path_[depth_++] = {AsInner(*frame.node).below[frame.slot].get(), 0};
  }
}

SnapshotMapEditor::SnapshotMapEditor(SnapshotMap base) : map_(std::move(base)), edit_(NewEdit()) {}

SnapshotMap SnapshotMapEditor::Snapshot() {
  edit_ = NewEdit();
  return map_;
}

// A node of this batch to change: the one there, or a copy in its place.
template <class N>
N& SnapshotMapEditor::Own(NodePtr& node) const {
  if (node->edit == edit_) return static_cast<N&>(*node);
  const N& was = static_cast<const N&>(*node);
  auto* copy = new N(edit_);
  copy->total = was.total;
  copy->size = was.size;
  if constexpr (std::is_same_v<N, Leaf>) {
    std::copy_n(was.items.begin(), was.size, copy->items.begin());
  } else {
    std::copy_n(was.least.begin(), was.size, copy->least.begin());
    std::copy_n(was.totals.begin(), was.size, copy->totals.begin());
    std::copy_n(was.below.begin(), was.size, copy->below.begin());
  }
  node = NodePtr(copy);
  return *copy;
}

ObjectPtr SnapshotMapEditor::Put(ObjectPtr object) {
  const MapPosition at = Position(*object, map_.order_);
  ObjectPtr replaced;
  NodePtr& root = map_.root_;
  if (!root) root = NodePtr(new Leaf(edit_));
  // The position's text lives in the object, which the tree now keeps.
  if (NodePtr right = PutInto(root, at, std::move(object), replaced)) {
    auto* above = new Inner(edit_);
    NodePtr holder(above);
    Insert(*above, 0, std::move(root));
    Insert(*above, 1, std::move(right));
    root = std::move(holder);
  }
  return replaced;
}

// Returns the right half when the node had to be split.
SnapshotMapEditor::NodePtr SnapshotMapEditor::PutInto(NodePtr& node, const MapPosition& at, ObjectPtr object,
                                                      ObjectPtr& replaced) {
  if (!node->leaf) {
    const size_t child = ChildFor(AsInner(*node), at, map_.order_);
    auto& inner = Own<Inner>(node);
    NodePtr right = PutInto(inner.below[child], at, std::move(object), replaced);
    Refresh(inner, child);
    return right ? AddChild(node, child + 1, std::move(right)) : nullptr;
  }
  auto& leaf = Own<Leaf>(node);
  const size_t i = LowerBound(leaf, at, map_.order_);
  if (i < leaf.size && Position(*leaf.items[i], map_.order_) == at) {
    replaced = std::exchange(leaf.items[i], std::move(object));
    return nullptr;
  }
  if (leaf.size < kFanOut) {
    Insert(leaf, i, std::move(object));
    return nullptr;
  }
  auto* right = new Leaf(edit_);
  NodePtr holder(right);
  // Keys that arrive in order leave full leaves behind them.
  MoveTail(leaf, i == kFanOut ? kFanOut : kFanOut / 2, *right);
  if (i > leaf.size || leaf.size == kFanOut)
    Insert(*right, i - leaf.size, std::move(object));
  else
    Insert(leaf, i, std::move(object));
  return holder;
}

// Requires: `node` is an inner node of this batch.
SnapshotMapEditor::NodePtr SnapshotMapEditor::AddChild(NodePtr& node, size_t at, NodePtr child) {
  auto& inner = Own<Inner>(node);
  if (inner.size < kFanOut) {
    Insert(inner, at, std::move(child));
    return nullptr;
  }
  auto* right = new Inner(edit_);
  NodePtr holder(right);
  MoveTail(inner, at == kFanOut ? kFanOut : kFanOut / 2, *right);
  if (at > inner.size || inner.size == kFanOut)
    Insert(*right, at - inner.size, std::move(child));
  else
    Insert(inner, at, std::move(child));
  return holder;
}

ObjectPtr SnapshotMapEditor::Erase(const MapPosition& at) {
  if (!map_.Find(at)) return nullptr;
  NodePtr& root = map_.root_;
  ObjectPtr erased = EraseFrom(root, at);
  while (!root->leaf && root->size == 1) {
    NodePtr only = AsInner(*root).below[0];
    root = std::move(only);
  }
  if (root->size == 0) root = nullptr;
  return erased;
}

// Requires: an object is at `at`.
ObjectPtr SnapshotMapEditor::EraseFrom(NodePtr& node, const MapPosition& at) {
  if (node->leaf) {
    auto& leaf = Own<Leaf>(node);
    const size_t i = LowerBound(leaf, at, map_.order_);
    ObjectPtr erased = std::move(leaf.items[i]);
    CloseSlot(leaf.items, leaf.size, i);
    leaf.total = --leaf.size;
    return erased;
  }
  const size_t child = ChildFor(AsInner(*node), at, map_.order_);
  auto& inner = Own<Inner>(node);
  ObjectPtr erased = EraseFrom(inner.below[child], at);
  if (inner.below[child]->size == 0) {
    Remove(inner, child);
  } else {
    Refresh(inner, child);
    if (inner.below[child]->size < kSparse) MergeAround(node, child);
  }
  return erased;
}

// Joins child `at` with a neighbour when both fit into one node.
void SnapshotMapEditor::MergeAround(NodePtr& node, size_t at) {
  auto& inner = Own<Inner>(node);
  if (inner.size < 2) return;
  const size_t left = at + 1 < inner.size ? at : at - 1;
  const NodePtr right = inner.below[left + 1];
  if (inner.below[left]->size + right->size > kJoined) return;
  if (right->leaf) {
    auto& into = Own<Leaf>(inner.below[left]);
    for (size_t i = 0; i < right->size; ++i) Insert(into, into.size, AsLeaf(*right).items[i]);
  } else {
    auto& into = Own<Inner>(inner.below[left]);
    for (size_t i = 0; i < right->size; ++i) Insert(into, into.size, AsInner(*right).below[i]);
  }
  Remove(inner, left + 1);
  Refresh(inner, left);
}

}  // namespace keelson::storage
