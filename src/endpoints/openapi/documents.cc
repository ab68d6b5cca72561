#include "endpoints/openapi/documents.h"

#include "api/codec/json_writer.h"
#include "base/fingerprint.h"
#include "endpoints/exchange.h"
#include "endpoints/negotiation.h"
#include "endpoints/openapi/document.h"
#include "endpoints/openapi/gnostic.h"
#include "endpoints/respond.h"

namespace keelson::endpoints::openapi {
namespace {

constexpr std::string_view kV2 = "/openapi/v2", kRoot = "/openapi/v3";
constexpr std::string_view kHashParameter = "hash=";

std::string RelativePath(const api::ResourceDesc& resource) {
  if (resource.group.empty()) return "api/" + std::string(resource.version);
  return "apis/" + std::string(resource.group) + "/" + std::string(resource.version);
}

std::string HashedUrl(std::string_view relative, std::string_view hash) {
  std::string url(kRoot);
  return url.append("/").append(relative).append("?hash=").append(hash);
}

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kGnostic = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
constexpr std::string_view kGnosticDeprecated = "com.github.proto-openapi.spec.v2@v1.0+protobuf";

std::string Quoted(std::string_view hash) { return "\"" + std::string(hash) + "\""; }

// An answer whose content is known by `hash`; `write` is not called when the client has it.
template <class Write>
net::http::Response Answer(std::string_view content_type, std::string_view hash,
                           const net::http::Headers& headers, const Write& write) {
  net::http::Response response;
  response.headers.Add("etag", Quoted(hash));
  response.headers.Add("vary", "Accept");
  if (headers.Get("if-none-match") == Quoted(hash)) {
    response.status = 304;
    return response;
  }
  response.headers.Add("content-type", std::string(content_type));
  base::Slice bytes = write();
  const size_t size = bytes.size();
  response.body = net::http::FixedBody(std::move(bytes));
  Compress(headers, size, response);
  return response;
}

// The first form that the client accepts and this server has; empty: none.
std::string_view PreferredV2(const net::http::Headers& headers) {
  const std::string accept = headers.Joined("accept");
  for (const AcceptClause& clause : ParseAccept(accept.empty() ? "*/*" : accept)) {
    if (clause.type != "application" && clause.type != "*") continue;
    if (clause.subtype == "json" || clause.subtype == "*") return kJson;
    if (clause.subtype == kGnosticDeprecated || kGnostic.ends_with("/" + clause.subtype)) return kGnostic;
  }
  return {};
}

}  // namespace

Documents::Documents(std::vector<const api::ResourceDesc*> resources) : resources_(std::move(resources)) {
  for (const api::ResourceDesc* resource : resources_) {
    auto& group_version = group_versions_[RelativePath(*resource)];
    if (!group_version) group_version = std::make_unique<GroupVersion>();
    group_version->resources.push_back(resource);
  }
}

bool Documents::Owns(std::string_view path) {
  return path == kV2 || path == kRoot || (path.starts_with(kRoot) && path[kRoot.size()] == '/');
}

const std::string& Documents::HashOf(GroupVersion& group_version) {
  std::call_once(group_version.hash.made, [&] {
    group_version.hash.text =
        base::Fingerprint(Document(group_version.resources, Dialect::kV3).Json().view());
  });
  return group_version.hash.text;
}

net::http::Response Documents::Index() {
  base::BufferBuilder bytes;
  api::json::JsonWriter out(bytes);
  out.BeginObject().Key("paths").BeginObject();
  for (auto& [path, group_version] : group_versions_) {
    out.Key(path).BeginObject();
    out.Member("serverRelativeURL", HashedUrl(path, HashOf(*group_version))).EndObject();
  }
  out.EndObject().EndObject();
  return JsonResponse(200, std::string(bytes.view()));
}

net::http::Response Documents::V2(const net::http::Headers& headers) {
  const std::string_view form = PreferredV2(headers);
  if (form.empty()) {
    net::http::Response response;
    response.status = 406;
    response.headers.Add("vary", "Accept");
    return response;
  }
  const Document document(resources_, Dialect::kV2);
  std::call_once(v2_hash_.made, [&] { v2_hash_.text = base::Fingerprint(document.Json().view()); });
  return Answer(form, v2_hash_.text, headers,
                [&] { return form == kJson ? document.Json() : EncodeGnostic(document); });
}

net::http::Response Documents::Handle(std::string_view path, std::string_view query,
                                      const net::http::Headers& headers) {
  if (path == kV2) return V2(headers);
  std::string_view relative = path.substr(kRoot.size());
  while (relative.starts_with('/')) relative.remove_prefix(1);
  if (relative.empty()) return Index();
  const auto found = group_versions_.find(relative);
  if (found == group_versions_.end()) {
    return StatusResponse(
        api::GenericServerResponse(404, "get", {}, "", "the server could not find the requested resource"),
        headers.Get("accept").value_or(""));
  }
  GroupVersion& group_version = *found->second;
  const std::string& hash = HashOf(group_version);
  if (const size_t at = query.find(kHashParameter); at != std::string_view::npos) {
    const std::string_view asked = query.substr(at + kHashParameter.size());
    if (asked.substr(0, asked.find('&')) != hash) {
      net::http::Response moved;
      moved.status = 301;
      moved.headers.Add("location", HashedUrl(relative, hash));
      return moved;
    }
  }
  return Answer(kJson, hash, headers, [&] { return Document(group_version.resources, Dialect::kV3).Json(); });
}

}  // namespace keelson::endpoints::openapi
