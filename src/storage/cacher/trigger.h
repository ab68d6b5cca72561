// Triggers: what a narrow watcher waits for, as one number. Two triggers may share a number;
// then a watcher wakes once too often and finds nothing for it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "storage/interface.h"

namespace keelson::storage {

using TriggerId = uint64_t;
constexpr TriggerId kEveryEvent = 0;

inline TriggerId MakeTrigger(uint64_t what, std::string_view value) {
  const uint64_t hash = (std::hash<std::string_view>{}(value) ^ what) * 0x9e3779b97f4a7c15ULL;
  return hash == kEveryEvent ? 1 : hash;
}
inline TriggerId NamespaceTrigger(std::string_view ns) { return MakeTrigger(1, ns); }
inline TriggerId ObjectTrigger(std::string_view key) { return MakeTrigger(2, key); }
// `field`: index into the resource's selectable fields.
inline TriggerId FieldTrigger(size_t field, std::string_view value) { return MakeTrigger(3 + field, value); }

// Calls `f` with each narrow trigger that `event` sets off. `fields`: the selectable fields
// that have triggers. An object that leaves a value concerns those who wait for that value.
template <class F>
void ForEachTrigger(const Event& event, std::span<const size_t> fields, const F& f) {
  const Object& object = *event.object;
  f(NamespaceTrigger(object.ns()));
  f(ObjectTrigger(object.key()));
  for (size_t field : fields) {
    f(FieldTrigger(field, object.field(field)));
    if (event.previous && event.previous->field(field) != object.field(field))
      f(FieldTrigger(field, event.previous->field(field)));
  }
}

}  // namespace keelson::storage
