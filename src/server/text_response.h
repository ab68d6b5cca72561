// Answers in plain text, as Go's http package gives them outside of the API proper.
#pragma once

#include <string_view>

#include "net/http/message.h"

namespace keelson::server {

// text/plain with exactly these bytes.
net::http::Response TextResponse(int code, std::string_view body);
// The same with a line break at the end, marked as not to be sniffed.
net::http::Response TextError(int code, std::string_view message);
net::http::Response PageNotFound();

// 500, as Go's handlers say that they could not find something out.
net::http::Response InternalErrorText(const net::http::Request& request, std::string_view error);

// 429, to be tried again after a second.
net::http::Response TooManyRequests();

}  // namespace keelson::server
