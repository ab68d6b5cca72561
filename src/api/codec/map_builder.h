// MapBuilder: collects the entries of a map in any order and sorts them once at the end. Building a map of n
// entries takes n log n steps, whatever the order of its keys.
#pragma once

#include <algorithm>
#include <string_view>

#include "api/types/doc.h"

namespace keelson::api {

class MapBuilder {
 public:
  // The builder adds to `map`, whose entries must be sorted. They may be unsorted until Finish() is called.
  MapBuilder(MapNode& map, Arena& arena) : map_(map), arena_(arena) {}

  // Adds an entry. `key` must live as long as the arena. Of several entries with one key, Finish keeps the
  // last.
  void Add(std::string_view key, Value value) {
    if (map_.size == map_.capacity) Grow();
    sorted_ = sorted_ && (map_.size == 0 || map_.data[map_.size - 1].key < key);
    map_.data[map_.size++] = {key, value};
  }

  // Whether the entries are in the order of their keys, each key once. Finish then has nothing to do.
  bool sorted() const { return sorted_; }
  // Sorts the map and calls `duplicate(key)` for each entry that a later one with the same key replaces.
  template <class F>
  void Finish(F&& duplicate) {
    if (!sorted_) Sort(map_, duplicate);
  }
  void Finish() {
    Finish([](std::string_view) {});
  }

  // Does what Finish does, for a map that several builders have added to.
  template <class F>
  static void Sort(MapNode& map, F&& duplicate) {
    auto entries = map.entries();
    std::stable_sort(entries.begin(), entries.end(),
                     [](const MapNode::Entry& a, const MapNode::Entry& b) { return a.key < b.key; });
    uint32_t kept = 0;
    for (const MapNode::Entry& e : entries) {
      if (kept > 0 && map.data[kept - 1].key == e.key) {
        duplicate(e.key);
        map.data[kept - 1] = e;
      } else {
        map.data[kept++] = e;
      }
    }
    map.size = kept;
  }

 private:
  // Moves the entries to an array of twice the size.
  void Grow() {
    const uint32_t capacity = map_.capacity == 0 ? 4 : map_.capacity * 2;
    auto* data = arena_.NewArray<MapNode::Entry>(capacity);
    std::copy_n(map_.data, map_.size, data);
    map_.data = data;
    map_.capacity = capacity;
  }

  MapNode& map_;
  Arena& arena_;
  bool sorted_ = true;
};

}  // namespace keelson::api
