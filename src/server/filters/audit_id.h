// The id under which a request is logged and audited, told to the client as Audit-Id.
#pragma once

#include <string>

#include "net/http/message.h"

namespace keelson::server {

// The client's own, when it sent one; else a new UUID.
std::string AuditId(const net::http::Request& request);

}  // namespace keelson::server
