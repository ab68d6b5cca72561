#include "storage/cacher/consistency_check.h"

#include <memory>
#include <string>
#include <string_view>

namespace keelson::storage {

using base::Err;

Result<void> ConsistencyCheck::Run() const {
  SnapshotMap objects;
  Revision revision = 0;
  std::shared_ptr<const UnreadableKeys> unreadable;
  {
    const CacheReading now = cache_.Read();
    objects = now.state->objects;
    revision = now.revision;
    unreadable = now.state->unreadable;
  }
  SnapshotMap::Cursor cached(objects, {});
  const auto differs = [&](std::string_view key, const char* how) {
    return Err(Error{.code = Code::kCorrupt,
                     .detail = std::string(how) + ", as of revision " + std::to_string(revision),
                     .key = std::string(key)});
  };
  const auto known_unreadable = [&](const KeyValue& kv) {
    if (!unreadable) return false;
    const auto it = unreadable->find(kv.key);
    return it != unreadable->end() && it->second == kv.mod_revision;
  };
  std::string start = cache_.factory().prefix() + "/";
  const std::string end = PrefixEnd(start);
  for (;;) {
    auto page = TRY(backend_.Range(
        start, end, {.revision = revision, .limit = page_, .keys_only = true, .counted = false}));
    for (const KeyValue& kv : page.items) {
      const Object* object = cached.get();
      if (object && object->key() < kv.key) return differs(object->key(), "cached and not stored");
      if (object && object->key() > kv.key) object = nullptr;
      if (object) cached.Advance();
      // Loading it again would not make it readable.
      if (known_unreadable(kv)) continue;
      if (!object) return differs(kv.key, "stored and not cached");
      if (object->revision() != kv.mod_revision) return differs(kv.key, "cached at another revision");
    }
    if (!page.more || page.items.empty()) break;
    start = page.items.back().key + '\0';
  }
  if (cached.get()) return differs(cached.get()->key(), "cached and not stored");
  return {};
}

}  // namespace keelson::storage
