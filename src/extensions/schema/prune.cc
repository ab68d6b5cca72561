#include "extensions/schema/prune.h"

#include <algorithm>

#include "api/codec/json.h"
#include "api/generated/meta_v1.h"
#include "extensions/schema/render.h"

namespace keelson::extensions {
namespace {

using api::MapNode;
using api::Value;

// Keeps the path of where it is, if anybody wants to know.
class Pruner {
 public:
  explicit Pruner(std::vector<std::string>* unknown) : unknown_(unknown) {}

  // `keeps`: unknown members stay, whatever the schema says; those that it knows are looked into.
  void Any(Value& value, const Schema* s, bool keeps = false) {
    if (keeps && !s) return;
    keeps = keeps || (s && s->preserve_unknown);
    if (value.map()) return Map(*value.map(), s, s && s->embedded, keeps);
    if (!value.list()) return;
    size_t i = 0;
    for (Value& item : value.list()->items()) {
      const size_t length = path_.size();
      if (unknown_) path_.append("[").append(std::to_string(i)).append("]");
      Any(item, s ? s->items : nullptr, keeps);
      path_.resize(length);
      ++i;
    }
  }

  void Map(MapNode& map, const Schema* s, bool embedded, bool keeps) {
    uint32_t kept = 0;
    for (MapNode::Entry& entry : map.entries()) {
      const bool metadata = embedded && IsOfEveryObject(entry.key);
      const Schema* found = s && !metadata ? s->Find(entry.key) : nullptr;
      const bool described = !metadata && (found || (s && s->has_additional));
      if (!metadata && !described && !keeps) {
        Record(entry.key);
        continue;
      }
      if (described) {
        const size_t length = path_.size();
        Append(entry.key);
        Any(entry.value, found ? found : s->additional);
        path_.resize(length);
      }
      map.data[kept++] = entry;
    }
    map.size = kept;
  }

 private:
  void Append(std::string_view key) {
    if (!unknown_) return;
    if (!path_.empty()) path_ += '.';
    path_ += key;
  }
  void Record(std::string_view key) {
    if (!unknown_) return;
    // A long path to many members would make the list many times as long as the object.
    constexpr size_t kMaxBytes = 1 << 20;
    if (bytes_ > kMaxBytes) return;
    const size_t length = path_.size();
    Append(key);
    bytes_ += path_.size();
    unknown_->push_back(path_);
    path_.resize(length);
  }

  std::vector<std::string>* const unknown_;
  size_t bytes_ = 0;  // of *unknown_
  std::string path_;
};

void PruneNullsIn(Value& value, const Schema* s);

void PruneNullEntries(MapNode& map, const Schema* s) {
  uint32_t kept = 0;
  for (MapNode::Entry& entry : map.entries()) {
    const Schema* const member = s ? s->Member(entry.key) : nullptr;
    if (entry.value.is(Value::Tag::kNull) && member && !member->nullable && member->default_value.absent())
      continue;
    PruneNullsIn(entry.value, member);
    map.data[kept++] = entry;
  }
  map.size = kept;
}

void PruneNullsIn(Value& value, const Schema* s) {
  if (!s) return;  // nothing is known of what is below either
  if (value.map()) return PruneNullEntries(*value.map(), s);
  if (!value.list()) return;
  for (Value& item : value.list()->items()) PruneNullsIn(item, s ? s->items : nullptr);
}

class Coercer {
 public:
  Coercer(api::Arena& arena, std::vector<std::string>* unknown) : arena_(arena), unknown_(unknown) {}

  bool Any(Value& value, const Schema* s, const std::string& path, bool whole = false) {
    if (!s || !(s->has_embedded || whole)) return true;
    if (value.map()) return Map(*value.map(), *s, s->embedded || whole, path);
    if (!value.list()) return true;
    size_t i = 0;
    for (Value& item : value.list()->items())
      if (!Any(item, s->items, path + "[" + std::to_string(i++) + "]")) return false;
    return true;
  }

  bool Map(MapNode& map, const Schema& s, bool embedded, const std::string& path) {
    for (MapNode::Entry& entry : map.entries()) {
      const std::string below = path.empty() ? std::string(entry.key) : path + "." + std::string(entry.key);
      if (embedded && (entry.key == "apiVersion" || entry.key == "kind") &&
          !entry.value.is(Value::Tag::kString))
        return Fail(below, entry.value, "must be a string");
      if (embedded && entry.key == "metadata" && !Metadata(entry.value, below)) return false;
      if (const Schema* property = s.Find(entry.key)) {
        if (!Any(entry.value, property, below)) return false;
      } else if (s.additional) {
        if (!Any(entry.value, s.additional, path + "[" + std::string(entry.key) + "]")) return false;
      }
    }
    return true;
  }

  api::field::Error TakeError() { return std::move(error_); }

 private:
  bool Fail(const std::string& path, const Value& value, std::string_view why) {
    error_ = {.type = api::field::ErrorType::kInvalid,
              .field = path,
              .bad_value = RenderTree(value),
              .has_value = true,
              .detail = std::string(why)};
    return false;
  }

  bool Metadata(Value& value, const std::string& path) {
    base::BufferBuilder text;
    api::json::EncodeAny(value, text);
    api::json::StrictErrors strict;
    auto metadata = api::json::Decode(arena_.CopyString(text.view()), api::meta_v1::kObjectMetaType, arena_,
                                      unknown_ ? &strict : nullptr);
    if (!metadata) return Fail(path, value, metadata.error().message);
    constexpr std::string_view kUnknown = "unknown field \"";
    for (const std::string& error : strict)
      if (error.starts_with(kUnknown) && error.ends_with('"'))
        unknown_->push_back(path + "." + error.substr(kUnknown.size(), error.size() - kUnknown.size() - 1));
    base::BufferBuilder plain;
    api::json::Encode(**metadata, plain);
    auto tree = api::json::DecodeAny(arena_.CopyString(plain.view()), arena_);
    if (!tree) return Fail(path, value, tree.error().message);
    if (const Value* created = tree->map()->Find("creationTimestamp");
        created && created->is(Value::Tag::kNull))
      tree->map()->Erase("creationTimestamp");
    value = *tree;
    return true;
  }

  api::Arena& arena_;
  std::vector<std::string>* const unknown_;
  api::field::Error error_;
};

}  // namespace

void Prune(Value& value, const Schema* schema, std::vector<std::string>* unknown) {
  std::vector<std::string> found;
  Pruner(unknown ? &found : nullptr).Any(value, schema);
  std::ranges::sort(found);
  if (unknown) unknown->insert(unknown->end(), found.begin(), found.end());
}

void PruneContent(MapNode& content, const Schema& root, std::vector<std::string>* unknown) {
  std::vector<std::string> found;
  Pruner(unknown ? &found : nullptr).Map(content, &root, true, root.preserve_unknown);
  std::ranges::sort(found);
  if (unknown) unknown->insert(unknown->end(), found.begin(), found.end());
}

void PruneNulls(MapNode& content, const Schema& root) { PruneNullEntries(content, &root); }

base::Result<void, std::string> CoerceEmbedded(MapNode& content, const Schema& root, api::Arena& arena,
                                               std::vector<std::string>* unknown) {
  if (!root.has_embedded) return {};
  std::vector<std::string> found;
  Coercer coercer(arena, unknown ? &found : nullptr);
  if (!coercer.Map(content, root, false, "")) return base::Err(coercer.TakeError().ToString());
  std::ranges::sort(found);
  if (unknown) unknown->insert(unknown->end(), found.begin(), found.end());
  return {};
}

std::optional<api::field::Error> CoerceEmbeddedValue(Value& value, const Schema& schema, bool whole,
                                                     const std::string& path, api::Arena& arena) {
  Coercer coercer(arena, nullptr);
  if (coercer.Any(value, &schema, path, whole)) return std::nullopt;
  return coercer.TakeError();
}

}  // namespace keelson::extensions
