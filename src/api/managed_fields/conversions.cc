#include "api/managed_fields/conversions.h"

#include <utility>

#include "api/conversion/conversion.h"
#include "api/meta/object_meta.h"

namespace keelson::api::managed_fields {
namespace {

// Nobody compares the managed fields, and they can be larger than the rest. What was taken out of an object
// has left null in its place.
Doc Bare(const StructNode& object) {
  Arena arena;
  const Value copy = DeepCopy(Value::Of(const_cast<StructNode*>(&object)), arena);
  Doc doc(std::move(arena), copy.node());
  MutableMetadataOf(doc).clear_managed_fields();
  (void)CustomOf(doc.type())->Coerce(*doc.root(), doc.arena(), nullptr);
  return doc;
}

}  // namespace

const StructNode* Conversions::Find(const StructNode& object, const ResourceDesc& version) {
  Doc from = Bare(object);
  for (const Entry& entry : entries_)
    if (entry.version == &version && entry.from.root()->type == object.type &&
        Equal(entry.from.root(), from.root()))
      return entry.to ? entry.to.root() : nullptr;
  if (given_up_) return nullptr;
  entries_.push_back({&version, std::move(from), Doc()});
  ++missing_;
  return nullptr;
}

base::Task<base::Result<void, ConversionError>> Conversions::Fetch(const CustomConverter& converter,
                                                                   base::Occupancy* occupancy) {
  for (; missing_ > 0; --missing_) {
    Entry& entry = entries_[entries_.size() - missing_];
    entry.to = CO_TRY(co_await ConvertAsking(converter, entry.from.Clone(), *entry.version, occupancy));
  }
  co_return base::Result<void, ConversionError>();
}

}  // namespace keelson::api::managed_fields
