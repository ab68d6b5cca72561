// ApiHandler: everything below /api and /apis: discovery and the verbs of every resource.
//
// The server gives it requests that are authenticated and authorized already. Whatever
// goes wrong is answered with a metav1.Status; a path that no resource serves with 404.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "api/types/resource_desc.h"
#include "auth/user.h"
#include "base/clock.h"
#include "base/published.h"
#include "base/result.h"
#include "base/task.h"
#include "endpoints/discovery/registered.h"
#include "endpoints/negotiation.h"
#include "endpoints/request_info.h"
#include "net/http/message.h"
#include "registry/rest/storage.h"

namespace keelson::endpoints {

namespace table {
class Printer;
}
namespace discovery {
class Documents;
}

// What the chain found out about a request. Borrowed: lives as long as the request.
struct RequestContext {
  const RequestInfo* info = nullptr;  // never null
  const auth::User* user = nullptr;   // never null
};

// A resource with the verbs that serve it. Borrowed: outlives the handler.
struct ServedResource {
  const api::ResourceDesc* desc = nullptr;
  registry::rest::Verbs verbs;
  std::map<std::string, registry::rest::Verbs, std::less<>> subresources;
  const table::Printer* printer = nullptr;  // null: the default columns
  std::string_view deprecation = {};        // the warning of a custom version; empty: none
  // Of a custom resource: what keeps all of the above, for answers that outlive the set they are from.
  std::shared_ptr<const void> keepalive = {};
};

// What is served under which name.
class ResourceSet {
 public:
  explicit ResourceSet(std::vector<ServedResource> resources);
  ResourceSet(const ResourceSet&) = delete;

  std::span<const ServedResource> resources() const { return resources_; }
  // Null: no such resource.
  const ServedResource* Find(std::string_view group, std::string_view version, std::string_view plural) const;
  bool HasGroup(std::string_view group) const { return groups_.contains(group); }
  // How the objects of a subresource look whose kind is not the resource's (scale, eviction); null: it is.
  const api::ResourceDesc* BodyDescOf(const api::SubresourceDesc& sub) const;

 private:
  const std::vector<ServedResource> resources_;
  std::map<std::string, const ServedResource*, std::less<>> by_name_;  // "group/version/resource"
  std::set<std::string_view, std::less<>> groups_;
  std::map<const api::SubresourceDesc*, api::ResourceDesc> body_descs_;
};

// The resources that come and go, at one moment. Discovery is made of them when it is asked for.
struct CustomSet final : base::Publishable<CustomSet> {
  CustomSet(std::shared_ptr<const ResourceSet> custom, discovery::RegisteredPtr registered, uint64_t number);
  ~CustomSet();

  const std::shared_ptr<const ResourceSet> resources;
  const discovery::RegisteredPtr registered;
  std::set<std::string_view, std::less<>> registered_groups;  // that backends serve a version of
  const uint64_t number;                                      // of the set, counted from the start
  mutable std::once_flag documents_made;
  mutable std::unique_ptr<const discovery::Documents> documents;
};

struct ApiHandlerOptions {
  // What /api tells legacy clients to connect to: "host:port".
  std::string server_address;
  // A watch that names no timeout ends after one to two times this.
  std::chrono::seconds min_request_timeout{1800};
  MediaOffer media;
  const base::Clock* clock = &base::Clock::Real();
};

// Threads: Handle may be called on any loop at any time.
class ApiHandler {
 public:
  ApiHandler(std::vector<ServedResource> resources, ApiHandlerOptions options);
  ~ApiHandler();

  // "/api", "/apis" and everything below them.
  static bool Owns(std::string_view path);

  // Serves these besides the others from now on; requests that are under way keep what they have. One thread
  // at a time.
  void SetCustom(std::vector<ServedResource> resources);
  // Discovery has these versions from now on, besides those that are served here. The same thread as
  // SetCustom.
  void SetRegistered(discovery::RegisteredPtr registered);
  // Whether a request is for one of them. Any thread.
  bool ServesCustom(const RequestInfo& info) const;

  // Requires: Owns(context.info->path). A watch's response body keeps the loop it was
  // made on; it ends by itself, on Drain, or when it is destroyed.
  base::Task<net::http::Response> Handle(net::http::Request& request, RequestContext context) const;

 private:
  // What a request asks for, or why it cannot have it.
  struct Target;
  // False: `path` is below a group that no resource belongs to.
  bool ServesGroup(std::string_view path, const CustomSet& custom) const;
  const discovery::Documents& DocumentsOf(const CustomSet& custom) const;
  base::Result<Target, api::Status> Resolve(const net::http::Request& request, const RequestInfo& info,
                                            const CustomSet& custom) const;
  base::Result<Target, api::Status> ResolveCustom(const RequestInfo& info, const CustomSet& custom) const;
  base::Task<net::http::Response> Serve(net::http::Request& request, RequestContext context,
                                        Target target) const;

  const ApiHandlerOptions options_;
  const ResourceSet builtin_;
  base::Published<CustomSet> custom_;
};

}  // namespace keelson::endpoints
