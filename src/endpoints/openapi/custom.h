// CustomDefinition: how documents describe one version of a custom resource.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/slice.h"
#include "endpoints/openapi/schema.h"

namespace keelson::endpoints::openapi {

struct CustomDefinition {
  const api::ResourceDesc* desc = nullptr;
  std::string name, list_name;  // "com.example.v1.Gear", "com.example.v1.GearList"
  // Stands for all that documents say of it: what has the same name and key is described alike, on every
  // server of this version. So hashes of documents are known before the documents are written.
  std::string_view key;
  // Appends the JSON of an object's schema.
  std::function<void(Dialect, base::BufferBuilder&)> write;
  std::shared_ptr<const void> keepalive;  // of all that it borrows
};
using CustomDefinitionPtr = std::shared_ptr<const CustomDefinition>;

// How a CustomResourceDefinition is described from now on: each version that is served; none: not at all.
struct CustomDescription {
  std::string definition;  // its name
  std::vector<CustomDefinitionPtr> versions;
};

// "com.example.v1.Gear" for v1.Gear of example.com.
std::string CustomDefinitionName(std::string_view group, std::string_view version, std::string_view kind);

// What every object has, in words. Conformance tests look for "APIVersion defines" and "Standard object's
// metadata" in what explain prints.
inline constexpr std::string_view kApiVersionText =
    "APIVersion defines in which version of its schema this object is written.";
inline constexpr std::string_view kKindText = "Kind is what this object is, in CamelCase.";
inline constexpr std::string_view kListMetadataText = "What there is to say of the list itself.";
inline constexpr std::string_view kMetadataText = "Standard object's metadata.";

}  // namespace keelson::endpoints::openapi
