// Publishes TypeDescs as OpenAPI schemas: what kubectl explain, client-side validation and
// code generators read.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json_writer.h"
#include "api/types/resource_desc.h"
#include "api/types/type_desc.h"

namespace keelson::endpoints::openapi {

using Strings = std::span<const std::string_view>;

enum class Dialect : uint8_t { kV2, kV3 };

// The definition that documents name as the body of every PATCH.
inline constexpr std::string_view kPatchDefinition = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

// "core_v1.PodSpec" → "io.k8s.api.core.v1.PodSpec": the name under components/schemas.
std::string DefinitionName(std::string_view type_name);

// "#/components/schemas/<definition name>", or where v2 has it.
std::string ReferenceTo(std::string_view definition, Dialect dialect);

// Writes a reference into an object that is open. `beside`: something else is said there. In v3 nothing is
// read beside a $ref, so such a one goes inside allOf; clients of v2 read what stands beside it, and know no
// allOf.
void WriteReference(std::string_view definition, bool beside, Dialect dialect, api::json::JsonWriter& out);

// Writes the member `"<definition name>": {schema}` of every struct reachable from the
// types added, and of the special types they use, in order of name. `everywhere`: the groups and versions of
// which options and events, which every version has, are kinds.
class SchemaSet {
 public:
  SchemaSet(Dialect dialect, std::vector<api::GroupVersion> everywhere)
      : dialect_(dialect), everywhere_(std::move(everywhere)) {}

  void Add(const api::TypeDesc& type);
  void Write(api::json::JsonWriter& out) const;
  // Calls `take(name, schema)` for each, the schema as JSON.
  void ForEach(const std::function<void(std::string_view, std::string_view)>& take) const;

 private:
  struct ByName {
    bool operator()(const api::TypeDesc* a, const api::TypeDesc* b) const { return a->name < b->name; }
  };
  void AddFields(const api::TypeDesc& type);

  const Dialect dialect_;
  const std::vector<api::GroupVersion> everywhere_;
  std::set<const api::TypeDesc*, ByName> structs_;
  std::set<std::string_view> specials_;  // by definition name
};

}  // namespace keelson::endpoints::openapi
