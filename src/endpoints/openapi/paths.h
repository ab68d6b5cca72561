// PathSet: the paths of an OpenAPI document, with what can be asked of each: methods, parameters, bodies and
// answers. What upstream's documents have, their prose aside.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "endpoints/openapi/custom.h"
#include "endpoints/openapi/descriptions.h"
#include "endpoints/openapi/schema.h"

namespace keelson::endpoints::openapi {

// A page that can be read and is no resource: a list of groups or versions, the version of the server, what
// others need to check tokens.
struct Page {
  std::string path;               // "/apis/apps/"
  std::string operation_id, tag;  // "getAppsAPIGroup", "apps"
  std::string_view text;          // what it is good for
  // What it answers with: a built-in type, or a definition of that name, which `write_schema` writes;
  // neither: text.
  const api::TypeDesc* type = nullptr;
  std::string_view definition = {};
  void (*write_schema)(Dialect dialect, api::json::JsonWriter& out) = nullptr;
  std::span<const std::string_view> consumes, produces;

  // Its name in the index of /openapi/v3: "apis/apps".
  std::string_view Key() const { return std::string_view(path).substr(1, path.size() - 2); }
};

// Every page of a server that serves these resources, in order of path. Those that list the resources of one
// version are not among them: they belong to the version's own document.
std::vector<Page> PagesOf(std::span<const api::ResourceDesc* const> resources);

// How the server answers, as far as documents tell and resources do not.
struct Behaviour {
  // Resources of which a delete answers with the object; others answer with a Status.
  std::set<const api::ResourceDesc*> shown_deleted = {};
  bool cbor = false;  // it speaks CBOR
};

// What lists the resources of `resource`'s version: "/apis/apps/v1/".
Page VersionPage(const api::ResourceDesc& resource, const Behaviour& behaviour);

// A subresource that is a stream or plain text, and no object.
bool IsStream(const api::SubresourceDesc& sub);

// Parameters that operations of a document of v2 refer to by name, as nearly all have the same ones.
class SharedParameters {
 public:
  // The name of the parameter whose own name and JSON these are.
  std::string NameOf(std::string_view parameter, std::string_view json);
  // Calls `take(name, json)` for each that was named.
  void ForEach(const std::function<void(std::string_view, std::string_view)>& take) const;

 private:
  std::map<std::string, std::string, std::less<>> by_name_;
};

// What who writes paths has at hand.
struct PathContext {
  const Behaviour& behaviour;
  Descriptions words;
  SharedParameters parameters;  // that the paths written so far refer to
};

// Borrows what it is given.
class PathSet {
 public:
  explicit PathSet(Dialect dialect) : dialect_(dialect) {}

  void Add(const api::ResourceDesc& resource);
  void Add(const CustomDefinition& custom);
  void Add(const Page& page);

  bool Contains(std::string_view path) const { return entries_.contains(path); }
  // Calls `take(path, item)` for each in order of path, the item as JSON.
  using TakeItem = std::function<void(std::string_view path, std::string_view item)>;
  void ForEach(PathContext& context, const TakeItem& take) const;

  // What a path is of its resource.
  enum class Role : uint8_t {
    kPage,
    kCollection,
    kAllNamespaces,
    kObject,
    kSubresource,
    kStream,
    kStreamBelow,  // "…/proxy/{path}"
    kWatchAll,
    kWatchCollection,
    kWatchObject,
  };
  struct Entry {
    Role role = Role::kPage;
    const Page* page = nullptr;
    const api::ResourceDesc* resource = nullptr;
    const api::SubresourceDesc* subresource = nullptr;
    const CustomDefinition* custom = nullptr;
  };

  // For who takes the paths one at a time.
  using Iterator = std::map<std::string, Entry, std::less<>>::const_iterator;
  Iterator begin() const { return entries_.begin(); }
  Iterator end() const { return entries_.end(); }
  void Take(Iterator at, PathContext& context, const TakeItem& take) const;

 private:
  void AddResource(const api::ResourceDesc& resource, const CustomDefinition* custom);

  const Dialect dialect_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace keelson::endpoints::openapi
