// /openapi/v2 and /openapi/v3: one document for everything, and an index of hashed URLs with
// one document per group-version. Documents are written when they are asked for and not
// kept: clients keep them, by their hash, and the server stays small.
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
#include "base/slice.h"
#include "net/http/message.h"

namespace keelson::endpoints::openapi {

class Documents {
 public:
  // The resources served; they must outlive this.
  explicit Documents(std::vector<const api::ResourceDesc*> resources);

  // "/openapi/v2", "/openapi/v3" and everything below that.
  static bool Owns(std::string_view path);

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
    Hash hash;
  };
  net::http::Response Index();
  net::http::Response V2(const net::http::Headers& headers);
  static const std::string& HashOf(GroupVersion& group_version);

  const std::vector<const api::ResourceDesc*> resources_;
  Hash v2_hash_;
  std::map<std::string, std::unique_ptr<GroupVersion>, std::less<>> group_versions_;  // by "apis/g/v"
};

}  // namespace keelson::endpoints::openapi
