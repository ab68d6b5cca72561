#include "endpoints/openapi/documents.h"

#include <algorithm>
#include <span>
#include <utility>

#include "api/codec/json_writer.h"
#include "base/fingerprint.h"
#include "base/version.h"
#include "endpoints/filters.h"
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

// What the documents of these are known by. How a server writes them is known by its version.
std::string KeysOf(std::span<const CustomDefinitionPtr> definitions) {
  std::string keys = KEELSON_VERSION;
  for (const CustomDefinitionPtr& definition : definitions)
    keys.append("\n").append(definition->name).append(" ").append(definition->key);
  return keys;
}

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
  response.body = write();
  Compress(headers, response.body->Size().value_or(kGzipThresholdBytes), response);
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

Documents::Documents(std::vector<const api::ResourceDesc*> resources, Behaviour behaviour)
    : resources_(std::move(resources)), behaviour_(std::move(behaviour)), pages_(PagesOf(resources_)) {
  std::map<std::string, base::IntrusivePtr<GroupVersion>> made;
  for (const api::ResourceDesc* resource : resources_) {
    const std::string path = RelativePath(*resource);
    auto& group_version = made[path];
    if (!group_version) group_version = base::IntrusivePtr<GroupVersion>(new GroupVersion(path));
    group_version->resources.push_back(resource);
  }
  for (const Page& page : pages_) {
    base::IntrusivePtr<GroupVersion> document(new GroupVersion(std::string(page.Key())));
    document->pages.push_back(page);
    made.emplace(page.Key(), std::move(document));
  }
  for (auto& [path, group_version] : made) group_versions_.emplace(path, std::move(group_version));
}

void Documents::ChangeCustom(std::vector<CustomDescription> changes) {
  const base::Reading<CustomSet> before = custom_.Read();
  // Of each group and version that changes, what it has in the end.
  std::map<std::string, std::vector<CustomDefinitionPtr>> changed;
  const auto in_change = [&](const CustomDefinitionPtr& definition) -> std::vector<CustomDefinitionPtr>& {
    const auto [place, fresh] = changed.try_emplace(RelativePath(*definition->desc));
    if (fresh)
      if (const GroupVersion* const had = before->Find(place->first)) place->second = had->custom;
    return place->second;
  };
  for (CustomDescription& change : changes) {
    std::vector<CustomDefinitionPtr>& known = by_definition_[change.definition];
    for (const CustomDefinitionPtr& was : known) std::erase(in_change(was), was);
    for (const CustomDefinitionPtr& now : change.versions) in_change(now).push_back(now);
    known = std::move(change.versions);
    if (known.empty()) by_definition_.erase(change.definition);
  }
  auto* const next = new CustomSet();
  next->group_versions = before->group_versions;
  for (auto& [path, custom] : changed) {
    const auto is = [&path = path](const GroupVersion& its) { return its.path == path; };
    std::ranges::sort(custom, {}, [](const CustomDefinitionPtr& d) { return std::string_view(d->name); });
    if (const GroupVersion* const had = before->Find(path); had && had->custom == custom) continue;
    const base::IntrusivePtr<GroupVersion> made(new GroupVersion(path));
    made->custom = std::move(custom);
    if (made->custom.empty())
      next->group_versions.Remove(made->hash(), is);
    else
      next->group_versions.Put(made, is);
  }
  custom_.Replace(next);
}

const Documents::GroupVersion* Documents::CustomSet::Find(std::string_view path) const {
  return group_versions.Find(base::StringHash()(path),
                             [path](const GroupVersion& its) { return its.path == path; });
}

std::vector<CustomDefinitionPtr> Documents::CustomSet::Definitions() const {
  std::vector<CustomDefinitionPtr> all;
  group_versions.ForEach(
      [&](const GroupVersion& its) { all.insert(all.end(), its.custom.begin(), its.custom.end()); });
  std::ranges::sort(all, {}, [](const CustomDefinitionPtr& d) { return std::string_view(d->name); });
  return all;
}

void Documents::SetRemote(Urls urls) {
  const base::Reading<RemoteSet> before = remote_.Read();
  auto* const next = new RemoteSet();
  next->urls = std::move(urls);
  next->specs = before->specs;
  next->specs_hash = before->specs_hash;
  remote_.Replace(next);
}

void Documents::SetRemoteSpecs(std::vector<RemoteSpecPtr> specs) {
  auto* const next = new RemoteSet();
  next->urls = remote_.Read()->urls;
  for (const RemoteSpecPtr& spec : specs) next->specs_hash.append(spec->hash);
  next->specs = std::move(specs);
  remote_.Replace(next);
}

bool Documents::Owns(std::string_view path) {
  return path == kV2 || path == kRoot || (path.starts_with(kRoot) && path[kRoot.size()] == '/');
}

Document Documents::DocumentOf(const GroupVersion& its) const {
  return {its.resources, Dialect::kV3, its.custom, its.pages, {}, behaviour_};
}

const std::string& Documents::HashOf(const GroupVersion& its) const {
  std::call_once(its.document_hash.made, [&] {
    its.document_hash.text =
        base::Fingerprint(its.custom.empty() ? DocumentOf(its).Json().view() : KeysOf(its.custom));
  });
  return its.document_hash.text;
}

const std::string& Documents::V2HashOf(const CustomSet& custom,
                                       const std::vector<CustomDefinitionPtr>& definitions) const {
  std::call_once(built_in_v2_hash_.made, [&] {
    built_in_v2_hash_.text =
        base::Fingerprint(Document(resources_, Dialect::kV2, {}, pages_, {}, behaviour_).Json().view());
  });
  std::call_once(custom.v2_hash.made, [&] {
    custom.v2_hash.text = definitions.empty()
                              ? built_in_v2_hash_.text
                              : base::Fingerprint(built_in_v2_hash_.text + KeysOf(definitions));
  });
  return custom.v2_hash.text;
}

net::http::Response Documents::Index(const CustomSet& custom) const {
  base::BufferBuilder bytes;
  api::json::JsonWriter out(bytes);
  out.BeginObject().Key("paths").BeginObject();
  Urls urls = remote_.Read()->urls;
  const auto add = [&](const GroupVersion& its) {
    if (!urls.contains(its.path)) urls.emplace(its.path, HashedUrl(its.path, HashOf(its)));
  };
  for (const auto& [path, its] : group_versions_) add(*its);
  custom.group_versions.ForEach(add);
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
  std::vector<CustomDefinitionPtr> definitions = custom.Definitions();
  const base::Reading<RemoteSet> remote = remote_.Read();
  const std::string& own_hash = V2HashOf(custom, definitions);
  const std::string hash =
      remote->specs.empty() ? own_hash : base::Fingerprint(own_hash + remote->specs_hash);
  return Answer(media_type, hash, headers, [&] {
    if (media_type == kJson)
      return StreamDocument(resources_, Dialect::kV2, std::move(definitions), pages_, remote->specs,
                            behaviour_);
    return net::http::FixedBody(
        EncodeGnostic(Document(resources_, Dialect::kV2, definitions, pages_, remote->specs, behaviour_)));
  });
}

net::http::Response Documents::Handle(std::string_view path, std::string_view query,
                                      const net::http::Headers& headers) {
  const base::Reading<CustomSet> custom = custom_.Read();
  if (path == kV2) return V2(*custom, headers);
  if (path == kRoot) return Index(*custom);
  const std::string_view relative = path.substr(kRoot.size() + 1);
  const auto built_in = group_versions_.find(relative);
  const GroupVersion* const found =
      built_in != group_versions_.end() ? built_in->second.get() : custom->Find(relative);
  if (!found) {
    net::http::Response nothing;
    nothing.status = 404;
    return nothing;
  }
  const std::string& hash = HashOf(*found);
  if (const size_t at = query.find(kHashParameter); at != std::string_view::npos) {
    const std::string_view asked = query.substr(at + kHashParameter.size());
    if (asked.substr(0, asked.find('&')) != hash) {
      net::http::Response moved;
      moved.status = 301;
      moved.headers.Add("location", HashedUrl(relative, hash));
      return moved;
    }
  }
  return Answer(kJson, hash, headers, [&] { return net::http::FixedBody(DocumentOf(*found).Json()); });
}

}  // namespace keelson::endpoints::openapi
