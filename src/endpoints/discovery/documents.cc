#include "endpoints/discovery/documents.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml.h"
#include "base/fingerprint.h"
#include "endpoints/decode.h"
#include "endpoints/filters.h"
#include "endpoints/negotiation.h"
#include "endpoints/respond.h"

namespace keelson::endpoints::discovery {
namespace {

using api::json::JsonWriter;

constexpr std::string_view kAggregatedType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

bool IsCore(const Group& group) { return group.name().empty(); }

base::Slice Finish(base::BufferBuilder& out) {
  out.Append('\n');
  return out.Take();
}

base::Slice GroupList(std::vector<GroupPtr> groups, bool by_priority) {
  // Upstream looks at the names of APIServices.
  if (by_priority)
    std::ranges::sort(groups, [](const GroupPtr& a, const GroupPtr& b) { return a->place() < b->place(); });
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIGroupList").Member("apiVersion", "v1").Key("groups").BeginArray();
  for (const GroupPtr& group : groups)
    if (!IsCore(*group)) json.Raw(group->ListedItem().view());
  json.EndArray().EndObject();
  return Finish(out);
}

base::Slice CoreVersions(const std::vector<GroupPtr>& groups, std::string_view server_address) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIVersions").Key("versions").BeginArray();
  for (const GroupPtr& group : groups)
    if (IsCore(*group))
      for (const std::string_view version : group->Versions()) json.String(version);
  json.EndArray().Key("serverAddressByClientCIDRs").BeginArray().BeginObject();
  json.Member("clientCIDR", "0.0.0.0/0").Member("serverAddress", server_address);
  json.EndObject().EndArray().EndObject();
  return Finish(out);
}

base::Slice Aggregated(const std::vector<GroupPtr>& groups, bool core) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIGroupDiscoveryList").Member("apiVersion", "apidiscovery.k8s.io/v2");
  json.Key("metadata").BeginObject().EndObject().Key("items").BeginArray();
  for (const GroupPtr& group : groups)
    if (IsCore(*group) == core) json.Raw(group->AggregatedItem().view());
  json.EndArray().EndObject();
  return Finish(out);
}

Document Root(base::Slice json, std::string_view kind, base::Slice aggregated) {
  std::string etag = "\"" + base::Fingerprint(aggregated.view()) + "\"";
  return {std::move(json), kind, std::move(aggregated), std::move(etag)};
}

// Where the client prefers the aggregated form over the classic one: the clause that says so. Null: it does
// not.
const AcceptClause* Aggregating(const std::vector<AcceptClause>& clauses) {
  for (const AcceptClause& clause : clauses) {
    if (clause.type == "application" && clause.subtype == "json" &&
        clause.Param("as") == "APIGroupDiscoveryList" && clause.Param("g") == "apidiscovery.k8s.io" &&
        clause.Param("v") == "v2")
      return &clause;
    if (clause.Param("as").empty()) return nullptr;
  }
  return nullptr;
}

// What is said when a client accepts no form that documents have.
api::Status NotAcceptable() {
  return api::NotAcceptable(
      "only the following media types are accepted: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf");
}

// A document in its protobuf form, by way of its type.
std::optional<base::Slice> ToProtobuf(const base::Slice& json, std::string_view kind) {
  const api::TypeDesc* type = api::FindType("meta_v1." + std::string(kind));
  if (!type) return std::nullopt;
  auto decoded = DecodeBody(json, Media::kJson, *type, "", "v1", kind, false);
  if (!decoded) return std::nullopt;
  const auto claim = api::json::PeekTypeMeta(json.view());
  if (claim && claim->api_version.empty()) decoded->doc.root()->slot(1) = api::Value::String("");
  base::BufferBuilder out;
  api::protobuf::EncodeObject(decoded->doc, out);
  return out.Take();
}

}  // namespace

Roots::Roots(std::vector<GroupPtr> all, Order order, std::string_view server_address) {
  if (order.aggregated_by_priority)
    std::ranges::stable_sort(all, [](const GroupPtr& a, const GroupPtr& b) {
      return a->priority() != b->priority() ? a->priority() > b->priority() : a->name() < b->name();
    });
  core = Root(CoreVersions(all, server_address), "APIVersions", Aggregated(all, /*core=*/true));
  base::Slice aggregated = Aggregated(all, /*core=*/false);
  groups = Root(GroupList(std::move(all), order.listed_by_priority), "APIGroupList", std::move(aggregated));
}

bool AsksForAllServers(const net::http::Request& request) {
  const auto clauses = ParseAccept(request.headers.Joined("accept"));
  const AcceptClause* const clause = Aggregating(clauses);
  return clause && clause->Param("profile") != "nopeer";
}

net::http::Response Serve(const Document& document, const net::http::Request& request) {
  if (request.method != "GET" && request.method != "HEAD")
    return StatusResponse(api::GenericServerResponse(405, "", {}, "", ""), request.headers.Joined("accept"));
  net::http::Response response;
  if (!document.aggregated.empty() && Aggregating(ParseAccept(request.headers.Joined("accept")))) {
    response.headers.Add("etag", document.aggregated_etag);
    response.headers.Add("vary", "Accept");
    if (request.headers.Get("if-none-match") == document.aggregated_etag) {
      response.status = 304;
      return response;
    }
    response.headers.Add("content-type", kAggregatedType);
    response.body = net::http::FixedBody(document.aggregated);
    return response;
  }
  Query query(request.query);
  auto output = NegotiateOutput(request.headers, query, AnswerKind::kObject);
  if (!output || output->target != Target::kNone)
    return StatusResponse(NotAcceptable(), NegotiateStatus(request.headers, query));
  std::optional<base::Slice> protobuf;
  if (output->media == Media::kProtobuf) protobuf = ToProtobuf(document.json, document.kind);
  if (protobuf) {
    response.headers.Add("content-type", ContentType(Media::kProtobuf));
    response.body = net::http::FixedBody(*std::move(protobuf));
  } else if (output->media == Media::kYaml) {
    response.headers.Add("content-type", ContentType(Media::kYaml));
    response.body = net::http::FixedBody(base::Slice::Copy(api::yaml::FromJson(document.json.view())));
  } else {
    response.headers.Add("content-type", ContentType(Media::kJson));
    response.body = net::http::FixedBody(document.json);
    if (output->pretty) response.body = Prettied(std::move(response.body));
  }
  return response;
}

}  // namespace keelson::endpoints::discovery
