// /openapi/v3: an index of hashed URLs and one document per group-version, built when
// first asked for and kept.
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

  // "/openapi/v3" and everything below it.
  static bool Owns(std::string_view path);

  // Requires: Owns(path). `path` and `query` as in the request, decoded.
  net::http::Response Handle(std::string_view path, std::string_view query,
                             const net::http::Headers& headers);

 private:
  struct Document {
    api::GroupVersion group_version;
    std::vector<const api::ResourceDesc*> resources;
    std::once_flag built;
    base::Slice bytes;
    std::string hash;
  };
  Document& Built(Document& document);
  net::http::Response Index();

  std::map<std::string, std::unique_ptr<Document>, std::less<>> documents_;  // by "api/v1", "apis/g/v"
};

}  // namespace keelson::endpoints::openapi
