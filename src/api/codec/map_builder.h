// MapBuilder: collects the entries of a map in any order and sorts them once, so that
// hostile input cannot make building it quadratic.
#pragma once

#include <algorithm>
#include <string_view>

#include "api/types/doc.h"

namespace keelson::api {

class MapBuilder {
 public:
  // Adds to `map`, whose entries are sorted; they are again after Finish().
  MapBuilder(MapNode& map, Arena& arena) : map_(map), arena_(arena) {}

  // `key` must live as long as the arena. The last value of a key wins.
  void Add(std::string_view key, Value value) {
    if (map_.size == map_.capacity) Grow();
    sorted_ = sorted_ && (map_.size == 0 || map_.data[map_.size - 1].key < key);
    map_.data[map_.size++] = {key, value};
  }

  // What was added came in order: Finish has nothing to do.
  bool sorted() const { return sorted_; }
  // Calls `duplicate(key)` for each entry that a later one replaced.
  template <class F>
  void Finish(F&& duplicate) {
    if (!sorted_) Sort(map_, duplicate);
  }
  void Finish() {
    Finish([](std::string_view) {});
  }

  // Sorts a map and reports duplicate keys, as Finish does, after several builders have added entries.
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
