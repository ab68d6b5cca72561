// Responses made of one piece: statuses and small documents.
#pragma once

#include <string>
#include <string_view>

#include "api/meta/status.h"
#include "net/http/message.h"

namespace keelson::endpoints {

// `status` in the media type that `accept` (the request's Accept header, may be empty)
// prefers among JSON, YAML and protobuf; JSON when it asks for something else. Sets
// Retry-After when the status has one.
net::http::Response StatusResponse(const api::Status& status, std::string_view accept);

struct OutputFormat;
net::http::Response StatusResponse(const api::Status& status, const OutputFormat& format);

// The status that StatusResponse made the answer of; null: it is something else. Borrowed from it.
const api::Status* StatusOf(const net::http::Response& response);

// A JSON document, complete.
net::http::Response JsonResponse(int code, std::string body);

}  // namespace keelson::endpoints
