// ApiHandler: what the servers of the chain answer with below /api and /apis: the verbs of every resource,
// built-in and custom, and discovery. Which server is asked when is the chain's business
// (server/delegation.h).
//
// The requests are authenticated and authorized already. Whatever goes wrong is answered with a
// metav1.Status; a path that no resource serves with 404.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "api/types/resource_desc.h"
#include "auth/user.h"
#include "base/clock.h"
#include "base/occupancy.h"
#include "base/published.h"
#include "base/request_notes.h"
#include "base/result.h"
#include "base/task.h"
#include "endpoints/custom_set.h"
#include "endpoints/discovery/registered.h"
#include "endpoints/negotiation.h"
#include "endpoints/request_info.h"
#include "endpoints/served_resource.h"
#include "endpoints/watch_metrics.h"
#include "net/http/message.h"
#include "registry/rest/storage.h"

namespace keelson::audit {
struct Event;
}

namespace keelson::endpoints {

// What the chain found out about a request. Borrowed: lives as long as the request.
struct RequestContext {
  const RequestInfo* info = nullptr;  // never null
  const auth::User* user = nullptr;   // never null
  audit::Event* audit = nullptr;      // null: the request is not audited
  // Its deadline and its seats; null: nobody knows of any.
  base::Occupancy* occupancy = nullptr;
  base::RequestNotes* notes = nullptr;  // null: nobody reads them
};

// ResourceSet finds built-in resources by group, version and plural.
class ResourceSet {
 public:
  explicit ResourceSet(std::vector<ServedResource> resources);
  ResourceSet(const ResourceSet&) = delete;

  std::span<const ServedResource> resources() const { return resources_; }
  // Null: no such resource.
  const ServedResource* Find(std::string_view group, std::string_view version, std::string_view plural) const;
  bool HasGroup(std::string_view group) const { return groups_.contains(group); }

 private:
  std::vector<ServedResource> resources_;                              // constant once this is made
  std::map<std::string, const ServedResource*, std::less<>> by_name_;  // "group/version/resource"
  std::set<std::string_view, std::less<>> groups_;
};

struct ApiHandlerOptions {
  // What /api tells legacy clients to connect to: "host:port".
  std::string server_address;
  // A watch that names no timeout ends after one to two times this.
  std::chrono::seconds min_request_timeout{1800};
  MediaOffer media;
  const base::Clock* clock = &base::Clock::Real();
  WatchMetrics* watch_metrics = nullptr;  // borrowed; null: watches are not counted
};

// Threads: requests may be handled on any loop at any time.
class ApiHandler {
 public:
  ApiHandler(std::vector<ServedResource> resources, ApiHandlerOptions options);
  ~ApiHandler();

  // "/api", "/apis" and everything below them.
  static bool Owns(std::string_view path);

  // Definitions serve something else from now on; requests that are under way keep what they have. One thread
  // at a time.
  void ChangeCustom(std::vector<CustomChange> changes);
  // Discovery has these versions from now on, besides those that are served here. The same thread as
  // ChangeCustom.
  void SetRegistered(discovery::RegisteredPtr registered);
  // Whether a request is for one of them. Any thread.
  bool ServesCustom(const RequestInfo& info) const;

  // Each answers a request for what it is named after; nullopt: this is none, and the next may be asked.
  // Require: Owns(context.info->path). A watch's response body keeps the loop it was made on; it ends by
  // itself, on Drain, or when it is destroyed.
  using MaybeAnswer = std::optional<base::Task<net::http::Response>>;
  MaybeAnswer HandleBuiltIn(net::http::Request& request, RequestContext context) const;
  MaybeAnswer HandleCustom(net::http::Request& request, RequestContext context) const;
  // Documents of discovery; a path that is none is not found. Requires: the request is for no resource.
  // `extend` makes the document that is sent of the one there is here; null: that one is sent.
  using Extend = std::function<discovery::Document(discovery::Document)>;
  net::http::Response HandleDiscovery(const net::http::Request& request, const RequestInfo& info,
                                      const Extend& extend = nullptr) const;
  // To a request for a resource that nobody serves.
  net::http::Response NotFound(const net::http::Request& request, const RequestInfo& info) const;

 private:
  // What a request asks for, or why it cannot have it.
  struct Target;
  // False: `path` is below a group that no resource belongs to.
  bool ServesGroup(std::string_view path, const CustomSet& custom) const;
  base::Result<Target, api::Status> Resolve(const net::http::Request& request, const RequestInfo& info,
                                            const ServedResource& resource) const;
  base::Result<Target, api::Status> ResolveCustom(const RequestInfo& info,
                                                  const ServedResource& resource) const;
  // Keeps `custom`, what is served at this moment, for as long as the request takes.
  base::Task<net::http::Response> ServeCustom(net::http::Request& request, RequestContext context,
                                              base::Reading<CustomSet> custom,
                                              const ServedResource* resource) const;
  base::Task<net::http::Response> Serve(net::http::Request& request, RequestContext context,
                                        Target target) const;

  const ApiHandlerOptions options_;
  const ResourceSet builtin_;
  base::Published<CustomSet> custom_;
};

}  // namespace keelson::endpoints
