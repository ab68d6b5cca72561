#include "server/text_response.h"

#include <string>

#include "api/validation/quote.h"
#include "auth/forbidden_message.h"

namespace keelson::server {

net::http::Response TextResponse(int code, std::string_view body) {
  net::http::Response response;
  response.status = code;
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  response.body = net::http::FixedBody(base::Slice::Copy(body));
  return response;
}

net::http::Response TextError(int code, std::string_view message) {
  net::http::Response response = TextResponse(code, std::string(message) + '\n');
  response.headers.Add("x-content-type-options", "nosniff");
  return response;
}

net::http::Response PageNotFound() { return TextError(404, "404 page not found"); }

net::http::Response InternalErrorText(const net::http::Request& request, std::string_view error) {
  std::string target(request.path);
  if (!request.query.empty()) (target += '?') += request.query;
  return TextError(
      500, auth::WithoutMarkup("Internal Server Error: " + api::Quoted(target) + ": " + std::string(error)));
}

net::http::Response TooManyRequests() {
  net::http::Response response = TextError(429, "Too many requests, please try again later.");
  response.headers.Add("retry-after", "1");
  return response;
}

}  // namespace keelson::server
