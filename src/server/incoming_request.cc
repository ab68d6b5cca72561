#include "server/incoming_request.h"

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

}  // namespace

LoggedHead::LoggedHead(const IncomingRequest& incoming)
    : uri(incoming.request.path.substr(0, kLoggedBytes)),
      user_agent(incoming.request.headers.Get("user-agent").value_or("").substr(0, kLoggedBytes)) {
  const bool proxied = incoming.info.subresource == "proxy";
  if (!proxied && !incoming.request.query.empty())
    uri.append("?").append(incoming.request.query, 0, kLoggedBytes);
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
