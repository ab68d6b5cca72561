// LruMap: a map of bounded size that forgets what was used least recently.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <unordered_map>
#include <utility>

namespace keelson::base {

// Threads: one at a time.
template <class Key, class Value, class Hash = std::hash<Key>>
class LruMap {
 public:
  explicit LruMap(size_t capacity) : capacity_(capacity) {}  // Requires: capacity > 0.

  // Counts as a use. Null: the key is not there. Valid until the next Put or Erase.
  Value* Find(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &found->second->second;
  }
  // Replaces the value of a key that is there; else drops the one that was used least recently if there are
  // too many.
  Value& Put(const Key& key, Value value) {
    if (Value* const known = Find(key)) return *known = std::move(value);
    if (index_.size() == capacity_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(key, std::move(value));
    index_.emplace(key, order_.begin());
    return order_.front().second;
  }
  void Erase(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    order_.erase(found->second);
    index_.erase(found);
  }
  size_t size() const { return index_.size(); }

 private:
  using Order = std::list<std::pair<Key, Value>>;
  const size_t capacity_;
  Order order_;  // the most recently used first
  std::unordered_map<Key, typename Order::iterator, Hash> index_;
};

}  // namespace keelson::base
