#include "endpoints/api_handler.h"

#include <algorithm>

#include "api/types/custom_type.h"
#include "audit/event.h"
#include "endpoints/deprecations.h"
#include "endpoints/discovery/documents.h"
#include "endpoints/request_scope.h"
#include "endpoints/respond.h"
#include "endpoints/verb_spans.h"
#include "endpoints/warnings.h"

namespace keelson::endpoints {
namespace {

using registry::rest::Verbs;
using VerbFn = base::Task<Answer> (*)(RequestScope&);

struct VerbEntry {
  std::string_view name;
  VerbFn handle;
  bool named;  // addresses one object
  AnswerKind answer;
  bool (*offered)(const Verbs&);
  std::string_view span;  // upstream's name for its handling; empty: it has none
};
constexpr VerbEntry kVerbs[] = {
    {"get", Get, true, AnswerKind::kObject, [](const Verbs& v) { return v.get || v.show; }, "Get"},
    {"list", List, false, AnswerKind::kList, [](const Verbs& v) { return v.list != nullptr; }, "List"},
    {"watch", Watch, false, AnswerKind::kList, [](const Verbs& v) { return v.watch != nullptr; }, ""},
    {"create", Create, false, AnswerKind::kObject, [](const Verbs& v) { return v.create != nullptr; },
     "Create"},
    {"update", Update, true, AnswerKind::kObject, [](const Verbs& v) { return v.update != nullptr; },
     "Update"},
    {"patch", Patch, true, AnswerKind::kObject, [](const Verbs& v) { return v.update != nullptr; }, "Patch"},
    {"delete", Delete, true, AnswerKind::kObject, [](const Verbs& v) { return v.remove != nullptr; },
     "Delete"},
    {"deletecollection", DeleteCollection, false, AnswerKind::kObject,
     [](const Verbs& v) { return v.remove_collection != nullptr; }, "Delete"},
};

// Serves every verb of a subresource that has a Connecter.
constexpr VerbEntry kConnect = {
    "connect", Connect, true, AnswerKind::kObject, [](const Verbs& v) { return v.connect != nullptr; }, ""};

const VerbEntry* FindVerb(std::string_view name) {
  const auto found = std::ranges::find(kVerbs, name, &VerbEntry::name);
  return found == std::end(kVerbs) ? nullptr : &*found;
}

// Which answers may be tables: those of objects that can be read again, of a few views of them.
bool MakesTables(const api::ResourceDesc& desc, std::string_view subresource, const Verbs& verbs) {
  if (subresource.empty()) return verbs.get || verbs.show || verbs.list;
  constexpr std::string_view kWithout[] = {"apiservices", "customresourcedefinitions", "resourceclaims"};
  if (subresource == "status") return std::ranges::find(kWithout, desc.plural) == std::end(kWithout);
  return subresource == "scale";
}

std::string RouteName(std::string_view group, std::string_view version, std::string_view resource) {
  std::string name;
  name.reserve(group.size() + version.size() + resource.size() + 2);
  return name.append(group).append("/").append(version).append("/").append(resource);
}

// Upstream's handler of custom resources has no router; it says of any other subresource that there is no
// such object.
std::unexpected<api::Status> NoSubresource(const RequestInfo& info) {
  return base::Err(api::NotFound({info.group, info.resource}, info.name));
}

std::unexpected<api::Status> RouterMiss(int32_t code) {
  return base::Err(api::GenericServerResponse(code, "", {}, "", ""));
}

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether the path asks for the watch, and not a parameter.
bool IsWatchPath(const RequestInfo& info) {
  const std::string start = "/" + info.api_prefix + "/" + (info.group.empty() ? "" : info.group + "/");
  return std::string_view(info.path)
      .substr(std::min(info.path.size(), start.size()))
      .starts_with(info.version + "/watch/");
}

// What upstream's outermost router says of a group that nobody serves.
net::http::Response PageNotFound() {
  net::http::Response response;
  response.status = 404;
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  response.headers.Add("x-content-type-options", "nosniff");
  response.body = net::http::FixedBody(base::Slice::Static("404 page not found\n"));
  return response;
}

base::Task<net::http::Response> Ready(net::http::Response response) { co_return response; }

api::ResourceDesc BodyDescOfSubresource(const api::ResourceDesc& resource, const api::SubresourceDesc& sub) {
  api::ResourceDesc body_desc = resource;
  body_desc.group = sub.group;
  body_desc.version = sub.version;
  body_desc.kind = sub.kind;
  body_desc.type = api::FindKind(sub.group, sub.version, sub.kind);
  body_desc.list_kind = {};
  body_desc.list_type = nullptr;
  body_desc.storage_type = nullptr;
  body_desc.columns = {};
  return body_desc;
}

}  // namespace

void ServedResource::DescribeBodies() {
  for (const api::SubresourceDesc& sub : desc->subresources)
    if (sub.kind != desc->kind && subresources.contains(sub.name))
      body_descs.emplace(sub.name, BodyDescOfSubresource(*desc, sub));
}

ResourceSet::ResourceSet(std::vector<ServedResource> resources) : resources_(std::move(resources)) {
  for (ServedResource& resource : resources_) {
    resource.DescribeBodies();
    const api::ResourceDesc& desc = *resource.desc;
    by_name_[RouteName(desc.group, desc.version, desc.plural)] = &resource;
    groups_.insert(desc.group);
  }
}

const ServedResource* ResourceSet::Find(std::string_view group, std::string_view version,
                                        std::string_view plural) const {
  const auto found = by_name_.find(RouteName(group, version, plural));
  return found == by_name_.end() ? nullptr : found->second;
}

struct ApiHandler::Target {
  const ServedResource* resource = nullptr;
  const Verbs* verbs = nullptr;
  const VerbEntry* verb = nullptr;
  const api::ResourceDesc* body_desc = nullptr;  // of the bodies and answers
};

ApiHandler::ApiHandler(std::vector<ServedResource> resources, ApiHandlerOptions options)
    : options_(std::move(options)),
      builtin_(std::move(resources)),
      custom_(new CustomSet(builtin_.resources(), options_.server_address)) {}

ApiHandler::~ApiHandler() = default;

bool ApiHandler::Owns(std::string_view path) {
  for (std::string_view root : {"/api", "/apis"})
    if (path == root || (path.starts_with(root) && path[root.size()] == '/')) return true;
  return false;
}

void ApiHandler::ChangeCustom(std::vector<CustomChange> changes) {
  const auto now = custom_.Read();
  custom_.Replace(now->With(std::move(changes)));
}

void ApiHandler::SetRegistered(discovery::RegisteredPtr registered) {
  const auto now = custom_.Read();
  custom_.Replace(now->With(std::move(registered)));
}

bool ApiHandler::ServesCustom(const RequestInfo& info) const {
  const auto custom = custom_.Read();
  const ServedResource* found = custom->Find(info.group, info.version, info.resource);
  return found && (info.subresource.empty() || found->subresources.contains(info.subresource));
}

bool ApiHandler::ServesGroup(std::string_view path, const CustomSet& custom) const {
  constexpr std::string_view kGroups = "/apis/";
  if (!path.starts_with(kGroups)) return true;
  path.remove_prefix(kGroups.size());
  const std::string_view group = path.substr(0, path.find('/'));
  return group.empty() || builtin_.HasGroup(group) || custom.HasGroup(group);
}

// As upstream: what does not fit the scope is not there; a verb that there is none of is named.
base::Result<ApiHandler::Target, api::Status> ApiHandler::ResolveCustom(
    const RequestInfo& info, const ServedResource& resource) const {
  const api::ResourceDesc& desc = *resource.desc;
  const bool looks = info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection";
  if (!desc.namespaced && !info.ns.empty()) return RouterMiss(404);
  if (desc.namespaced && info.ns.empty() && !(looks && info.verb != "deletecollection"))
    return RouterMiss(404);
  Target target{&resource, &resource.verbs, nullptr, &desc};
  std::span<const std::string_view> allowed = desc.verbs;
  if (!info.subresource.empty()) {
    const auto sub = resource.subresources.find(info.subresource);
    const auto sub_desc = std::ranges::find(desc.subresources, info.subresource, &api::SubresourceDesc::name);
    if (sub == resource.subresources.end() || sub_desc == desc.subresources.end()) return NoSubresource(info);
    target.verbs = &sub->second;
    allowed = sub_desc->verbs;
    if (const api::ResourceDesc* body_desc = resource.BodyDescOf(sub_desc->name))
      target.body_desc = body_desc;
  }
  if (info.has_subpath) return NoSubresource(info);
  const auto verb = std::ranges::find(kVerbs, info.verb, &VerbEntry::name);
  // While its definition goes, a resource says so itself to those who create.
  const bool listed = Contains(allowed, info.verb) || (info.subresource.empty() && verb != std::end(kVerbs));
  if (verb == std::end(kVerbs) || !listed || !verb->offered(*target.verbs))
    return base::Err(api::MethodNotSupported({info.group, info.resource}, info.verb));
  target.verb = verb;
  return target;
}

base::Result<ApiHandler::Target, api::Status> ApiHandler::Resolve(const net::http::Request& request,
                                                                  const RequestInfo& info,
                                                                  const ServedResource& resource) const {
  const api::ResourceDesc& desc = *resource.desc;
  // A namespace is "in" itself.
  bool in_namespace = !info.ns.empty() && !(info.resource == "namespaces" && info.ns == info.name);
  if (in_namespace && !desc.namespaced) return RouterMiss(404);
  // Path names, not those a selector gave.
  bool named = !info.name.empty() && info.verb != "list" && info.verb != "watch";
  if (desc.namespaced && named && !in_namespace) return RouterMiss(404);

  Target target{&resource, &resource.verbs, nullptr, &desc};
  std::span<const std::string_view> allowed = desc.verbs;
  if (!info.subresource.empty()) {
    auto sub = resource.subresources.find(info.subresource);
    auto sub_desc = std::ranges::find(desc.subresources, info.subresource, &api::SubresourceDesc::name);
    if (sub == resource.subresources.end() || sub_desc == desc.subresources.end()) return RouterMiss(404);
    target.verbs = &sub->second;
    allowed = sub_desc->verbs;
    if (const api::ResourceDesc* body_desc = resource.BodyDescOf(sub_desc->name))
      target.body_desc = body_desc;
  }
  const registry::rest::Connecter* const connect = target.verbs->connect;
  if (info.has_subpath && !(connect && connect->takes_path())) return RouterMiss(404);
  // Below the long-deprecated /watch/ there is nothing but what can be watched.
  const bool watch_path = info.verb == "watch" && IsWatchPath(info);
  if (watch_path && (!info.subresource.empty() || !target.verbs->watch || !Contains(allowed, "watch")))
    return RouterMiss(404);
  if (request.method == "HEAD" && !(connect && connect->takes_path())) return RouterMiss(405);
  if (info.verb == "watch" && !target.verbs->watch && target.verbs->list)
    return base::Err(api::MethodNotSupported({desc.group, desc.plural}, "watch"));
  const VerbEntry* const verb = connect ? &kConnect : FindVerb(info.verb);
  // Proxies pass on what has no verb, too.
  const bool asks_for_options = connect && connect->takes_path() && request.method == "OPTIONS";
  const bool is_allowed = asks_for_options || Contains(allowed, info.verb);
  if (!verb || !is_allowed || !verb->offered(*target.verbs)) return RouterMiss(405);
  // The path turns any method into a watch.
  if (info.verb == "watch" && request.method != "GET") return RouterMiss(405);
  const bool wants_name = verb->named || !info.subresource.empty();
  if (wants_name != named && info.verb != "list" && info.verb != "watch") return RouterMiss(405);
  // Across namespaces one can only look.
  const bool writes_collection = info.verb == "create" || info.verb == "deletecollection";
  if (writes_collection && desc.namespaced && !in_namespace) return RouterMiss(405);
  target.verb = verb;
  return target;
}

ApiHandler::MaybeAnswer ApiHandler::HandleBuiltIn(net::http::Request& request, RequestContext context) const {
  const RequestInfo& info = *context.info;
  if (!info.resource_request) return std::nullopt;
  const ServedResource* const resource = builtin_.Find(info.group, info.version, info.resource);
  if (!resource) return std::nullopt;
  auto target = Resolve(request, info, *resource);
  if (target) return Serve(request, context, *target);
  return Ready(StatusResponse(target.error(), NegotiateStatus(request.headers, Query(request.query))));
}

ApiHandler::MaybeAnswer ApiHandler::HandleCustom(net::http::Request& request, RequestContext context) const {
  const RequestInfo& info = *context.info;
  if (!info.resource_request) return std::nullopt;
  base::Reading<CustomSet> custom = custom_.Read();
  const ServedResource* const resource = custom->Find(info.group, info.version, info.resource);
  if (!resource) return std::nullopt;
  return ServeCustom(request, context, std::move(custom), resource);
}

base::Task<net::http::Response> ApiHandler::ServeCustom(net::http::Request& request, RequestContext context,
                                                        [[maybe_unused]] base::Reading<CustomSet> custom,
                                                        const ServedResource* resource) const {
  auto target = ResolveCustom(*context.info, *resource);
  if (target) co_return co_await Serve(request, context, *target);
  // In a group that only definitions have, upstream's last handler says what the router would.
  const api::Status& status = target.error();
  const bool missed = status.code == 404 && !(status.details && !status.details->kind.empty());
  if (missed && !builtin_.HasGroup(context.info->group)) co_return PageNotFound();
  co_return StatusResponse(status, NegotiateStatus(request.headers, Query(request.query)));
}

net::http::Response ApiHandler::HandleDiscovery(const net::http::Request& request, const RequestInfo& info,
                                                const Extend& extend) const {
  const base::Reading<CustomSet> custom = custom_.Read();
  if (!ServesGroup(info.path, *custom)) return PageNotFound();
  if (auto document = custom->FindDocument(info.path))
    return discovery::Serve(extend ? extend(*std::move(document)) : *document, request);
  return StatusResponse(RouterMiss(404).error(), NegotiateStatus(request.headers, Query(request.query)));
}

net::http::Response ApiHandler::NotFound(const net::http::Request& request, const RequestInfo& info) const {
  if (!builtin_.HasGroup(info.group)) return PageNotFound();
  return StatusResponse(RouterMiss(404).error(), NegotiateStatus(request.headers, Query(request.query)));
}

base::Task<net::http::Response> ApiHandler::Serve(net::http::Request& request, RequestContext context,
                                                  Target target) const {
  RequestScope scope{request,       *context.info,     *context.user, *target.resource,
                     *target.verbs, *target.body_desc, options_};
  scope.query = Query(request.query);
  scope.audit = context.audit;
  scope.occupancy = context.occupancy;
  scope.notes = context.notes;
  const registry::rest::Connecter* const connect = target.verbs->connect;
  MediaOffer offer = options_.media;
  const bool is_custom = api::IsCustom(scope.desc());
  offer.tables = is_custom || MakesTables(scope.desc(), scope.info.subresource, *target.verbs);
  // Objects of custom kinds have no protobuf form; what describes them has.
  offer.custom = api::IsCustom(*target.body_desc);
  offer.routed = !is_custom;
  if (connect) offer.router_only = connect->medium();
  const bool negotiates = !connect || !connect->medium().empty();
  auto output = negotiates ? NegotiateOutput(request.headers, scope.query, target.verb->answer, offer)
                           : NegotiateStatus(request.headers, scope.query, offer);
  if (!output) co_return StatusResponse(output.error(), NegotiateStatus(request.headers, scope.query, offer));
  if (const auto warning = is_custom ? target.resource->deprecation : DeprecationWarning(*target.body_desc);
      !warning.empty()) {
    scope.warnings.emplace_back(warning);
    const std::string_view removed = RemovedRelease(*target.body_desc);
    if (scope.audit) {
      scope.audit->deprecated = true;
      scope.audit->removed_release = removed;
    }
    if (scope.notes) {
      scope.notes->deprecated = true;
      scope.notes->removed_release = removed;
    }
  }
  scope.output = *std::move(output);

  if (!target.verb->span.empty()) EnterVerb(scope, target.verb->span);
  Answer answer = co_await target.verb->handle(scope);
  if (!scope.answering && !connect) EnterAnswer(scope, kObjectAnswer);
  if (!answer) answer = StatusResponse(answer.error(), NegotiateStatus(request.headers, scope.query, offer));
  AddWarnings(scope.warnings, answer->headers);
  co_return *std::move(answer);
}

}  // namespace keelson::endpoints
