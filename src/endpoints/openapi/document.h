// An OpenAPI document: paths and the schemas they use. v3 has one per group and version, one per group and
// one for each page that is no resource; v2 one for everything.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/slice.h"
#include "base/version.h"
#include "endpoints/openapi/custom.h"
#include "endpoints/openapi/paths.h"
#include "endpoints/openapi/remote_spec.h"
#include "endpoints/openapi/schema.h"
#include "net/http/body.h"

namespace keelson::endpoints::openapi {

// What the documents describe: this version of the Kubernetes API, "1.36".
inline constexpr std::string_view kTitle = "Kubernetes";
inline constexpr std::string_view kPatchVersion = KEELSON_KUBERNETES_VERSION;
inline constexpr std::string_view kApiVersion = kPatchVersion.substr(0, kPatchVersion.rfind('.'));
// What upstream's documents of custom resources have there.
inline constexpr std::string_view kCustomTitle = "Kubernetes CRD Swagger";
inline constexpr std::string_view kCustomVersion = "v0.1.0";  // of that document upstream, not of a program

// How clients say who they are, and that all of it may be asked so.
inline constexpr std::string_view kSecurityDefinitions =
    R"({"BearerToken":{"description":"A token: Bearer, a blank, the token.","type":"apiKey","name":"authorization","in":"header"}})";
inline constexpr std::string_view kSecurity = R"([{"BearerToken":[]}])";

inline const Behaviour kPlainBehaviour;

// Holds nothing: every call writes anew. Borrows what it is made of. `remote`, which v2 has, are parts of
// other servers' documents, in the order of their priority.
class Document {
 public:
  Document(std::span<const api::ResourceDesc* const> resources, Dialect dialect,
           std::span<const CustomDefinitionPtr> custom = {}, std::span<const Page> pages = {},
           std::span<const RemoteSpecPtr> remote = {}, const Behaviour& behaviour = kPlainBehaviour);

  // The whole, as compact JSON.
  base::Slice Json() const;

  // Each path item, in order of path, and each schema as JSON, for other encodings. What the items refer to
  // is in `parameters` then.
  void ForEachPath(SharedParameters& parameters,
                   const std::function<void(std::string_view, std::string_view)>& take) const;
  void ForEachSchema(const std::function<void(std::string_view, std::string_view)>& take) const;

 private:
  friend class DocumentWriter;
  // It is of v3 and about custom resources.
  bool IsCustom() const { return dialect_ == Dialect::kV3 && !custom_.empty(); }
  // The groups and versions of which options and events are kinds.
  std::vector<api::GroupVersion> Everywhere() const;
  // All but those of custom kinds and of other servers.
  void ForEachSharedSchema(const std::function<void(std::string_view, std::string_view)>& take) const;

  const std::span<const api::ResourceDesc* const> resources_;
  const std::span<const CustomDefinitionPtr> custom_;
  const std::span<const Page> pages_;
  const Dialect dialect_;
  const Behaviour& behaviour_;
  MergedSpecs remote_;
};

// The JSON of a document, written piece by piece while it is sent: with thousands of definitions it is
// hundreds of megabytes. Borrows the resources and the pages.
std::unique_ptr<net::http::BodySource> StreamDocument(std::span<const api::ResourceDesc* const> resources,
                                                      Dialect dialect,
                                                      std::vector<CustomDefinitionPtr> custom,
                                                      std::span<const Page> pages = {},
                                                      std::vector<RemoteSpecPtr> remote = {},
                                                      const Behaviour& behaviour = kPlainBehaviour);

}  // namespace keelson::endpoints::openapi
