#include "server/incoming_request.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "server/filters/request_log.h"

namespace keelson::server {
namespace {

constexpr size_t kKeptBytes = 64;  // of one value; upstream cuts audit ids there in its logs
// What an event may keep of a head without being counted.
constexpr size_t kUncountedBytes = 4096;

// What an event, which lives for as long as the answer, has of the head; a client chooses how much that is.
size_t HeadBytesOf(const audit::Event& event) {
  return event.uri.size() + event.audit_id.size() + event.source_ips.size() * sizeof(std::string);
}

constexpr size_t kLoggedBytes = 2048;  // of a URI, of a user agent

// Parameters whose values the log may tell: of the API's own, those that are no free text.
constexpr std::string_view kLoggedParameters[] = {
    "allowWatchBookmarks",
    "dryRun",
    "fieldValidation",
    "force",
    "follow",
    "limit",
    "pretty",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
    "propagationPolicy",
    "gracePeriodSeconds",
};

// Of a query as it was sent those parameters, in their order, each after its separator: "?limit=1&watch=1".
std::string LoggedQuery(std::string_view query) {
  std::string told;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (std::ranges::find(kLoggedParameters, pair.substr(0, pair.find('='))) != std::end(kLoggedParameters))
      told.append(told.empty() ? "?" : "&").append(pair);
  }
  return told.substr(0, kLoggedBytes);
}

}  // namespace

LoggedHead::LoggedHead(const IncomingRequest& incoming)
    : uri(incoming.request.path.substr(0, kLoggedBytes)),
      user_agent(incoming.request.headers.Get("user-agent").value_or("").substr(0, kLoggedBytes)) {
  if (incoming.info.subresource != "proxy") uri += LoggedQuery(incoming.request.query);
}

void IncomingRequest::ShedHead() {
  if (LogsEveryRequest()) logged_head = std::make_unique<const LoggedHead>(*this);
  const std::string content_type(request.headers.Get("content-type").value_or("").substr(0, kKeptBytes));
  const bool dry_run = request.query.find("dryRun=All") != std::string::npos;
  request.headers = {};
  if (!audit || HeadBytesOf(*audit) <= kUncountedBytes) held_head.reset();
  // Assigning an empty string would keep the memory.
  std::string().swap(request.path);
  std::string().swap(request.query);
  if (request.method == "PATCH") request.headers.Add("content-type", content_type);
  if (dry_run) request.query = "dryRun=All";
  if (audit_id.size() > kKeptBytes) audit_id = audit_id.substr(0, kKeptBytes);
}

}  // namespace keelson::server
