// Where a request comes from, as far as its proxies tell.
#pragma once

#include <string>
#include <vector>

#include "net/http/message.h"

namespace keelson::server {

// The addresses of X-Forwarded-For, that of X-Real-Ip and that of the connection, in this order. Only the
// last is known for sure. What is no address is left out; of two alike that follow each other, one is.
std::vector<std::string> SourceIps(const net::http::Request& request);

}  // namespace keelson::server
