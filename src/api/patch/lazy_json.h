// LazyJson: JSON text as a tree that is opened only where someone looks into it. What a
// patch does not touch is neither parsed nor written anew.
//
// A value is a map or a list that was opened, null, or text that was not (tag kBytes).
// Opened objects are written with sorted members, all other text as it was, compacted.
#pragma once

#include <string_view>

#include "api/types/doc.h"
#include "base/slice.h"

namespace keelson::api {

class LazyJson {
 public:
  // Values live in `arena`.
  explicit LazyJson(Arena& arena) : arena_(arena) {}

  // `text` must be valid JSON, and live as long as the arena.
  static Value FromText(std::string_view text);
  static void Encode(const Value& v, base::BufferBuilder& out);

  // Turns the text of an object or array into a map or list of values. False: it is
  // neither, or far more was opened already than any honest patch needs (each level of a
  // deep document is read once more).
  bool Open(Value& v);

  // The same JSON: objects member by member, scalars by their text.
  bool Equal(Value& a, Value& b);

  Arena& arena() { return arena_; }

 private:
  static constexpr size_t kMaxOpenedBytes = 256 * 1024 * 1024;

  Arena& arena_;
  size_t opened_bytes_ = 0;
};

}  // namespace keelson::api
