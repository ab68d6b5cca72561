#include "server/incoming_request.h"

namespace keelson::server {
namespace {

constexpr size_t kKeptBytes = 64;  // of one value; upstream cuts audit ids there in its logs

}  // namespace

void IncomingRequest::ShedHead() {
  const std::string content_type(request.headers.Get("content-type").value_or("").substr(0, kKeptBytes));
  const bool dry_run = request.query.find("dryRun=All") != std::string::npos;
  request.headers = {};
  held_head.reset();
  // Assigning an empty string would keep the memory.
  std::string().swap(request.path);
  std::string().swap(request.query);
  if (request.method == "PATCH") request.headers.Add("content-type", content_type);
  if (dry_run) request.query = "dryRun=All";
  if (audit_id.size() > kKeptBytes) audit_id = audit_id.substr(0, kKeptBytes);
}

}  // namespace keelson::server
