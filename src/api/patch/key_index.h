// KeyIndex: where in a list a scalar is found first. Lists are mostly short and searched
// as they are; long ones get a hash table, so that hostile input stays linear.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/types/doc.h"

namespace keelson::api {

// The same JSON scalar; values that are no scalars differ from everything.
inline bool SameScalar(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  switch (a.tag()) {
    case Value::Tag::kBool: return a.boolean() == b.boolean();
    case Value::Tag::kInt: return a.integer() == b.integer();
    case Value::Tag::kDouble: return a.real() == b.real();
    case Value::Tag::kString: return a.string() == b.string();
    default: return false;
  }
}

class KeyIndex {
 public:
  // `position` matters only for the first of equal keys.
  void Add(const Value& key, int64_t position) {
    if (keys_.size() == kLinear) {
      for (const auto& [k, at] : keys_) hashed_.try_emplace(k, at);
    }
    if (keys_.size() >= kLinear) hashed_.try_emplace(key, position);
    keys_.emplace_back(key, position);
  }
  // -1: not there.
  int64_t Find(const Value& key) const {
    if (keys_.size() > kLinear) {
      auto found = hashed_.find(key);
      return found == hashed_.end() ? -1 : found->second;
    }
    for (const auto& [k, at] : keys_)
      if (SameScalar(k, key)) return at;
    return -1;
  }
  bool Has(const Value& key) const { return Find(key) >= 0; }

 private:
  static constexpr size_t kLinear = 16;

  struct Hash {
    size_t operator()(const Value& v) const {
      if (v.is(Value::Tag::kString)) return std::hash<std::string_view>()(v.string());
      if (v.is(Value::Tag::kDouble)) return std::hash<double>()(v.real());
      return std::hash<int64_t>()(v.is(Value::Tag::kBool) ? v.boolean() : v.integer());
    }
  };
  struct Same {
    bool operator()(const Value& a, const Value& b) const { return SameScalar(a, b); }
  };
  std::vector<std::pair<Value, int64_t>> keys_;
  std::unordered_map<Value, int64_t, Hash, Same> hashed_;
};

}  // namespace keelson::api
