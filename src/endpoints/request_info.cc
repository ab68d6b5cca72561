#include "endpoints/request_info.h"

#include <optional>
#include <vector>

#include "endpoints/query.h"
#include "registry/rest/types.h"

namespace keelson::endpoints {
namespace {

constexpr size_t kUsualParts = 8;  // /apis/GROUP/VERSION/namespaces/NS/RESOURCE/NAME/SUBRESOURCE

std::vector<std::string_view> SplitPath(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string_view> parts;
  if (path.empty()) return parts;
  parts.reserve(kUsualParts);
  for (;;) {
    size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

std::string_view VerbOf(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return "";
}

std::string Lower(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

bool IsPathSegmentName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/%") == std::string_view::npos;
}

// A get without a name is a list or a watch, and may name its object in a field selector.
void ResolveCollectionGet(std::string_view query_text, RequestInfo& info) {
  Query query(query_text);
  info.verb = query.Bool("watch").value_or(false) ? "watch" : "list";
  // Options that do not parse never select a name; the verb reports what is wrong.
  if (!query.Int("limit") || !query.Int("timeoutSeconds")) return;
  auto name =
      registry::rest::FieldSelector::FindExactMatch(query.GetOr("fieldSelector", ""), "metadata.name");
  if (name && IsPathSegmentName(*name)) info.name = *std::move(name);
}

}  // namespace

RequestInfo ParseRequestInfo(std::string_view method, std::string_view path, std::string_view query) {
  RequestInfo info;
  info.path = PercentDecode(path, /*plus_is_space=*/false);
  info.verb = Lower(method);

  std::vector<std::string_view> parts = SplitPath(info.path);
  size_t at = 0;
  if (parts.size() < 3 || (parts[0] != "api" && parts[0] != "apis")) return info;
  info.api_prefix = parts[at++];
  if (info.api_prefix == "apis") {
    if (parts.size() < 4) return info;
    info.group = parts[at++];
  }
  info.resource_request = true;
  info.version = parts[at++];

  if (parts[at] == "watch" || parts[at] == "proxy") {
    if (parts.size() - at < 2) return info;
    info.verb = parts[at++];
    info.verb_in_path = true;
  } else {
    info.verb = VerbOf(method);
  }

  if (parts[at] == "namespaces" && parts.size() - at > 1) {
    info.ns = parts[at + 1];
    // What follows a namespace is a resource in it, unless it belongs to the namespace.
    if (parts.size() - at > 2 && parts[at + 2] != "status" && parts[at + 2] != "finalize") at += 2;
  }

  info.resource = parts[at];
  if (parts.size() - at >= 2) info.name = parts[at + 1];
  if (parts.size() - at >= 3 && info.verb != "proxy") info.subresource = parts[at + 2];

  info.has_subpath = parts.size() - at > 3;

  if (info.name.empty() && info.verb == "get") ResolveCollectionGet(query, info);
  if (info.name.empty() && info.verb == "delete") info.verb = "deletecollection";
  return info;
}

}  // namespace keelson::endpoints
