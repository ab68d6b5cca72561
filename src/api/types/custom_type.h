// CustomType: what a custom kind knows beyond its TypeDesc. Its objects are kept as JSON trees below
// the metadata; what their schema says about them is asked here, so that the codecs, the registry and the
// endpoints need to know nothing of schemas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/occupancy.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::api {

class CustomType;

// What the types of custom kinds are named; each of them is a CustomTypeDesc.
inline constexpr std::string_view kCustomTypeName = "custom";

// A type of a custom kind: its root, whose last field is a map with the members that JSON shows beside the
// other fields; or a part of it, which says how trees are merged. A map may have fields: what is under their
// names is of their types; without an element nothing else is.
struct CustomTypeDesc : TypeDesc {
  const CustomType* custom = nullptr;  // of a root; null: a part, whose values are trees whatever its kind
  const FieldDesc* element_use = nullptr;  // how elements are merged; null: as their type
};

inline const CustomTypeDesc* AsCustom(const TypeDesc& type) {
  return type.name == kCustomTypeName ? static_cast<const CustomTypeDesc*>(&type) : nullptr;
}
// Of the root of a custom kind; else null.
inline const CustomType* CustomOf(const TypeDesc& type) {
  const CustomTypeDesc* custom = AsCustom(type);
  return custom ? custom->custom : nullptr;
}
// The last field of the struct holds its other members.
inline bool IsOpen(const TypeDesc& type) { return CustomOf(type) != nullptr; }
// A part of a custom kind.
inline bool IsUntyped(const TypeDesc& type) {
  const CustomTypeDesc* custom = AsCustom(type);
  return custom && !custom->custom;
}
inline bool IsCustom(const ResourceDesc& resource) { return resource.type && IsOpen(*resource.type); }

// Why objects were not converted.
struct ConversionError {
  std::string message;  // upstream's
  bool late = false;    // the deadline of the request came before the answer
};

// CustomConverter: converts objects of a custom kind between versions by asking whom the definition names.
//
// Threads: any.
class CustomConverter {
 public:
  virtual ~CustomConverter() = default;
  // `docs` in the version `api_version` ("group/version"), in their order. Those that are in it already are
  // not asked about; if all are, nobody is. `as_list`: they are items of one list, which errors speak of.
  // `occupancy`: of the request that waits, whose place is given back and whose deadline ends the wait;
  // null: nobody's. It outlives the call.
  virtual base::Task<base::Result<std::vector<Doc>, ConversionError>> Convert(
      std::vector<Doc> docs, std::string api_version, bool as_list, base::Occupancy* occupancy) const = 0;
  // The last question timed out: who can do without an answer should not ask.
  virtual bool Unresponsive() const = 0;
};

// Threads: immutable, any.
class CustomType {
 public:
  virtual ~CustomType() = default;

  // Removes from `root`, an object of this type, what the schema does not know and nulls that it does not
  // allow. The paths of unknown fields are added to `unknown`, if given. The error is the client's mistake:
  // something in an embedded object that makes no sense.
  virtual base::Result<void, std::string> Coerce(StructNode& root, Arena& arena,
                                                 std::vector<std::string>* unknown) const = 0;
  virtual void SetDefaults(StructNode& root, Arena& arena) const = 0;
  // Takes out of an object that is to be stored what Coerce does. False: reading it back would add to it, as
  // a default that it lacks; or it is of another version.
  virtual bool Settle(StructNode& root, Arena& arena) const = 0;
  // Objects have a status of their own, which other writes leave alone.
  virtual bool has_status() const = 0;
  // The resource has such a version, served or not.
  virtual bool HasVersion(std::string_view version) const = 0;
  // How the members of objects are merged that are no metadata: a kMap.
  virtual const TypeDesc& content_type() const = 0;
  // Objects of the two, which are versions of one kind, differ in nothing but the name of the version.
  virtual bool SameContent(const CustomType& other) const = 0;
  // Who converts between the versions; null: nobody, they differ in what their schemas allow. With a
  // converter every object is kept in the version that it was written in.
  virtual const CustomConverter* converter() const { return nullptr; }
  // With a converter: the type of the kind in the version `api_version` ("group/version"); null: there is no
  // such version.
  virtual const TypeDesc* TypeIn(std::string_view /*api_version*/) const { return nullptr; }
};

// Who converts between the versions of a kind; null: nobody has to be asked.
inline const CustomConverter* ConverterOf(const TypeDesc& type) {
  const CustomType* const custom = CustomOf(type);
  return custom ? custom->converter() : nullptr;
}

// The stored version of a resource differs from the served one in more than its name.
inline bool ConvertsContent(const ResourceDesc& resource) {
  if (!resource.IsConverted()) return false;
  const CustomType* custom = CustomOf(*resource.type);
  return !custom || !custom->SameContent(*CustomOf(*resource.storage_type));
}

// Where the members of a custom object are that are no metadata: the last field of its type.
inline Value& ContentOf(StructNode& root) { return root.slot(root.type->fields.size() - 1); }
inline const MapNode* ContentOf(const StructNode& root) {
  return root.slot(root.type->fields.size() - 1).map();
}
// The same, made if absent.
MapNode& MutableContentOf(StructNode& root, Arena& arena);

// The type of a whole object: kind, apiVersion, metadata, and a map with the rest. Borrows `custom`.
CustomTypeDesc CustomRoot(const CustomType* custom);

}  // namespace keelson::api
