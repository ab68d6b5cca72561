#include "server/filters/audit_id.h"

#include "api/meta/object_meta.h"

namespace keelson::server {

std::string AuditId(const net::http::Request& request) {
  const auto given = request.headers.Get("audit-id");
  return given && !given->empty() ? std::string(*given) : api::NewUid();
}

}  // namespace keelson::server
