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

// What the documents describe: this version of the Kubernetes API.
inline constexpr std::string_view kTitle = "Kubernetes", kApiVersion = "v" KEELSON_KUBERNETES_VERSION;

// Holds nothing: every call writes anew. Borrows what it is made of. `remote`, which v2 has, are parts of
// other servers' documents, in the order of their priority.
class Document {
 public:
  Document(std::span<const api::ResourceDesc* const> resources, Dialect dialect,
           std::span<const CustomDefinitionPtr> custom = {}, std::span<const Page> pages = {},
           std::span<const RemoteSpecPtr> remote = {});

  // The whole, as compact JSON.
  base::Slice Json() const;

  // Each path item, in order of path, and each schema as JSON, for other encodings.
  void ForEachPath(const std::function<void(std::string_view, std::string_view)>& take) const;
  void ForEachSchema(const std::function<void(std::string_view, std::string_view)>& take) const;

 private:
  friend class DocumentWriter;
  // All but those of custom kinds and of other servers.
  void ForEachSharedSchema(const std::function<void(std::string_view, std::string_view)>& take) const;

  const std::span<const api::ResourceDesc* const> resources_;
  const std::span<const CustomDefinitionPtr> custom_;
  const std::span<const Page> pages_;
  const Dialect dialect_;
  MergedSpecs remote_;
};

// The JSON of a document, written piece by piece while it is sent: with thousands of definitions it is
// hundreds of megabytes. Borrows the resources and the pages.
std::unique_ptr<net::http::BodySource> StreamDocument(std::span<const api::ResourceDesc* const> resources,
                                                      Dialect dialect,
                                                      std::vector<CustomDefinitionPtr> custom,
                                                      std::span<const Page> pages = {},
                                                      std::vector<RemoteSpecPtr> remote = {});

}  // namespace keelson::endpoints::openapi
