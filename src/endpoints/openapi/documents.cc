#include "endpoints/openapi/documents.h"

#include "api/codec/json_writer.h"
#include "base/fingerprint.h"
#include "endpoints/negotiation.h"
#include "endpoints/openapi/document.h"
#include "endpoints/openapi/gnostic.h"
#include "endpoints/request_scope.h"
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

// The first media type that the client accepts and this server has; empty: none.
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

Documents::Documents(std::vector<const api::ResourceDesc*> resources)
    : resources_(std::move(resources)), pages_(PagesOf(resources_)) {
  std::map<std::string, std::shared_ptr<GroupVersion>> made;
  for (const api::ResourceDesc* resource : resources_) {
    auto& group_version = made[RelativePath(*resource)];
    if (!group_version) group_version = std::make_shared<GroupVersion>();
    group_version->resources.push_back(resource);
  }
  for (const Page& page : pages_) {
    auto document = std::make_shared<GroupVersion>();
    document->pages.push_back(page);
    made.emplace(page.Key(), std::move(document));
  }
  for (auto& [path, group_version] : made) group_versions_.emplace(path, std::move(group_version));
}

void Documents::SetCustom(std::vector<CustomDefinitionPtr> custom) {
  const base::Reading<CustomSet> before = custom_.Read();
  std::map<std::string, std::shared_ptr<GroupVersion>> made;
  for (const CustomDefinitionPtr& definition : custom) {
    auto& group_version = made[RelativePath(*definition->desc)];
    if (!group_version) group_version = std::make_shared<GroupVersion>();
    group_version->custom.push_back(definition);
  }
  auto* next = new CustomSet();
  next->definitions = std::move(custom);
  for (auto& [path, group_version] : made) {
    // Where nothing has changed, what is known of the document still holds.
    const auto known = before->group_versions.find(path);
    const bool same = known != before->group_versions.end() && known->second->custom == group_version->custom;
    next->group_versions.emplace(path, same ? known->second : std::move(group_version));
  }
  custom_.Replace(next);
}

void Documents::SetRemote(Urls urls) {
  auto* const next = new RemoteSet();
  next->urls = std::move(urls);
  remote_.Replace(next);
}

bool Documents::Owns(std::string_view path) {
  return path == kV2 || path == kRoot || (path.starts_with(kRoot) && path[kRoot.size()] == '/');
}

const std::string& Documents::HashOf(const GroupVersion& group_version) {
  std::call_once(group_version.hash.made, [&] {
    group_version.hash.text = base::Fingerprint(
        Document(group_version.resources, Dialect::kV3, group_version.custom, group_version.pages)
            .Json()
            .view());
  });
  return group_version.hash.text;
}

net::http::Response Documents::Index(const CustomSet& custom) const {
  base::BufferBuilder bytes;
  api::json::JsonWriter out(bytes);
  out.BeginObject().Key("paths").BeginObject();
  GroupVersions all = group_versions_;
  all.insert(custom.group_versions.begin(), custom.group_versions.end());
  Urls urls = remote_.Read()->urls;
  for (const auto& [path, group_version] : all)
    if (!urls.contains(path)) urls.emplace(path, HashedUrl(path, HashOf(*group_version)));
  for (const auto& [path, url] : urls)
    out.Key(path).BeginObject().Member("serverRelativeURL", url).EndObject();
  out.EndObject().EndObject();
  return JsonResponse(200, std::string(bytes.view()));
}

net::http::Response Documents::V2(const CustomSet& custom, const net::http::Headers& headers) const {
  const std::string_view media_type = PreferredV2(headers);
  if (media_type.empty()) {
    net::http::Response response;
    response.status = 406;
    response.headers.Add("vary", "Accept");
    return response;
  }
  const Document document(resources_, Dialect::kV2, custom.definitions, pages_);
  std::call_once(custom.v2_hash.made,
                 [&] { custom.v2_hash.text = base::Fingerprint(document.Json().view()); });
  return Answer(media_type, custom.v2_hash.text, headers,
                [&] { return media_type == kJson ? document.Json() : EncodeGnostic(document); });
}

net::http::Response Documents::Handle(std::string_view path, std::string_view query,
                                      const net::http::Headers& headers) {
  const base::Reading<CustomSet> custom = custom_.Read();
  if (path == kV2) return V2(*custom, headers);
  std::string_view relative = path.substr(kRoot.size());
  while (relative.starts_with('/')) relative.remove_prefix(1);
  if (relative.empty()) return Index(*custom);
  const auto find = [&](const GroupVersions& in) {
    const auto at = in.find(relative);
    return at == in.end() ? nullptr : at->second;
  };
  auto found = find(group_versions_);
  if (!found) found = find(custom->group_versions);
  if (!found) {
    return StatusResponse(
        api::GenericServerResponse(404, "get", {}, "", "the server could not find the requested resource"),
        headers.Get("accept").value_or(""));
  }
  const GroupVersion& group_version = *found;
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
  return Answer(kJson, hash, headers, [&] {
    return Document(group_version.resources, Dialect::kV3, group_version.custom, group_version.pages).Json();
  });
}

}  // namespace keelson::endpoints::openapi
