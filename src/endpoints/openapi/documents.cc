#include "endpoints/openapi/documents.h"

#include "api/codec/json_writer.h"
#include "base/fingerprint.h"
#include "endpoints/openapi/document.h"
#include "endpoints/respond.h"

namespace keelson::endpoints::openapi {
namespace {

constexpr std::string_view kRoot = "/openapi/v3";
constexpr std::string_view kHashParameter = "hash=";

std::string RelativePath(const api::ResourceDesc& resource) {
  if (resource.group.empty()) return "api/" + std::string(resource.version);
  return "apis/" + std::string(resource.group) + "/" + std::string(resource.version);
}

std::string HashedUrl(std::string_view relative, std::string_view hash) {
  std::string url(kRoot);
  return url.append("/").append(relative).append("?hash=").append(hash);
}

net::http::Response JsonDocument(base::Slice bytes, const std::string& etag,
                                 const net::http::Headers& headers) {
  net::http::Response response;
  response.headers.Add("etag", etag);
  if (headers.Get("if-none-match") == etag) {
    response.status = 304;
    return response;
  }
  response.headers.Add("content-type", "application/json");
  response.headers.Add("vary", "Accept");
  response.body = net::http::FixedBody(std::move(bytes));
  return response;
}

}  // namespace

Documents::Documents(std::vector<const api::ResourceDesc*> resources) {
  for (const api::ResourceDesc* resource : resources) {
    auto& document = documents_[RelativePath(*resource)];
    if (!document) {
      document = std::make_unique<Document>();
      document->group_version = {resource->group, resource->version};
    }
    document->resources.push_back(resource);
  }
}

bool Documents::Owns(std::string_view path) {
  return path == kRoot || (path.starts_with(kRoot) && path[kRoot.size()] == '/');
}

Documents::Document& Documents::Built(Document& document) {
  std::call_once(document.built, [&] {
    document.bytes = BuildDocument(document.group_version, document.resources);
    document.hash = base::Fingerprint(document.bytes.view());
  });
  return document;
}

net::http::Response Documents::Index() {
  base::BufferBuilder bytes;
  api::json::JsonWriter out(bytes);
  out.BeginObject().Key("paths").BeginObject();
  for (auto& [path, document] : documents_) {
    out.Key(path).BeginObject();
    out.Member("serverRelativeURL", HashedUrl(path, Built(*document).hash)).EndObject();
  }
  out.EndObject().EndObject();
  return JsonResponse(200, std::string(bytes.view()));
}

net::http::Response Documents::Handle(std::string_view path, std::string_view query,
                                      const net::http::Headers& headers) {
  std::string_view relative = path.substr(kRoot.size());
  while (relative.starts_with('/')) relative.remove_prefix(1);
  if (relative.empty()) return Index();
  const auto found = documents_.find(relative);
  if (found == documents_.end()) {
    return StatusResponse(
        api::GenericServerResponse(404, "get", {}, "", "the server could not find the requested resource"),
        headers.Get("accept").value_or(""));
  }
  const Document& document = Built(*found->second);
  if (const size_t at = query.find(kHashParameter); at != std::string_view::npos) {
    const std::string_view asked = query.substr(at + kHashParameter.size());
    if (asked.substr(0, asked.find('&')) != document.hash) {
      net::http::Response moved;
      moved.status = 301;
      moved.headers.Add("location", HashedUrl(relative, document.hash));
      return moved;
    }
  }
  return JsonDocument(document.bytes, "\"" + document.hash + "\"", headers);
}

}  // namespace keelson::endpoints::openapi
