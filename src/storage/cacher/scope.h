// Scope: the part of a resource that a list or a watch looks at, and the shortest way there.
#pragma once

#include <string>
#include <string_view>

#include "storage/cacher/watch_cache.h"
#include "storage/selection.h"

namespace keelson::storage {

// A range of keys, within the whole map or within one value of an index.
struct Scope {
  std::string from;            // the first key, relative to the resource
  std::string until = "\xff";  // the first key after; no key starts with this byte
  int index = -1;              // into CacheState::indexes
  std::string value;           // of the indexed field
  TriggerId trigger = kEveryEvent;

  const SnapshotMap& Map(const CacheState& state) const {
    return index < 0 ? state.objects : state.indexes[static_cast<size_t>(index)];
  }
  // Where `key` is, in the map of this scope.
  MapPosition At(std::string_view key) const {
    return index < 0 ? MapPosition{key, {}} : MapPosition{value, key};
  }
};

// `ns`: of the request; empty: all namespaces.
Scope MakeScope(const WatchCache& cache, std::string_view ns, const Selection& selection);

// The objects of a scope in one version of the map, in order of key.
class ScopeCursor {
 public:
  // `map`: of scope.Map(); a copy is kept.
  ScopeCursor(SnapshotMap map, const Scope& scope, std::string_view from);
  size_t left() const { return left_; }
  // The next objects, at most left(); empty when there are none.
  std::span<const ObjectPtr> run() const;
  void Advance(size_t n = 1);

 private:
  SnapshotMap map_;
  SnapshotMap::Cursor cursor_;
  size_t left_;
};

}  // namespace keelson::storage
