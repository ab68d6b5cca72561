// /openapi/v2 and /openapi/v3: one document for everything, and an index of hashed URLs with
// one document per group-version, per group, and for each page that is no resource. Documents are written
// when they are asked for and not kept: clients keep them, by their hash, and the server stays small.
//
// Threads: any.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/published.h"
#include "base/slice.h"
#include "endpoints/openapi/custom.h"
#include "endpoints/openapi/paths.h"
#include "net/http/message.h"

namespace keelson::endpoints::openapi {

class Documents {
 public:
  // The resources served; they must outlive this.
  explicit Documents(std::vector<const api::ResourceDesc*> resources);

  // "/openapi/v2", "/openapi/v3" and everything below that.
  static bool Owns(std::string_view path);

  // Describes these besides the others from now on. One thread at a time.
  void SetCustom(std::vector<CustomDefinitionPtr> custom);

  // The index names these documents, which others have, besides the others from now on: their URLs by
  // "apis/GROUP/VERSION". One thread at a time.
  using Urls = std::map<std::string, std::string, std::less<>>;
  void SetRemote(Urls urls);

  // Requires: Owns(path). `path` and `query` as in the request, decoded.
  net::http::Response Handle(std::string_view path, std::string_view query,
                             const net::http::Headers& headers);

 private:
  // The hash of a document's JSON, made when first asked for.
  struct Hash {
    std::once_flag made;
    std::string text;
  };
  struct GroupVersion {
    std::vector<const api::ResourceDesc*> resources;
    std::vector<CustomDefinitionPtr> custom;
    std::vector<Page> pages;  // of a document that is of no version
    mutable Hash hash;
  };
  using GroupVersions =
      std::map<std::string, std::shared_ptr<const GroupVersion>, std::less<>>;  // by "apis/g/v"
  // What comes and goes, at one moment.
  struct CustomSet final : base::Publishable<CustomSet> {
    std::vector<CustomDefinitionPtr> definitions;
    GroupVersions group_versions;
    mutable Hash v2_hash;
  };
  struct RemoteSet final : base::Publishable<RemoteSet> {
    Urls urls;
  };
  net::http::Response Index(const CustomSet& custom) const;
  net::http::Response V2(const CustomSet& custom, const net::http::Headers& headers) const;
  static const std::string& HashOf(const GroupVersion& group_version);

  const std::vector<const api::ResourceDesc*> resources_;
  const std::vector<Page> pages_;
  GroupVersions group_versions_;
  base::Published<CustomSet> custom_{new CustomSet()};
  base::Published<RemoteSet> remote_{new RemoteSet()};
};

}  // namespace keelson::endpoints::openapi
