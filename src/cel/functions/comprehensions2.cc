// What the macros with two variables need to build maps.
#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

// A map that others grow out of, each with its own number of entries.
class GrowingMap final : public Map {
 public:
  using Entries = std::shared_ptr<VectorMap>;
  explicit GrowingMap(Entries entries) : entries_(std::move(entries)), size_(entries_->size()) {}
  size_t size() const override { return size_; }
  std::optional<Value> Find(const Value& key) const override { return entries_->Find(key); }
  Value KeyAt(size_t i) const override { return entries_->KeyAt(i); }
  Value ValueAt(size_t i) const override { return entries_->ValueAt(i); }
  Entries Open() const { return entries_->size() == size_ ? entries_ : nullptr; }

 private:
  Entries entries_;
  size_t size_;
};

GrowingMap::Entries OpenOrCopy(const Value& map) {
  if (const auto* growing = dynamic_cast<const GrowingMap*>(&map.map()))
    if (auto entries = growing->Open()) return entries;
  auto entries = std::make_shared<VectorMap>();
  for (size_t i = 0; i < map.map().size(); ++i) entries->Set(map.map().KeyAt(i), map.map().ValueAt(i));
  return entries;
}

Value Insert(const Value& map, const Value& key, const Value& value) {
  if (map.map().Find(key)) return Value::Error("insert failed: key " + ToText(key) + " already exists");
  auto entries = OpenOrCopy(map);
  entries->Set(key, value);
  return Value::Of(std::make_shared<const GrowingMap>(std::move(entries)));
}

Value InsertOne(Args args) { return Insert(args[0], args[1], args[2]); }

Value InsertAll(Args args) {
  Value map = args[0];
  for (size_t i = 0; i < args[1].map().size(); ++i) {
    map = Insert(map, args[1].map().KeyAt(i), args[1].map().ValueAt(i));
    if (map.is_error()) break;
  }
  return map;
}

}  // namespace

void AddTwoVariableComprehensions(Library& library) {
  const TypeRef k = types::Parameter("K"), v = types::Parameter("V"), map = types::MapOf(k, v);
  library.Global("cel.@mapInsert", "@mapInsert_map_key_value", {map, k, v}, map, InsertOne);
  library.Global("cel.@mapInsert", "@mapInsert_map_map", {map, map}, map, InsertAll);
}

}  // namespace keelson::cel
