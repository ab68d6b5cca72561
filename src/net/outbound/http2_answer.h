// One request over HTTP/2, from its first byte to its answer's head; the body follows as a source.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "net/http/client.h"
#include "net/outbound/http2_link.h"
#include "net/outbound/undertaking.h"

namespace keelson::net::outbound {

// Requires: `request` lives until this is done, and its body as http::ClientRequest says.
base::Task<base::Result<http::Response, http::ClientError>> SendByHttp2(
    std::shared_ptr<Http2Link> link, const http::ClientRequest& request,
    std::shared_ptr<Undertaking> undertaking);

}  // namespace keelson::net::outbound
