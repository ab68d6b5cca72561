// An OpenAPI document: paths and the schemas they use. v3 has one per group and version, v2
// one for everything.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "api/types/resource_desc.h"
#include "base/slice.h"
#include "base/version.h"
#include "endpoints/openapi/custom.h"
#include "endpoints/openapi/schema.h"

namespace keelson::endpoints::openapi {

// What the documents describe: this version of the Kubernetes API.
inline constexpr std::string_view kTitle = "Kubernetes", kApiVersion = "v" KEELSON_KUBERNETES_VERSION;

// Holds nothing: every call writes anew. Borrows the resources.
class Document {
 public:
  Document(std::span<const api::ResourceDesc* const> resources, Dialect dialect,
           std::span<const CustomDefinitionPtr> custom = {});

  // The whole, as compact JSON.
  base::Slice Json() const;

  // Each path item and each schema as JSON, in order of name, for other encodings.
  void ForEachPath(const std::function<void(std::string_view, std::string_view)>& take) const;
  void ForEachSchema(const std::function<void(std::string_view, std::string_view)>& take) const;

 private:
  const std::span<const api::ResourceDesc* const> resources_;
  const std::span<const CustomDefinitionPtr> custom_;
  const Dialect dialect_;
};

}  // namespace keelson::endpoints::openapi
